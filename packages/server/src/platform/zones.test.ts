import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dayAfter, dayIn, startOfDay, zoneNamed } from './zones.ts'

const cases = {
  'without daylight saving, midnight is as far from UTC every day': [
    ['2026-03-29', 'UTC', '2026-03-29T00:00:00.000Z'],
    ['2026-03-29', 'Africa/Nairobi', '2026-03-28T21:00:00.000Z'],
    ['2026-10-25', 'Africa/Nairobi', '2026-10-24T21:00:00.000Z'],
  ],
  'a day whose midnight is skipped starts at the change: Cairo goes from 23:59 to 01:00': [
    ['2026-04-24', 'Africa/Cairo', '2026-04-23T22:00:00.000Z'],
    ['2026-04-25', 'Africa/Cairo', '2026-04-24T21:00:00.000Z'],
  ],
  'the hour before midnight that comes twice belongs to the day that ends: Cairo in October': [
    ['2026-10-29', 'Africa/Cairo', '2026-10-28T21:00:00.000Z'],
    ['2026-10-30', 'Africa/Cairo', '2026-10-29T22:00:00.000Z'],
  ],
  'a day that shows midnight twice starts at the first: the Azores in October': [
    ['2026-10-25', 'Atlantic/Azores', '2026-10-25T00:00:00.000Z'],
    ['2026-10-26', 'Atlantic/Azores', '2026-10-26T01:00:00.000Z'],
  ],
  'a day on which Casablanca leaves and enters its hour of Ramadan has 25 and 23 hours': [
    ['2026-02-15', 'Africa/Casablanca', '2026-02-14T23:00:00.000Z'],
    ['2026-02-16', 'Africa/Casablanca', '2026-02-16T00:00:00.000Z'],
    ['2026-03-22', 'Africa/Casablanca', '2026-03-22T00:00:00.000Z'],
    ['2026-03-23', 'Africa/Casablanca', '2026-03-22T23:00:00.000Z'],
  ],
} as const

for (const [name, days] of Object.entries(cases))
  test(name, () => {
    for (const [day, zone, start] of days) assert.equal(startOfDay(day, zone).toISOString(), start, `${day} ${zone}`)
  })

test('every moment of a year is in one day of each zone, also beside the ends of its days', () => {
  const changing = [
    'America/Havana',
    'America/Nuuk',
    'Asia/Beirut',
    'Asia/Gaza',
    'Australia/Lord_Howe',
    'Asia/Kathmandu',
  ]
  for (const zone of ['Africa/Cairo', 'Africa/Casablanca', 'Africa/Nairobi', 'Atlantic/Azores', ...changing])
    for (let day = '2026-01-01'; day < '2027-01-01'; day = dayAfter(day)) {
      const start = startOfDay(day, zone)
      assert.equal(dayIn(start, zone), day, `${start.toISOString()} in ${zone}`)
      assert.equal(dayIn(new Date(start.getTime() - 1), zone), dayAfter(day, -1), `before ${day} in ${zone}`)
    }
})

test('a zone is a name, never an offset, and has one spelling', () => {
  assert.equal(zoneNamed('africa/nairobi'), 'Africa/Nairobi')
  for (const text of ['', '+03:00', 'Africa/Nowhere', "UTC'; select 1"]) assert.equal(zoneNamed(text), undefined, text)
})
