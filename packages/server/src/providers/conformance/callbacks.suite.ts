import assert from 'node:assert/strict'
import { until } from '../../dev-stack/until.ts'
import type { InboundRequest } from '../contract.ts'
import {
  accepted,
  amountTold,
  type Bench,
  type Case,
  callbacksFor,
  found,
  fulfil,
  type Lane,
  movedOnce,
  newsOf,
  read,
  settle,
  strike,
  succeeded,
  type Trial,
  unknown,
} from './bench.suite.ts'
import { endsByItself } from './query.suite.ts'

const areKnown = (_: Lane, { callbacks }: Bench) => callbacks?.areKnown

/** What a connector makes of callbacks. Only what the provider signed, for this very request and now, is proof. */
const cases: readonly Case[] = [
  {
    guarantee: 'a callback of success names the payment and exactly what moved',
    run: async (lane, bench) => {
      const { trial, request } = await calledBack(lane, bench)

      const news = await newsOf(bench, request)
      assert.equal(news.key, trial.ref.key)
      succeeded(news.said, trial.ref)
    },
  },
  {
    guarantee: 'a callback of failure names the payment and the reason',
    needs: ({ examples }) => Object.keys(examples.fails).length > 0,
    run: async ({ examples }, bench) => {
      const [[code, make] = []] = Object.entries(examples.fails)
      const trial = make?.()
      assert.ok(trial)
      await trial.submit()
      await settle(bench)

      const { key, said } = await newsOf(bench, (await callbacksFor(bench, trial))[0])
      assert.equal(key, trial.ref.key)
      assert.equal(said.state === 'failed' && said.failure.code, code)
    },
  },
  {
    guarantee: 'after a lost answer the callback tells',
    run: async (lane, bench) => {
      const trial = lane.examples.succeeds()
      await strike(bench, lane, trial, { mode: 'drop_after_processing' })
      unknown(await trial.submit())
      await fulfil(bench, lane, trial)

      const news = await newsOf(bench, (await callbacksFor(bench, trial))[0])
      succeeded(news.said, trial.ref)
      await movedOnce(bench, trial)
    },
  },
  {
    guarantee: 'a callback said twice says the same twice',
    run: async (lane, bench) => {
      const { trial } = await calledBack(lane, bench, { mode: 'callback_duplicate' })

      const requests = await callbacksFor(bench, trial, 2)
      const news = await Promise.all(requests.map((request) => newsOf(bench, request)))
      assert.equal(news.length, 2)
      assert.deepEqual(news[0], news[1])
      await movedOnce(bench, trial)
    },
  },
  {
    guarantee: 'a callback that comes before the answer to the submission disturbs neither',
    needs: endsByItself,
    run: async (lane, bench) => {
      const trial = lane.examples.succeeds()
      await strike(bench, lane, trial, { mode: 'callback_before_response' })

      const submitted = trial.submit()
      const [request] = await callbacksFor(bench, trial)
      succeeded((await newsOf(bench, request)).said, trial.ref)
      accepted(await submitted)
      succeeded(found(await trial.query()), trial.ref)
      await movedOnce(bench, trial)
    },
  },
  {
    guarantee: 'a callback that comes late is as good as any, and one that never comes is made up for by asking',
    run: async (lane, bench) => {
      const [late, never] = [lane.examples.succeeds(), lane.examples.succeeds()]
      await strike(bench, lane, late, { mode: 'callback_late', delayMs: 600_000 })
      await strike(bench, lane, never, { mode: 'callback_never' })
      for (const trial of [late, never]) {
        accepted(await trial.submit())
        await fulfil(bench, lane, trial)
      }

      for (const trial of [late, never]) succeeded(found(await trial.query()), trial.ref)
      assert.equal(bench.inbox.received.filter(({ body }) => body.includes(late.ref.key)).length, 0)
      await bench.control.advance(600_000)
      succeeded((await newsOf(bench, (await callbacksFor(bench, late))[0])).said, late.ref)
      assert.equal(bench.inbox.received.filter(({ body }) => body.includes(never.ref.key)).length, 0)
    },
  },
  {
    guarantee: 'callbacks in the wrong order each say what they say',
    needs: endsByItself,
    run: async (lane, bench) => {
      const trial = lane.examples.succeeds()
      await strike(bench, lane, trial, { mode: 'flap', delayMs: 1000 })
      await strike(bench, lane, trial, { mode: 'callback_reorder' })
      await trial.submit()
      await settle(bench)
      await bench.control.advance(1000)

      const requests = await callbacksFor(bench, trial, 2)
      const [first, second] = await Promise.all(requests.map((request) => newsOf(bench, request)))
      assert.ok(first && second)
      succeeded(first.said, trial.ref)
      assert.equal(second.said.state, 'failed')
    },
  },
  {
    guarantee: 'a callback of another amount says that amount, for us to compare, and asking tells the true one',
    run: async (lane, bench) => {
      const { trial, request } = await calledBack(lane, bench, { mode: 'callback_wrong_amount' })

      const { key, said } = await newsOf(bench, request)
      assert.equal(key, trial.ref.key)
      assert.notEqual(amountTold(said), trial.ref.amount)
      succeeded(found(await trial.query()), trial.ref)
    },
  },
  {
    guarantee: 'a callback about a payment that is not ours names that payment and no other',
    run: async (lane, bench) => {
      const trial = lane.examples.succeeds()
      await strike(bench, lane, trial, { mode: 'callback_unknown_reference' })
      accepted(await trial.submit())
      await fulfil(bench, lane, trial)

      const [sent] = await bench.control.callbacks(trial.ref.key)
      const request = await until('it', () => bench.inbox.received.find(({ body }) => String(body) === sent?.body))
      assert.notEqual((await newsOf(bench, request)).key, trial.ref.key)
    },
  },
  {
    guarantee: 'a callback that somebody forged is refused, and the genuine one that follows is not',
    needs: areKnown,
    run: async (lane, bench) => {
      const { trial, request } = await calledBack(lane, bench, { mode: 'callback_bad_signature', count: 1 })

      assert.equal((await read(bench, request)).isGenuine, false)
      await bench.control.resendCallback(trial.ref.key)
      const requests = await callbacksFor(bench, trial, 2)
      succeeded((await newsOf(bench, requests[1])).said, trial.ref)
    },
  },
  {
    guarantee: 'a callback that was changed on the way, or taken from another request, is never proof',
    run: async (lane, bench) => {
      const { trial, request } = await calledBack(lane, bench)
      const other = await calledBack(lane, bench)
      assert.ok((await read(bench, request)).isGenuine)

      const moved = bench.callbacks?.arePathBound ? elsewhere(request) : {}
      for (const [name, changed] of Object.entries({ ...forgeries(request, other.request, trial), ...moved })) {
        const verdict = await read(bench, changed)
        assert.ok(!(verdict.isGenuine && verdict.isProof), name)
        if (bench.callbacks?.areProof) assert.ok(!verdict.isGenuine, name)
      }
    },
  },
  {
    guarantee: 'a callback that is kept and sent again when it is old is refused',
    needs: (_, { callbacks }) => callbacks?.aging,
    run: async (lane, bench) => {
      const { request } = await calledBack(lane, bench)
      const { ageMaxMs = 0, moveClock } = bench.callbacks?.aging ?? {}

      assert.equal((await read(bench, request)).isGenuine, true)
      moveClock?.(ageMaxMs)
      assert.equal((await read(bench, request)).isGenuine, false)
      moveClock?.(-ageMaxMs)
    },
  },
  {
    guarantee: 'a callback tells the address of the operator’s page',
    needs: ({ examples }) => examples.redirects,
    run: async ({ examples }, bench) => {
      const trial = examples.redirects?.()
      assert.ok(trial)
      await trial.submit()
      await settle(bench)

      const { said } = await newsOf(bench, (await callbacksFor(bench, trial))[0])
      assert.ok(said.state === 'waiting' && said.action.kind === 'redirect')
      await bench.control.act(trial.ref.key, 'decline')
      const [, last] = await callbacksFor(bench, trial, 2)
      assert.equal((await newsOf(bench, last)).said.state, 'failed')
    },
  },
]

/** Asked of every connector that has callbacks at all. */
export const callbackCases: readonly Case[] = cases.map((each) => ({
  ...each,
  needs: (lane, bench) => bench.callbacks && (each.needs === undefined || each.needs(lane, bench)),
}))

/** A payment that succeeded, and the first callback about it. */
async function calledBack(
  lane: Lane,
  bench: Bench,
  fault?: Parameters<typeof strike>[3],
): Promise<{ trial: Trial; request: InboundRequest }> {
  const trial = lane.examples.succeeds()
  if (fault) await strike(bench, lane, trial, fault)
  accepted(await trial.submit())
  await fulfil(bench, lane, trial)
  const [request] = await callbacksFor(bench, trial)
  assert.ok(request)
  return { trial, request }
}

/** Everything a thief of one genuine callback could try with it. */
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
