import assert from 'node:assert/strict'
import {
  accepted,
  type Case,
  type Flow,
  found,
  fulfil,
  movedNothing,
  movedOnce,
  sentAgain,
  settle,
  stillOpen,
  strike,
  succeeded,
  unknown,
} from './bench.suite.ts'

export const endsByItself = ({ endsBy }: Flow) => endsBy === 'time'

/** How a connector reads query responses. A failed query is never "not found", and silence is never an end. */
export const queryCases: readonly Case[] = [
  {
    guarantee: 'a key the provider never received is not found',
    run: async ({ examples }) => {
      assert.deepEqual(await examples.succeeds().query(), { found: 'no' })
    },
  },
  {
    guarantee: 'a payment that never ends stays open after days of queries and moves no money',
    run: async (flow, bench) => {
      const struck = flow.examples.succeeds()
      await strike(bench, flow, struck, { mode: 'stuck_pending' })

      for (const trial of [flow.examples.stays(), struck]) {
        accepted(await trial.submit())
        for (let day = 0; day < 3; day++) {
          await bench.control.advance(24 * 3600_000)
          await stillOpen(flow, trial)
        }
        await movedNothing(bench, trial)
      }
    },
  },
  {
    guarantee: 'a failed query is unclear, never "not found", and the next query reports the payment',
    run: async (flow, bench) => {
      const trial = flow.examples.succeeds()
      await trial.submit()
      const faults = [
        { mode: 'drop_before_processing' },
        { mode: 'drop_after_processing' },
        { mode: 'half_response' },
        { mode: 'malformed_json' },
        { mode: 'html_503' },
        { mode: 'http_status', status: 500 },
        { mode: 'http_status', status: 404 },
        { mode: 'http_status', status: 404, body: '' },
        { mode: 'http_status', status: 200, body: {} },
        { mode: 'http_status', status: 200, body: [] },
        { mode: 'http_status', status: 204, body: '' },
        { mode: 'token_expired' },
        { mode: 'rate_limited' },
        { mode: 'unknown_words' },
      ] as const

      for (const fault of faults) {
        await strike(bench, flow, trial, { ...fault, on: 'query' })
        assert.equal((await trial.query()).found, 'unclear', fault.mode)
        await stillOpen(flow, trial)
      }
    },
  },
  {
    guarantee: 'a query that times out is unclear',
    run: async (flow, bench) => {
      const trial = flow.examples.succeeds()
      await trial.submit()
      await strike(bench, flow, trial, { mode: 'latency', delayMs: 3_600_000, on: 'query' })

      assert.equal((await trial.query(AbortSignal.timeout(200))).found, 'unclear')
    },
  },
  {
    guarantee: 'an accepted payment may be "not found", but never beyond the not-found window',
    run: async (flow, bench) => {
      const trial = flow.examples.stays()
      await strike(bench, flow, trial, { mode: 'not_found_window', seconds: flow.notFoundWindowMs / 1000 })

      accepted(await trial.submit())
      assert.deepEqual(await trial.query(), { found: 'no' })
      await bench.control.advance(flow.notFoundWindowMs)
      await stillOpen(flow, trial)
    },
  },
  {
    guarantee: 'a key sent again after "not found" moves money once',
    run: async (flow, bench) => {
      const trial = flow.examples.succeeds()
      await strike(bench, flow, trial, { mode: 'not_found_window', seconds: 3600 })
      await strike(bench, flow, trial, { mode: 'drop_after_processing' })

      assert.equal(unknown(await trial.submit()), 'broken_off')
      assert.deepEqual(await trial.query(), { found: 'no' })
      sentAgain(await trial.submit())
      await fulfil(bench, flow, trial)
      await bench.control.advance(3_600_000)
      succeeded(found(await trial.query()), trial.ref)
      await movedOnce(bench, trial)
    },
  },
  {
    guarantee: 'a lagging status is open, not an end',
    run: async (flow, bench) => {
      const trial = flow.examples.succeeds()
      await strike(bench, flow, trial, { mode: 'status_lags_callback', delayMs: 600_000 })
      await trial.submit()

      await fulfil(bench, flow, trial)
      await movedOnce(bench, trial)
      await stillOpen(flow, trial)
      await bench.control.advance(600_000)
      succeeded(found(await trial.query()), trial.ref)
    },
  },
  {
    guarantee: 'a failure that turns into a success is reported as it is each time',
    needs: endsByItself,
    run: async (flow, bench) => {
      const trial = flow.examples.succeeds()
      await strike(bench, flow, trial, { mode: 'flap', delayMs: 600_000 })
      await trial.submit()

      await settle(bench)
      assert.equal(found(await trial.query()).state, 'failed')
      await bench.control.advance(600_000)
      succeeded(found(await trial.query()), trial.ref)
      await movedOnce(bench, trial)
    },
  },
  {
    guarantee: 'a success that was reversed stops being reported as success',
    needs: ({ name }) => name !== 'transfer charge',
    run: async (flow, bench) => {
      const trial = flow.examples.succeeds()
      await strike(bench, flow, trial, { mode: 'reversal_after_success', delayMs: 600_000 })
      await trial.submit()

      await fulfil(bench, flow, trial)
      succeeded(found(await trial.query()), trial.ref)
      await bench.control.advance(600_000)
      const { state } = found(await trial.query())
      assert.ok(state === 'reversed' || state === 'failed')
    },
  },
  {
    guarantee: 'a redirected charge reports the operator’s page once ready, and approval completes it',
    needs: ({ examples }) => examples.redirects,
    run: async ({ examples }, bench) => {
      const trial = examples.redirects?.()
      assert.ok(trial)

      assert.deepEqual(accepted(await trial.submit()), { state: 'submitted' })
      await settle(bench)
      const providerStatus = found(await trial.query())
      assert.ok(providerStatus.state === 'waiting' && providerStatus.action.kind === 'redirect')
      assert.ok(URL.canParse(providerStatus.action.url))
      await bench.control.act(trial.ref.key, 'approve')
      succeeded(found(await trial.query()), trial.ref)
      await movedOnce(bench, trial)
    },
  },
  {
    guarantee: 'a charge with the operator’s code succeeds, and with a wrong code fails',
    needs: ({ examples }) => examples.withCode,
    run: async ({ examples }, bench) => {
      const [right, wrong] = [examples.withCode?.right(), examples.withCode?.wrong()]
      assert.ok(right && wrong)
      for (const trial of [right, wrong]) accepted(await trial.submit())
      await settle(bench)

      succeeded(found(await right.query()), right.ref)
      await movedOnce(bench, right)
      const providerStatus = found(await wrong.query())
      assert.equal(providerStatus.state === 'failed' && providerStatus.failure.code, 'PAYMENT_NOT_APPROVED')
      await movedNothing(bench, wrong)
    },
  },
]
