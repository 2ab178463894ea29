import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import {
  accepted,
  type Bench,
  type Flow,
  fulfil,
  movedOnce,
  stillOpen,
  strike,
  type Trial,
  unknown,
} from './bench.suite.ts'
import { flutterwaveBench, houseBench, pawapayBench } from './benches.suite.ts'
import { flowsOf } from './flows.suite.ts'

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
      const flows = flowsOf(bench)
      const answered = flows.flatMap((flow) => [9000, 28_000].map((ms) => answersAfter(bench, flow, ms)))
      const others = flows.flatMap((flow) => [unavailableAfter(bench, flow), stepAfter(bench, flow)])
      await Promise.all([...answered, ...others])
      for (const { flow, trial } of await Promise.all(answered)) {
        await fulfil(bench, flow, trial)
        await movedOnce(bench, trial)
      }
    }),
  )
  await Promise.all(running)
})

async function answersAfter(bench: Bench, flow: Flow, delayMs: number): Promise<{ flow: Flow; trial: Trial }> {
  const trial = flow.examples.succeeds()
  await strike(bench, flow, trial, { mode: 'latency', delayMs })

  const begunAt = Date.now()
  accepted(await trial.submit(AbortSignal.timeout(patienceMs)))
  assert.ok(Date.now() - begunAt >= delayMs - 100)
  return { flow, trial }
}

/** A provider responds like this when its own partner times out: the money may already have moved. */
async function unavailableAfter(bench: Bench, flow: Flow): Promise<void> {
  const trial = flow.examples.succeeds()
  await strike(bench, flow, trial, { mode: 'latency', delayMs: 28_000 })
  await strike(bench, flow, trial, { mode: 'http_status', status: 503, moment: 'after' })

  assert.equal(unknown(await trial.submit(AbortSignal.timeout(patienceMs))), 'server_error')
  await stillOpen(flow, trial)
}

async function stepAfter(bench: Bench, flow: Flow): Promise<void> {
  const trial = flow.cards?.asksPin()
  if (!trial || !flow.cards) return
  accepted(await trial.submit())
  await strike(bench, flow, trial, { mode: 'latency', delayMs: 28_000, on: 'authorise' })

  const answer = { kind: 'pin', value: flow.cards.values.pin } as const
  const outcome = await trial.authorise(answer, { signal: AbortSignal.timeout(patienceMs) })
  assert.ok(
    outcome.certainty === 'accepted' &&
      outcome.providerStatus.state === 'waiting' &&
      outcome.providerStatus.action.kind === 'otp',
  )
}
