import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import {
  accepted,
  type Bench,
  fulfil,
  type Lane,
  movedOnce,
  stillOpen,
  strike,
  type Trial,
  unknown,
} from './bench.suite.ts'
import { flutterwaveBench, houseBench, pawapayBench } from './benches.suite.ts'
import { lanesOf } from './lanes.suite.ts'

/** How long the service waits for a response. Real time: nothing in between may time out earlier. */
const patienceMs = 35_000
const benches: Readonly<Record<string, (t: TestContext) => Promise<Bench>>> = {
  pawaPay: (t) => pawapayBench(t, {}),
  house: (t) => houseBench(t, 'momo'),
  Flutterwave: flutterwaveBench,
}

test('a connector waits for a slow response, and a 503 after 28 seconds is unknown', {
  concurrency: true,
}, async (t) => {
  const running = Object.entries(benches).map(([name, setup]) =>
    t.test(name, { concurrency: true }, async (each) => {
      const bench = await setup(each)
      const lanes = lanesOf(bench)
      const answered = lanes.flatMap((lane) => [9000, 28_000].map((ms) => answersAfter(bench, lane, ms)))
      const others = lanes.flatMap((lane) => [unavailableAfter(bench, lane), stepAfter(bench, lane)])
      await Promise.all([...answered, ...others])
      for (const { lane, trial } of await Promise.all(answered)) {
        await fulfil(bench, lane, trial)
        await movedOnce(bench, trial)
      }
    }),
  )
  await Promise.all(running)
})

async function answersAfter(bench: Bench, lane: Lane, delayMs: number): Promise<{ lane: Lane; trial: Trial }> {
  const trial = lane.examples.succeeds()
  await strike(bench, lane, trial, { mode: 'latency', delayMs })

  const begunAt = Date.now()
  accepted(await trial.submit(AbortSignal.timeout(patienceMs)))
  assert.ok(Date.now() - begunAt >= delayMs - 100)
  return { lane, trial }
}

/** A provider responds like this when its own partner times out: the money may already have moved. */
async function unavailableAfter(bench: Bench, lane: Lane): Promise<void> {
  const trial = lane.examples.succeeds()
  await strike(bench, lane, trial, { mode: 'latency', delayMs: 28_000 })
  await strike(bench, lane, trial, { mode: 'http_status', status: 503, moment: 'after' })

  assert.equal(unknown(await trial.submit(AbortSignal.timeout(patienceMs))), 'server_error')
  await stillOpen(lane, trial)
}

async function stepAfter(bench: Bench, lane: Lane): Promise<void> {
  const trial = lane.cards?.asksPin()
  if (!trial || !lane.cards) return
  accepted(await trial.submit())
  await strike(bench, lane, trial, { mode: 'latency', delayMs: 28_000, on: 'authorise' })

  const answer = { kind: 'pin', value: lane.cards.values.pin } as const
  const outcome = await trial.authorise(answer, { signal: AbortSignal.timeout(patienceMs) })
  assert.ok(
    outcome.certainty === 'accepted' &&
      outcome.providerStatus.state === 'waiting' &&
      outcome.providerStatus.action.kind === 'otp',
  )
}
