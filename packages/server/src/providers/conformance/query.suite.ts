import assert from 'node:assert/strict'
import {
  accepted,
  type Case,
  found,
  fulfil,
  type Lane,
  movedNothing,
  movedOnce,
  sentAgain,
  settle,
  stillOpen,
  strike,
  succeeded,
  unknown,
} from './bench.suite.ts'

export const endsByItself = ({ endsBy }: Lane) => endsBy === 'time'

/** What a connector hears when it asks. A question that failed is never "not found", and silence is never an end. */
export const queryCases: readonly Case[] = [
  {
    guarantee: 'a key the provider was never given is not found',
    run: async ({ examples }) => {
      assert.deepEqual(await examples.succeeds().query(), { found: 'no' })
    },
  },
  {
    guarantee: 'a payment that nobody ends stays open however long it is asked about, and moves nothing',
    run: async (lane, bench) => {
      const struck = lane.examples.succeeds()
      await strike(bench, lane, struck, { mode: 'stuck_pending' })

      for (const trial of [lane.examples.stays(), struck]) {
        accepted(await trial.submit())
        for (let day = 0; day < 3; day++) {
          await bench.control.advance(24 * 3600_000)
          await stillOpen(lane, trial)
        }
        await movedNothing(bench, trial)
      }
    },
  },
  {
    guarantee: 'a question that fails is open, never "not found", and the next one tells',
    run: async (lane, bench) => {
      const trial = lane.examples.succeeds()
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
        await strike(bench, lane, trial, { ...fault, on: 'query' })
        assert.equal((await trial.query()).found, 'unclear', fault.mode)
        await stillOpen(lane, trial)
      }
    },
  },
  {
    guarantee: 'a question that is not answered in time is open',
    run: async (lane, bench) => {
      const trial = lane.examples.succeeds()
      await trial.submit()
      await strike(bench, lane, trial, { mode: 'latency', delayMs: 3_600_000, on: 'query' })

      assert.equal((await trial.query(AbortSignal.timeout(200))).found, 'unclear')
    },
  },
  {
    guarantee: 'the provider may say "not found" of what it has taken, but not beyond the window we wait',
    run: async (lane, bench) => {
      const trial = lane.examples.stays()
      await strike(bench, lane, trial, { mode: 'not_found_window', seconds: lane.notFoundWindowMs / 1000 })

      accepted(await trial.submit())
      assert.deepEqual(await trial.query(), { found: 'no' })
      await bench.control.advance(lane.notFoundWindowMs)
      await stillOpen(lane, trial)
    },
  },
  {
    guarantee: 'a key sent again because it was not found moves money once',
    run: async (lane, bench) => {
      const trial = lane.examples.succeeds()
      await strike(bench, lane, trial, { mode: 'not_found_window', seconds: 3600 })
      await strike(bench, lane, trial, { mode: 'drop_after_processing' })

      assert.equal(unknown(await trial.submit()), 'broken_off')
      assert.deepEqual(await trial.query(), { found: 'no' })
      sentAgain(await trial.submit())
      await fulfil(bench, lane, trial)
      await bench.control.advance(3_600_000)
      succeeded(found(await trial.query()), trial.ref)
      await movedOnce(bench, trial)
    },
  },
  {
    guarantee: 'a status that lags behind is open, not an end',
    run: async (lane, bench) => {
      const trial = lane.examples.succeeds()
      await strike(bench, lane, trial, { mode: 'status_lags_callback', delayMs: 600_000 })
      await trial.submit()

      await fulfil(bench, lane, trial)
      await movedOnce(bench, trial)
      await stillOpen(lane, trial)
      await bench.control.advance(600_000)
      succeeded(found(await trial.query()), trial.ref)
    },
  },
  {
    guarantee: 'a failure that turns out to be a success is told both times as it stands',
    needs: endsByItself,
    run: async (lane, bench) => {
      const trial = lane.examples.succeeds()
      await strike(bench, lane, trial, { mode: 'flap', delayMs: 600_000 })
      await trial.submit()

      await settle(bench)
      assert.equal(found(await trial.query()).state, 'failed')
      await bench.control.advance(600_000)
      succeeded(found(await trial.query()), trial.ref)
      await movedOnce(bench, trial)
    },
  },
  {
    guarantee: 'a success that was taken back is no longer told as success',
    needs: ({ name }) => name !== 'transfer charge',
    run: async (lane, bench) => {
      const trial = lane.examples.succeeds()
      await strike(bench, lane, trial, { mode: 'reversal_after_success', delayMs: 600_000 })
      await trial.submit()

      await fulfil(bench, lane, trial)
      succeeded(found(await trial.query()), trial.ref)
      await bench.control.advance(600_000)
      const { state } = found(await trial.query())
      assert.ok(state === 'reversed' || state === 'failed')
    },
  },
  {
    guarantee:
      'a charge that needs the operator’s page gives its address when it is there, and the customer’s yes ends it',
    needs: ({ examples }) => examples.redirects,
    run: async ({ examples }, bench) => {
      const trial = examples.redirects?.()
      assert.ok(trial)

      assert.deepEqual(accepted(await trial.submit()), { state: 'submitted' })
      await settle(bench)
      const said = found(await trial.query())
      assert.ok(said.state === 'waiting' && said.action.kind === 'redirect')
      assert.ok(URL.canParse(said.action.url))
      await bench.control.act(trial.ref.key, 'approve')
      succeeded(found(await trial.query()), trial.ref)
      await movedOnce(bench, trial)
    },
  },
  {
    guarantee: 'a code from the operator lets a charge through, and a wrong one does not',
    needs: ({ examples }) => examples.withCode,
    run: async ({ examples }, bench) => {
      const [right, wrong] = [examples.withCode?.right(), examples.withCode?.wrong()]
      assert.ok(right && wrong)
      for (const trial of [right, wrong]) accepted(await trial.submit())
      await settle(bench)

      succeeded(found(await right.query()), right.ref)
      await movedOnce(bench, right)
      const said = found(await wrong.query())
      assert.equal(said.state === 'failed' && said.failure.code, 'PAYMENT_NOT_APPROVED')
      await movedNothing(bench, wrong)
    },
  },
]
