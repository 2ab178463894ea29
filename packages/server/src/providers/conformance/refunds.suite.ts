import assert from 'node:assert/strict'
import { inspect } from 'node:util'
import type { FaultOrder } from '../../dev-stack/simulator.ts'
import {
  accepted,
  callbacksFor,
  found,
  notSubmitted,
  observationsOf,
  sentAgain,
  settle,
  unknown,
} from './bench.suite.ts'
import {
  booked,
  endsOnce,
  failedRefund,
  type RefundCase,
  type RefundFlow,
  refundedNothing,
  refundedOnce,
  refundTrialOf,
  strikeRefund,
  succeededRefund,
  timesRefunded,
} from './refund-bench.suite.ts'
import { lostResponses } from './submit.suite.ts'

const isKeyed = (flow: RefundFlow) => flow.isKeyed

/** What every provider's refunds guarantee: at most once, whatever is lost, and an end that is known. */
export const refundCases: readonly RefundCase[] = [
  {
    guarantee: 'a refund is accepted, then succeeds, and moves exactly its amount once',
    run: async (flow) => {
      const paid = await flow.pay()
      const refund = paid.refund()

      assert.deepEqual(accepted(await refund.submit()), { state: 'submitted' })
      assert.equal(found(await refund.query()).state, 'submitted')
      await endsOnce(flow, paid, refund)
    },
  },
  {
    guarantee: 'refunds in parts move each part once, and no more than the whole charge',
    run: async (flow) => {
      const paid = await flow.pay()
      const first = paid.refund()
      accepted(await first.submit())
      await endsOnce(flow, paid, first)
      const rest = paid.refund(paid.ref.amount - first.attempt.amount)
      accepted(await rest.submit())
      await endsOnce(flow, paid, rest)

      failedRefund(await paid.refund(paid.whole('1')).submit(), 'CHARGE_NOT_REFUNDABLE')
      assert.equal((await booked(flow, paid)).length, 2)
    },
  },
  {
    guarantee: 'more than the charge collected is refused on the first send',
    run: async (flow) => {
      const paid = await flow.pay()

      failedRefund(await paid.refund(paid.ref.amount + paid.whole('1')).submit(), 'CHARGE_NOT_REFUNDABLE')
      await refundedNothing(flow, paid)
    },
  },
  {
    guarantee: 'a refund that fails is reported so, moves nothing, and does not stop the next one',
    run: async (flow) => {
      const paid = await flow.pay()
      const failing = paid.refund(paid.whole('489'))
      accepted(await failing.submit())
      await settle(flow.bench)

      const status = found(await failing.query())
      assert.ok(status.state === 'failed' && status.failure.message.length > 0, inspect(status))
      assert.ok(flow.isKeyed || status.receipt, 'without a key the receipt distinguishes it from the next refund')
      const [ended] = await booked(flow, paid)
      assert.equal(ended?.state, 'failed')
      paid.receipts.push(status.receipt ?? '')
      const next = paid.refund()
      accepted(await next.submit())
      await endsOnce(flow, paid, next)
    },
  },
  {
    guarantee: 'a refund that stays pending is open for days, and ends when the provider ends it',
    run: async (flow) => {
      const paid = await flow.pay()
      const staying = paid.refund(paid.whole('429'))
      accepted(await staying.submit())
      for (let day = 0; day < 3; day++) {
        await flow.bench.control.advance(24 * 3600_000)
        assert.equal(found(await staying.query()).state, 'submitted')
      }

      await flow.bench.control.act(staying.attempt.key, 'approve')
      await succeededRefund(paid, staying)
    },
  },
  {
    guarantee: 'a refund the provider never received is not found',
    run: async (flow) => {
      assert.deepEqual(await (await flow.pay()).refund().query(), { found: 'no' })
    },
  },
  {
    guarantee: 'a request lost before processing is unknown, and a resend refunds once',
    run: async (flow) => {
      const paid = await flow.pay()
      const refund = paid.refund()
      await strikeRefund(flow, refund, { mode: 'drop_before_processing' })

      assert.equal(unknown(await refund.submit()), 'broken_off')
      assert.deepEqual(await refund.query(), { found: 'no' })
      accepted(await refund.resend())
      await endsOnce(flow, paid, refund)
    },
  },
  ...lostResponses().map(({ name, fault, cause }) => ({
    guarantee: `${name} after processing is unknown; a query finds it, a resend refunds nothing more`,
    run: async (flow: RefundFlow) => {
      const paid = await flow.pay()
      const refund = paid.refund()
      await strikeRefund(flow, refund, fault)

      assert.equal(unknown(await refund.submit()), cause)
      assert.equal(found(await refund.query()).state, 'submitted')
      sentAgain(await refund.resend())
      await endsOnce(flow, paid, refund)
      sentAgain(await refund.resend())
      await settle(flow.bench)
      await refundedOnce(flow, paid, refund)
    },
  })),
  {
    guarantee: 'a process killed while the provider works leaves a refund that a later query finds',
    run: async (flow) => {
      const paid = await flow.pay()
      const refund = paid.refund()
      await strikeRefund(flow, refund, { mode: 'latency', delayMs: 600_000 })

      assert.equal(unknown(await refund.submit(AbortSignal.timeout(500))), 'timeout')
      assert.deepEqual(await refund.query(), { found: 'no' })
      await flow.bench.control.advance(600_000) // The provider processes the request only now, within the window.
      assert.ok(flow.refunds.notFoundWindowMs >= 60_000)
      assert.equal(found(await refund.query()).state, 'submitted')
      sentAgain(await refund.resend())
      await endsOnce(flow, paid, refund)
    },
  },
  {
    guarantee: 'a refund that reads do not show for minutes is found within the window, and once',
    run: async (flow) => {
      const paid = await flow.pay()
      const refund = paid.refund()
      const windowMs = flow.refunds.notFoundWindowMs
      await strikeRefund(flow, refund, { mode: 'not_found_window', seconds: windowMs / 1000 })
      await strikeRefund(flow, refund, { mode: 'drop_after_processing' })

      assert.equal(unknown(await refund.submit()), 'broken_off')
      for (const part of [windowMs / 2, windowMs / 2 - 10_000]) {
        assert.deepEqual(await refund.query(), { found: 'no' })
        await flow.bench.control.advance(part)
      }
      await flow.bench.control.advance(10_000)
      assert.notEqual(found(await refund.query()).state, 'failed')
      sentAgain(await refund.resend())
      await endsOnce(flow, paid, refund)
    },
  },
  {
    guarantee: 'one key submitted five times at once refunds once',
    needs: isKeyed,
    run: async (flow) => {
      const paid = await flow.pay()
      const refund = paid.refund()

      const outcomes = await Promise.all(Array.from({ length: 5 }, () => refund.submit()))
      assert.equal(outcomes.filter(({ certainty }) => certainty === 'accepted').length, 1)
      for (const outcome of outcomes) if (outcome.certainty !== 'accepted') assert.equal(unknown(outcome), 'repeated')
      await endsOnce(flow, paid, refund)
    },
  },
  {
    guarantee: 'a second refund is not submitted while the first is open, and goes through after it',
    needs: (flow) => flow.isKeyed && flow.refunds.takesOneAtATime,
    run: async (flow) => {
      const paid = await flow.pay()
      const [first, second] = [paid.refund(), paid.refund()]
      accepted(await first.submit())

      assert.equal(notSubmitted(await second.submit()), 'closed')
      await endsOnce(flow, paid, first)
      accepted(await second.submit())
      await endsOnce(flow, paid, second)
    },
  },
  {
    guarantee: 'two refunds of one charge are open at once, and their sum stays within the charge',
    needs: (flow) => !flow.refunds.takesOneAtATime,
    run: async (flow) => {
      const paid = await flow.pay()
      const [first, second] = [paid.refund(), paid.refund()]
      for (const each of [first, second]) accepted(await each.submit())

      failedRefund(await paid.refund(paid.ref.amount / 2n).submit(), 'CHARGE_NOT_REFUNDABLE')
      await settle(flow.bench)
      await succeededRefund(paid, first)
      await refundedOnce(flow, paid, second)
    },
  },
  ...[
    { mode: 'float_empty', cause: 'float_exhausted', what: 'our float is empty' },
    { mode: 'operator_closed', cause: 'closed', what: 'the operator is closed' },
    { mode: 'rate_limited', cause: 'rate_limited', what: 'the provider limits our rate' },
    { mode: 'token_expired', cause: 'rejected', what: 'our credentials have expired' },
    { mode: 'account_not_allowed', cause: 'rejected', what: 'our account may not refund' },
  ].map(({ mode, cause, what }) => ({
    guarantee: `a refund is not submitted while ${what}, and goes through later`,
    run: async (flow: RefundFlow) => {
      const paid = await flow.pay()
      const refund = paid.refund()
      await strikeRefund(flow, refund, { mode: mode as FaultOrder['mode'] })

      assert.equal(notSubmitted(await refund.submit()), cause)
      await refundedNothing(flow, paid)
      accepted(await refund.submit())
      await endsOnce(flow, paid, refund)
    },
  })),
  {
    guarantee: 'a server error or an undocumented response is unknown, and the connector sends once',
    run: async (flow) => {
      const faults = [
        ...[500, 502, 503, 504].map((status) => ({ mode: 'http_status', status }) as const),
        ...[302, 404, 409, 418].map((status) => ({ mode: 'http_status', status }) as const),
        { mode: 'unknown_words' } as const,
      ]
      for (const fault of faults) {
        const paid = await flow.pay()
        const refund = paid.refund()
        await strikeRefund(flow, refund, fault)

        unknown(await refund.submit())
        assert.equal(await timesRefunded(flow, refund), 1, inspect(fault))
        await refundedNothing(flow, paid)
      }
    },
  },
  {
    guarantee: 'a failed query is unclear, never "not found"',
    run: async (flow) => {
      const paid = await flow.pay()
      const refund = paid.refund()
      accepted(await refund.submit())
      const faults = [
        { mode: 'drop_after_processing' },
        { mode: 'half_response' },
        { mode: 'malformed_json' },
        { mode: 'html_503' },
        { mode: 'http_status', status: 404 },
        { mode: 'http_status', status: 200, body: {} },
        { mode: 'http_status', status: 200, body: [] },
        { mode: 'token_expired' },
        { mode: 'rate_limited' },
        { mode: 'unknown_words' },
      ] as const

      for (const fault of faults) {
        await strikeRefund(flow, refund, { ...fault, on: 'query' })
        assert.equal((await refund.query()).found, 'unclear', inspect(fault))
      }
      await strikeRefund(flow, refund, { mode: 'latency', delayMs: 3_600_000, on: 'query' })
      assert.equal((await refund.query(AbortSignal.timeout(200))).found, 'unclear')
    },
  },
  {
    guarantee: 'a refund without a connection is not submitted, and a query is unclear',
    run: async (flow) => {
      const { attempt } = (await flow.pay()).refund()
      const lost = refundTrialOf(flow.offline, attempt, flow.bench)

      assert.equal(notSubmitted(await lost.submit()), 'not_reached')
      assert.equal((await lost.query()).found, 'unclear')
    },
  },
  {
    guarantee: 'a refund the provider cannot do is refused before anything is sent',
    run: async (flow) => {
      const paid = await flow.pay()
      for (const amount of [0n, -100n, 10n ** 30n]) {
        const refund = paid.refund(amount)
        assert.equal(notSubmitted(await refund.submit()), 'unwritable')
        assert.equal(await timesRefunded(flow, refund), 0)
      }
    },
  },
  {
    guarantee: 'a refund at a slow operator is open, then moves its amount once',
    run: async (flow) => {
      const paid = await flow.pay()
      const refund = paid.refund()
      await strikeRefund(flow, refund, { mode: 'operator_delayed', seconds: 600 })

      assert.deepEqual(accepted(await refund.submit()), { state: 'submitted' })
      assert.equal(found(await refund.query()).state, 'submitted')
      await flow.bench.control.advance(600_000)
      await endsOnce(flow, paid, refund)
    },
  },
  {
    guarantee: 'a refund that never ends by itself stays open, and a lagging status ends nothing',
    run: async (flow) => {
      const paid = await flow.pay()
      const stuck = paid.refund()
      await strikeRefund(flow, stuck, { mode: 'stuck_pending' })
      accepted(await stuck.submit())
      await settle(flow.bench)
      assert.equal(found(await stuck.query()).state, 'submitted')

      const other = await flow.pay()
      const lagging = other.refund()
      await strikeRefund(flow, lagging, { mode: 'status_lags_callback', delayMs: 600_000 })
      accepted(await lagging.submit())
      await settle(flow.bench)
      assert.equal(found(await lagging.query()).state, 'submitted')
      await flow.bench.control.advance(600_000)
      await endsOnce(flow, other, lagging)
    },
  },
  {
    guarantee: 'a success that is reversed later stops being reported as success',
    run: async (flow) => {
      const paid = await flow.pay()
      const refund = paid.refund()
      await strikeRefund(flow, refund, { mode: 'reversal_after_success', delayMs: 600_000 })
      accepted(await refund.submit())
      await endsOnce(flow, paid, refund)

      await flow.bench.control.advance(600_000)
      const { state } = found(await refund.query())
      assert.ok(state === 'reversed' || state === 'failed')
    },
  },
  {
    guarantee: 'a callback reports the end of a refund under its key',
    needs: isKeyed,
    run: async (flow) => {
      const paid = await flow.pay()
      const refund = paid.refund()
      accepted(await refund.submit())
      await settle(flow.bench)

      const [callback] = await callbacksFor(flow.bench, { ref: refund.attempt })
      const { key, providerStatus } = await observationsOf(flow.bench, callback)
      assert.equal(key, refund.attempt.key)
      assert.ok(providerStatus.state === 'successful' && providerStatus.settled.amount === refund.attempt.amount)
    },
  },
  {
    guarantee: 'a refund that the response names `payoutId` is accepted by its value',
    needs: ({ bench }) => bench.provider === 'pawapay',
    run: async (flow) => {
      const paid = await flow.pay()
      const refund = paid.refund()
      await strikeRefund(flow, refund, { mode: 'refund_named_payout' })

      accepted(await refund.submit())
      await endsOnce(flow, paid, refund)
    },
  },
]
