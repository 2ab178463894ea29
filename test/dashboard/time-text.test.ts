import assert from 'node:assert/strict'
import { test } from 'node:test'
import { amountsGrouped } from '../../packages/dashboard/src/ui/amounts-grouped.ts'
import { sentenceInZone } from '../../packages/dashboard/src/ui/sentence-in-zone.ts'
import {
  agoText,
  dateText,
  dayBefore,
  dayIn,
  shortTimeText,
  timeText,
} from '../../packages/dashboard/src/ui/time-text.ts'
import { clockOf } from '../../packages/server/src/transactions/explain.ts'

const zone = 'Africa/Nairobi'

test('the times that a sentence of the API names are shown in the zone of the page', () => {
  const at = new Date('2025-03-03T22:05:10Z')

  const shown = sentenceInZone(`It expires at ${clockOf(at)}; reports until ${clockOf(at)} count.`, zone, 'EAT')

  assert.equal(shown, 'It expires at 4 Mar 2025 01:05:10 EAT; reports until 4 Mar 2025 01:05:10 EAT count.')
})

test('a sentence without a time is shown as it is', () => {
  const sentence = 'The charge of KES 1,500.50 was paid at 12:00:05 by UTC on time.'

  assert.equal(sentenceInZone(sentence, zone, 'EAT'), sentence)
})

test('a time of today has no day, one of another year has its year', () => {
  const now = new Date('2026-11-18T20:00:00Z')

  assert.equal(timeText('2026-11-18T19:57:22Z', zone, now), '22:57:22')
  assert.equal(timeText('2026-11-17T20:59:59Z', zone, now), '17 Nov 23:59:59')
  assert.equal(timeText('2025-11-18T19:57:22Z', zone, now), '18 Nov 2025 22:57:22')
})

test('a time without seconds has its day, and its year where it is another', () => {
  const now = new Date('2026-11-18T20:00:00Z')

  assert.equal(shortTimeText('2026-11-18T19:57:22Z', zone, now), '22:57')
  assert.equal(shortTimeText('2026-11-17T20:59:59Z', zone, now), '17 Nov 23:59')
  assert.equal(shortTimeText('2025-11-18T19:57:22Z', zone, now), '18 Nov 2025 22:57')
})

test('a date always has its day, month and year, in the zone', () => {
  assert.equal(dateText(new Date(), zone).split(' ').length, 3)
  assert.equal(dateText('2026-11-17T21:30:00Z', zone), '18 Nov 2026')
  assert.equal(dateText('2026-11-17T21:30:00Z', 'UTC'), '17 Nov 2026')
})

test('today and the days before it are those of the zone, also when its clocks change', () => {
  const at = Date.parse('2026-11-17T21:30:00Z')
  const afterTheChange = Date.parse('2026-10-30T21:30:00Z')

  assert.deepEqual([dayIn(at, zone), dayIn(at, 'UTC')], ['2026-11-18', '2026-11-17'])
  assert.deepEqual([dayBefore(0, zone, at), dayBefore(6, zone, at)], ['2026-11-18', '2026-11-12'])
  assert.deepEqual(
    [0, 1, 2].map((days) => dayBefore(days, 'Africa/Cairo', afterTheChange)),
    ['2026-10-30', '2026-10-29', '2026-10-28'],
  )
})

test('amounts in a sentence of the API are written as on the page, and other numbers stay', () => {
  const sentence =
    'The payout of 46800.00 KES to Amina is held; 1500 UGX of 120000 UGX came by 14:05 UTC on 3 May, order 48211 XYZ.'

  assert.equal(
    amountsGrouped(sentence),
    'The payout of KES 46,800.00 to Amina is held; UGX 1,500 of UGX 120,000 came by 14:05 UTC on 3 May, order 48211 XYZ.',
  )
})

test('a deadline a moment before three days is in 3 days, and what was almost three days ago is 2 days old', () => {
  const now = new Date('2026-11-18T20:00:00Z')

  assert.equal(agoText('2026-11-21T19:59:30Z', now), 'in 3 days')
  assert.equal(agoText('2026-11-19T19:00:00Z', now), 'in 23 hours')
  assert.equal(agoText('2026-11-15T20:00:30Z', now), '2 days ago')
})
