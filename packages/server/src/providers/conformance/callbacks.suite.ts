import assert from 'node:assert/strict'
import { until } from '../../dev-stack/until.ts'
import type { InboundRequest } from '../contract.ts'
import {
  accepted,
  amountReported,
  type Bench,
  type Case,
  callbacksFor,
  type Flow,
  found,
  fulfil,
  movedOnce,
  observationsOf,
  read,
  settle,
  strike,
  succeeded,
  type Trial,
  unknown,
} from './bench.suite.ts'
import { endsByItself } from './query.suite.ts'

const areKnown = (_: Flow, { callbacks }: Bench) => callbacks?.areKnown

/** How a connector reads callbacks. Only a signature by the provider, for this exact request and still fresh, is proof. */
const cases: readonly Case[] = [
  {
    guarantee: 'a success callback names the payment and exactly what moved',
    run: async (flow, bench) => {
      const { trial, request } = await calledBack(flow, bench)

      const observations = await observationsOf(bench, request)
      assert.equal(observations.key, trial.ref.key)
      succeeded(observations.providerStatus, trial.ref)
    },
  },
  {
    guarantee: 'a failure callback names the payment and the reason',
    needs: ({ examples }) => Object.keys(examples.fails).length > 0,
    run: async ({ examples }, bench) => {
      const [[code, make] = []] = Object.entries(examples.fails)
      const trial = make?.()
      assert.ok(trial)
      await trial.submit()
      await settle(bench)

      const { key, providerStatus } = await observationsOf(bench, (await callbacksFor(bench, trial))[0])
      assert.equal(key, trial.ref.key)
      assert.equal(providerStatus.state === 'failed' && providerStatus.failure.code, code)
    },
  },
  {
    guarantee: 'a callback reports the outcome after the response to the submission is lost',
    run: async (flow, bench) => {
      const trial = flow.examples.succeeds()
      await strike(bench, flow, trial, { mode: 'drop_after_processing' })
      unknown(await trial.submit())
      await fulfil(bench, flow, trial)

      const observations = await observationsOf(bench, (await callbacksFor(bench, trial))[0])
      succeeded(observations.providerStatus, trial.ref)
      await movedOnce(bench, trial)
    },
  },
  {
    guarantee: 'a callback delivered twice yields the same observation twice',
    run: async (flow, bench) => {
      const { trial } = await calledBack(flow, bench, { mode: 'callback_duplicate' })

      const requests = await callbacksFor(bench, trial, 2)
      const observations = await Promise.all(requests.map((request) => observationsOf(bench, request)))
      assert.equal(observations.length, 2)
      assert.deepEqual(observations[0], observations[1])
      await movedOnce(bench, trial)
    },
  },
  {
    guarantee: 'a callback before the response to the submission disturbs neither',
    needs: endsByItself,
    run: async (flow, bench) => {
      const trial = flow.examples.succeeds()
      await strike(bench, flow, trial, { mode: 'callback_before_response' })

      const submitted = trial.submit()
      const [request] = await callbacksFor(bench, trial)
      succeeded((await observationsOf(bench, request)).providerStatus, trial.ref)
      accepted(await submitted)
      succeeded(found(await trial.query()), trial.ref)
      await movedOnce(bench, trial)
    },
  },
  {
    guarantee: 'a late callback still counts, and a query replaces a callback that never comes',
    run: async (flow, bench) => {
      const [late, never] = [flow.examples.succeeds(), flow.examples.succeeds()]
      await strike(bench, flow, late, { mode: 'callback_late', delayMs: 600_000 })
      await strike(bench, flow, never, { mode: 'callback_never' })
      for (const trial of [late, never]) {
        accepted(await trial.submit())
        await fulfil(bench, flow, trial)
      }

      for (const trial of [late, never]) succeeded(found(await trial.query()), trial.ref)
      assert.equal(bench.inbox.received.filter(({ body }) => body.includes(late.ref.key)).length, 0)
      await bench.control.advance(600_000)
      succeeded((await observationsOf(bench, (await callbacksFor(bench, late))[0])).providerStatus, late.ref)
      assert.equal(bench.inbox.received.filter(({ body }) => body.includes(never.ref.key)).length, 0)
    },
  },
  {
    guarantee: 'callbacks in the wrong order each report their own status',
    needs: endsByItself,
    run: async (flow, bench) => {
      const trial = flow.examples.succeeds()
      await strike(bench, flow, trial, { mode: 'flap', delayMs: 1000 })
      await strike(bench, flow, trial, { mode: 'callback_reorder' })
      await trial.submit()
      await settle(bench)
      await bench.control.advance(1000)

      const requests = await callbacksFor(bench, trial, 2)
      const [first, second] = await Promise.all(requests.map((request) => observationsOf(bench, request)))
      assert.ok(first && second)
      succeeded(first.providerStatus, trial.ref)
      assert.equal(second.providerStatus.state, 'failed')
    },
  },
  {
    guarantee: 'a callback with a wrong amount reports that amount, and a query reports the true one',
    run: async (flow, bench) => {
      const { trial, request } = await calledBack(flow, bench, { mode: 'callback_wrong_amount' })

      const { key, providerStatus } = await observationsOf(bench, request)
      assert.equal(key, trial.ref.key)
      assert.notEqual(amountReported(providerStatus), trial.ref.amount)
      succeeded(found(await trial.query()), trial.ref)
    },
  },
  {
    guarantee: 'a callback about an unknown payment names that payment and no other',
    run: async (flow, bench) => {
      const trial = flow.examples.succeeds()
      await strike(bench, flow, trial, { mode: 'callback_unknown_reference' })
      accepted(await trial.submit())
      await fulfil(bench, flow, trial)

      const [sent] = await bench.control.callbacks(trial.ref.key)
      const request = await until('it', () => bench.inbox.received.find(({ body }) => String(body) === sent?.body))
      assert.notEqual((await observationsOf(bench, request)).key, trial.ref.key)
    },
  },
  {
    guarantee: 'a forged callback is refused, and the genuine one that follows is accepted',
    needs: areKnown,
    run: async (flow, bench) => {
      const { trial, request } = await calledBack(flow, bench, { mode: 'callback_bad_signature', count: 1 })

      assert.equal((await read(bench, request)).isGenuine, false)
      await bench.control.resendCallback(trial.ref.key)
      const requests = await callbacksFor(bench, trial, 2)
      succeeded((await observationsOf(bench, requests[1])).providerStatus, trial.ref)
    },
  },
  {
    guarantee: 'a callback altered in transit or copied from another request is never proof',
    run: async (flow, bench) => {
      const { trial, request } = await calledBack(flow, bench)
      const other = await calledBack(flow, bench)
      assert.ok((await read(bench, request)).isGenuine)

      const moved = bench.callbacks?.arePathBound ? elsewhere(request) : {}
      for (const [name, changed] of Object.entries({ ...forgeries(request, other.request, trial), ...moved })) {
        const reading = await read(bench, changed)
        assert.ok(!(reading.isGenuine && reading.isProof), name)
        if (bench.callbacks?.areProof) assert.ok(!reading.isGenuine, name)
      }
    },
  },
  {
    guarantee: 'an old callback that is replayed is refused',
    needs: (_, { callbacks }) => callbacks?.aging,
    run: async (flow, bench) => {
      const { request } = await calledBack(flow, bench)
      const { ageMaxMs = 0, moveClock } = bench.callbacks?.aging ?? {}

      assert.equal((await read(bench, request)).isGenuine, true)
      moveClock?.(ageMaxMs)
      assert.equal((await read(bench, request)).isGenuine, false)
      moveClock?.(-ageMaxMs)
    },
  },
  {
    guarantee: 'a callback reports the address of the operator’s page',
    needs: ({ examples }) => examples.redirects,
    run: async ({ examples }, bench) => {
      const trial = examples.redirects?.()
      assert.ok(trial)
      await trial.submit()
      await settle(bench)

      const { providerStatus } = await observationsOf(bench, (await callbacksFor(bench, trial))[0])
      assert.ok(providerStatus.state === 'waiting' && providerStatus.action.kind === 'redirect')
      await bench.control.act(trial.ref.key, 'decline')
      const [, last] = await callbacksFor(bench, trial, 2)
      assert.equal((await observationsOf(bench, last)).providerStatus.state, 'failed')
    },
  },
]

/** Run for every connector with callbacks. */
export const callbackCases: readonly Case[] = cases.map((each) => ({
  ...each,
  needs: (flow, bench) => bench.callbacks && (each.needs === undefined || each.needs(flow, bench)),
}))

/** A successful payment and the first callback about it. */
async function calledBack(
  flow: Flow,
  bench: Bench,
  fault?: Parameters<typeof strike>[3],
): Promise<{ trial: Trial; request: InboundRequest }> {
  const trial = flow.examples.succeeds()
  if (fault) await strike(bench, flow, trial, fault)
  accepted(await trial.submit())
  await fulfil(bench, flow, trial)
  const [request] = await callbacksFor(bench, trial)
  assert.ok(request)
  return { trial, request }
}

/** Everything an attacker could try with one genuine callback. */
function forgeries(good: InboundRequest, other: InboundRequest, { ref }: Trial): Record<string, InboundRequest> {
  const otherKey = ref.key.replace(/^.{8}/, 'deadbeef')
  return {
    'another payment': { ...good, body: Buffer.from(good.body.toString().replaceAll(ref.key, otherKey)) },
    'another amount': {
      ...good,
      body: Buffer.from(good.body.toString().replace(/"amount"\s*:\s*"?(?=\d)/, (start) => `${start}9`)),
    },
    'another payment’s body': { ...good, body: other.body },
    'another payment’s headers': { ...good, headers: other.headers },
    'no headers': { ...good, headers: { 'content-type': 'application/json' } },
    'an empty body': { ...good, body: Buffer.alloc(0) },
  }
}

function elsewhere(good: InboundRequest): Record<string, InboundRequest> {
  return {
    'another path': { ...good, path: `${good.path}/elsewhere` },
    'another method': { ...good, method: 'PUT' },
  }
}
