import assert from 'node:assert/strict'
import { inspect } from 'node:util'
import type { FaultOrder } from '../../dev-stack/simulator.ts'
import {
  accepted,
  type Bench,
  type Case,
  type Flow,
  found,
  fulfil,
  isOpen,
  movedNothing,
  movedOnce,
  notSubmitted,
  sentAgain,
  settle,
  stillOpen,
  strike,
  succeeded,
  type Trial,
  timesSent,
  unknown,
} from './bench.suite.ts'

const hasFailures = ({ examples }: Flow) => Object.keys(examples.fails).length > 0

/** The outcome of a submission for every kind of response. Money moves at most once, whatever the connector does. */
export const submitCases: readonly Case[] = [
  {
    guarantee: 'a payment is accepted, then succeeds, and moves exactly its amount once',
    run: async (flow, bench) => {
      const trial = flow.examples.succeeds()

      accepted(await trial.submit())
      await stillOpen(flow, trial)
      await movedNothing(bench, trial)

      await fulfil(bench, flow, trial)
      succeeded(found(await trial.query()), trial.ref)
      await movedOnce(bench, trial)
    },
  },
  {
    guarantee: 'every published failure is reported with its own code, and no money moves',
    needs: hasFailures,
    run: async ({ examples }, bench) => {
      for (const [code, make] of Object.entries(examples.fails)) {
        const trial = make()

        const outcome = await trial.submit()
        await settle(bench)

        const providerStatus = outcome.certainty === 'definitely_failed' ? undefined : found(await trial.query())
        const failure =
          outcome.certainty === 'definitely_failed'
            ? outcome.failure
            : providerStatus?.state === 'failed' && providerStatus.failure
        assert.ok(failure, `${code}, not ${inspect(providerStatus)}`)
        assert.ok(
          !(providerStatus?.state === 'failed' && providerStatus.isOurShortfall),
          `${code} is not about our money`,
        )
        assert.equal(failure.code, code)
        assert.ok(failure.message.length > 0)
        await movedNothing(bench, trial)
      }
    },
  },
  {
    guarantee: 'one key submitted five times at once moves money once',
    run: async (flow, bench) => {
      const trial = flow.examples.succeeds()

      const outcomes = await Promise.all(Array.from({ length: 5 }, () => trial.submit()))
      assert.ok(outcomes.some(({ certainty }) => certainty === 'accepted'))
      for (const outcome of outcomes) sentAgain(outcome)

      await fulfil(bench, flow, trial)
      succeeded(found(await trial.query()), trial.ref)
      await movedOnce(bench, trial)
    },
  },
  {
    guarantee: 'a key submitted again after its end makes no new payment and moves nothing more',
    run: async (flow, bench) => {
      const won = flow.examples.succeeds()
      const lost = Object.values(flow.examples.fails).map((make) => make())
      const trials = [won, ...lost]
      for (const trial of trials) await trial.submit()
      await fulfil(bench, flow, won)
      const before = await Promise.all(trials.map((trial) => trial.query()))

      for (const trial of trials) sentAgain(await trial.submit())
      await settle(bench)
      const after = await Promise.all(trials.map((trial) => trial.query()))
      assert.deepEqual(after, before)
      await movedOnce(bench, won)
      for (const trial of lost) await movedNothing(bench, trial)
    },
  },
  {
    guarantee: 'the connector sends once and never retries by itself, whatever happens to the request',
    run: async (flow, bench) => {
      const modes = [
        'drop_before_processing',
        'drop_after_processing',
        'half_response',
        'html_503',
        'rate_limited',
      ] as const
      for (const mode of modes) {
        const trial = flow.examples.succeeds()
        await strike(bench, flow, trial, { mode })

        await trial.submit()
        assert.equal(await timesSent(bench, flow, trial), 1, mode)
      }
    },
  },
  {
    guarantee: 'a payment the provider cannot do is refused before anything is sent',
    run: async (flow, bench) => {
      for (const [name, trial] of Object.entries(flow.impossible)) {
        assert.equal(notSubmitted(await trial.submit()), 'unwritable', name)
        assert.equal(await timesSent(bench, flow, trial), 0, name)
      }
    },
  },
  {
    guarantee: 'a submission without a connection is not submitted, and a query is unclear',
    run: async ({ lost }) => {
      assert.equal(notSubmitted(await lost.submit()), 'not_reached')
      assert.equal((await lost.query()).found, 'unclear')
    },
  },
  {
    guarantee: 'a connection cut before processing is unknown, and the same key sent again pays once',
    run: async (flow, bench) => {
      const trial = flow.examples.succeeds()
      await strike(bench, flow, trial, { mode: 'drop_before_processing' })

      assert.equal(unknown(await trial.submit()), 'broken_off')
      assert.deepEqual(await trial.query(), { found: 'no' })
      accepted(await trial.submit())

      await fulfil(bench, flow, trial)
      await movedOnce(bench, trial)
    },
  },
  ...lostResponses().map(({ name, fault, cause }) => ({
    guarantee: `${name} after processing is unknown; a query finds it, a resend moves nothing more`,
    run: async (flow: Flow, bench: Bench) => {
      const trial = flow.examples.succeeds()
      await strike(bench, flow, trial, fault)

      assert.equal(unknown(await trial.submit()), cause)
      await stillOpen(flow, trial)
      sentAgain(await trial.submit())

      await fulfil(bench, flow, trial)
      succeeded(found(await trial.query()), trial.ref)
      await movedOnce(bench, trial)
    },
  })),
  {
    guarantee: 'a timeout is unknown, whatever the provider did with the request',
    run: async (flow, bench) => {
      const trial = flow.examples.succeeds()
      await strike(bench, flow, trial, { mode: 'latency', delayMs: 3_600_000 })

      assert.equal(unknown(await trial.submit(AbortSignal.timeout(200))), 'timeout')
      await bench.control.advance(3_600_000) // The provider processes the request now.
      sentAgain(await trial.submit())
      await fulfil(bench, flow, trial)
      await movedOnce(bench, trial)
    },
  },
  {
    guarantee: 'a server error before processing is still unknown',
    run: async (flow, bench) => {
      for (const status of [500, 502, 503, 504]) {
        const trial = flow.examples.succeeds()
        await strike(bench, flow, trial, { mode: 'http_status', status, moment: 'before' })

        assert.equal(unknown(await trial.submit()), 'server_error')
        await movedNothing(bench, trial)
      }
    },
  },
  {
    guarantee: 'a refusal with an undocumented reason is unknown, on the first attempt and on a resend',
    needs: ({ operation }, { refusesInSentences }) => !refusesInSentences || operation === 'payout',
    run: async (flow, bench) => {
      const trial = flow.examples.succeeds()
      await strike(bench, flow, trial, { mode: 'unknown_words' })
      assert.match(unknown(await trial.submit()), /^(unreadable|refused)$/)
      await movedNothing(bench, trial)

      await strike(bench, flow, trial, { mode: 'drop_after_processing' })
      assert.equal(unknown(await trial.submit()), 'broken_off')
      await strike(bench, flow, trial, { mode: 'unknown_words' })
      assert.match(unknown(await trial.submit()), /^(unreadable|refused)$/)
      await fulfil(bench, flow, trial)
      await movedOnce(bench, trial)
    },
  },
  {
    guarantee: 'a charge refused with any other sentence is not submitted',
    needs: ({ operation }, { refusesInSentences }) => refusesInSentences && operation === 'charge',
    run: (flow, bench) => refusedOnce(flow, bench, { mode: 'unknown_words' }, 'rejected'),
  },
  {
    guarantee: 'a duplicate key refused in undocumented words is unknown, and the payment is found',
    needs: (_, { refusesInSentences }) => refusesInSentences,
    run: async (flow, bench) => {
      const trial = flow.examples.succeeds()
      const code = 'Kindly supply another transaction reference'
      await strike(bench, flow, trial, { mode: 'unknown_words', moment: 'after', code })

      assert.equal(unknown(await trial.submit()), 'repeated')
      await stillOpen(flow, trial)
      await fulfil(bench, flow, trial)
      await movedOnce(bench, trial)
    },
  },
  {
    guarantee: 'a payment refused by validation fails with its code, and the provider keeps nothing',
    needs: ({ examples }) => Object.keys(examples.refused ?? {}).length > 0,
    run: async ({ examples }, bench) => {
      for (const [code, make] of Object.entries(examples.refused ?? {})) {
        const trial = make()

        const outcome = await trial.submit()
        assert.ok(outcome.certainty === 'definitely_failed', `${code}, not ${inspect(outcome)}`)
        assert.equal(outcome.failure.code, code)
        await settle(bench)
        assert.deepEqual(await trial.query(), { found: 'no' })
        await movedNothing(bench, trial)
      }
    },
  },
  {
    guarantee: 'a payment is not submitted while our account is blocked, and its key goes through later',
    run: (flow, bench) => refusedOnce(flow, bench, { mode: 'account_not_allowed' }, 'rejected'),
  },
  {
    guarantee: 'an undocumented HTTP status is unknown',
    run: async (flow, bench) => {
      for (const status of [302, 404, 405, 409, 413, 418, 422]) {
        const trial = flow.examples.succeeds()
        await strike(bench, flow, trial, { mode: 'http_status', status, moment: 'before' })

        assert.equal(unknown(await trial.submit()), 'unreadable', `HTTP ${status}`)
        await movedNothing(bench, trial)
      }
    },
  },
  {
    guarantee: 'expired credentials submit nothing, and the same key goes through with valid ones',
    run: (flow, bench) => refusedOnce(flow, bench, { mode: 'token_expired' }, 'rejected'),
  },
  {
    guarantee: 'a rate-limited payment is not submitted, and its key goes through later',
    run: (flow, bench) => refusedOnce(flow, bench, { mode: 'rate_limited' }, 'rate_limited'),
  },
  {
    guarantee: 'a closed operator accepts nothing, and the same key goes through once it is open',
    run: (flow, bench) => refusedOnce(flow, bench, { mode: 'operator_closed' }, 'closed'),
  },
  {
    guarantee: 'a payout is not submitted while our float is empty, and its key goes through later',
    needs: ({ operation }, { takesWithoutFloat }) => operation === 'payout' && !takesWithoutFloat,
    run: (flow, bench) => refusedOnce(flow, bench, { mode: 'float_empty' }, 'float_exhausted'),
  },
  {
    guarantee: 'a payout that fails because of our float is reported so, and its key is never paid',
    needs: ({ operation }, { takesWithoutFloat }) => operation === 'payout' && takesWithoutFloat,
    run: async (flow, bench) => {
      const trial = flow.examples.succeeds()
      await strike(bench, flow, trial, { mode: 'float_empty' })

      accepted(await trial.submit())
      await settle(bench)
      const providerStatus = found(await trial.query())
      assert.ok(providerStatus.state === 'failed' && providerStatus.isOurShortfall, inspect(providerStatus))
      sentAgain(await trial.submit())
      await settle(bench)
      assert.deepEqual(found(await trial.query()), providerStatus)
      await movedNothing(bench, trial)
    },
  },
  {
    guarantee: 'a charge at a slow operator is accepted or refused as closed, and a resend pays once',
    needs: ({ operation }) => operation === 'charge',
    run: async (flow, bench) => {
      const trial = flow.examples.succeeds()
      await strike(bench, flow, trial, { mode: 'operator_delayed', seconds: 600 })

      const outcome = await trial.submit()
      if (outcome.certainty === 'accepted') assert.ok(isOpen(outcome.providerStatus))
      else assert.equal(notSubmitted(outcome), 'closed')
      await bench.control.advance(600_000)
      sentAgain(await trial.submit())
      await fulfil(bench, flow, trial)
      await movedOnce(bench, trial)
    },
  },
  {
    guarantee: 'a payout to a slow operator is accepted, waits, and moves money once on its turn',
    needs: ({ operation }) => operation === 'payout',
    run: async (flow, bench) => {
      const trial = flow.examples.succeeds()
      await strike(bench, flow, trial, { mode: 'operator_delayed', seconds: 600 })

      assert.deepEqual(accepted(await trial.submit()), { state: 'submitted' })
      await stillOpen(flow, trial)
      await movedNothing(bench, trial)
      await bench.control.advance(600_000)
      await settle(bench)
      succeeded(found(await trial.query()), trial.ref)
      await movedOnce(bench, trial)
    },
  },
]

interface LostResponse {
  readonly name: string
  readonly fault: Pick<FaultOrder, 'mode' | 'status' | 'moment' | 'body'>
  readonly cause: string
}

export function lostResponses(): readonly LostResponse[] {
  const after = { mode: 'http_status', moment: 'after' } as const
  return [
    { name: 'a connection cut', fault: { mode: 'drop_after_processing' }, cause: 'broken_off' },
    { name: 'half a response', fault: { mode: 'half_response' }, cause: 'broken_off' },
    { name: 'a response that is not JSON', fault: { mode: 'malformed_json' }, cause: 'unreadable' },
    { name: 'a page of HTML with 503', fault: { mode: 'html_503', moment: 'after' }, cause: 'server_error' },
    { name: 'an internal error', fault: { ...after, status: 500 }, cause: 'server_error' },
    { name: 'a bad gateway', fault: { ...after, status: 502 }, cause: 'server_error' },
    { name: 'an empty response', fault: { ...after, status: 200, body: {} }, cause: 'unreadable' },
    { name: 'a list as response', fault: { ...after, status: 200, body: [] }, cause: 'unreadable' },
    {
      name: 'a response for another version',
      fault: { ...after, status: 202, body: { ok: true } },
      cause: 'unreadable',
    },
    { name: 'a refusal without a message', fault: { ...after, status: 400 }, cause: 'unreadable' },
  ]
}

async function refusedOnce(flow: Flow, bench: Bench, fault: Pick<FaultOrder, 'mode'>, cause: string): Promise<void> {
  const trial: Trial = flow.examples.succeeds()
  await strike(bench, flow, trial, fault)

  assert.equal(notSubmitted(await trial.submit()), cause)
  await settle(bench)
  await movedNothing(bench, trial)

  accepted(await trial.submit())
  await fulfil(bench, flow, trial)
  await movedOnce(bench, trial)
}
