import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { until } from '../../dev-stack/until.ts'
import { payingMalipo } from '../../testing/paying.ts'
import { createLaneHealth, replyOf } from './lane-health.ts'
import { laneOf } from './timers.ts'

/** Two processes that share only the database, and a provider that only this test uses. */
async function twoProcesses(t: TestContext, provider: string) {
  const malipo = await payingMalipo(t)
  const { db, wakeups, log } = malipo.ctx
  const [calling, routing] = [createLaneHealth(db.write, wakeups, log), createLaneHealth(db.write, wakeups, log)]
  const watches = [calling.watch(), routing.watch()]
  t.after(() => Promise.all(watches.map((watch) => watch.stop())))
  await malipo.ask('insert into lanes (lane) values ($1)', [laneOf('sandbox', provider)])
  const note = (reply: 'responded' | 'no_response') => calling.note('sandbox', provider, reply)
  const becomes = (isUsable: boolean) =>
    until(`${provider} to be ${isUsable ? '' : 'not '}usable`, () => routing.isUsable('sandbox', provider) === isUsable)
  const noted = async () => {
    const [row] = await malipo.ask<{ until: Date | null }>(
      'select unhealthy_until as until from lanes where lane = $1',
      [laneOf('sandbox', provider)],
    )
    return row?.until
  }
  return { malipo, routing, note, becomes, noted }
}

test('a provider with five missing responses in a row is unhealthy everywhere until it responds', async (t) => {
  const { note, becomes, noted } = await twoProcesses(t, 'silent')
  for (let times = 1; times <= 4; times += 1) await note('no_response')
  assert.equal(await noted(), null)

  await note('no_response')
  await becomes(false)

  await note('responded')
  await becomes(true)
})

test('occasional failed requests are not five in a row', async (t) => {
  const { note, noted } = await twoProcesses(t, 'shaky')

  for (let times = 1; times <= 20; times += 1) await note(times % 5 === 0 ? 'responded' : 'no_response')

  assert.equal(await noted(), null)
})

test('an unhealthy provider without calls is tried again after 30 seconds', async (t) => {
  const { malipo, note, becomes } = await twoProcesses(t, 'forgotten')
  for (let times = 1; times <= 5; times += 1) await note('no_response')
  await becomes(false)

  await malipo.later(31)

  await becomes(true)
})

test('an outage writes the lane health now and then, not for every request', async (t) => {
  const { note, noted } = await twoProcesses(t, 'busy')
  for (let times = 1; times <= 5; times += 1) await note('no_response')
  const first = await noted()

  for (let times = 1; times <= 100; times += 1) await note('no_response')

  assert.deepEqual(await noted(), first)
})

test('a paused provider is not usable, and a resumed provider is', async (t) => {
  const malipo = await payingMalipo(t)
  const { health } = malipo.ctx
  const isUsable = () => health.isUsable('sandbox', 'house')

  await malipo.operator.providers.pause('house', { env: 'sandbox', reason: 'maintenance' })
  await until('it to be seen', () => !isUsable())
  assert.equal(health.isPaused('sandbox', 'house'), true)
  await malipo.operator.providers.resume('house', { env: 'sandbox', reason: 'maintenance' })
  await until('it to be seen', isUsable)
  assert.equal(health.isPaused('sandbox', 'house'), false)
})

test('a refusal is a response; silence and a server error are not; an unsent request is neither', () => {
  const because = (cause: 'not_reached' | 'rate_limited' | 'closed' | 'unwritable') =>
    replyOf({ certainty: 'definitely_not_submitted', cause, detail: '' })

  assert.equal(because('not_reached'), 'no_response')
  assert.equal(because('rate_limited'), 'responded')
  assert.equal(because('closed'), 'responded')
  assert.equal(because('unwritable'), undefined)
  assert.equal(replyOf({ certainty: 'unknown', cause: 'timeout', detail: '' }), 'no_response')
  assert.equal(replyOf({ certainty: 'unknown', cause: 'repeated', detail: '' }), 'responded')
  assert.equal(replyOf({ certainty: 'accepted', providerStatus: { state: 'submitted' } }), 'responded')
})
