import assert from 'node:assert/strict'
import { inspect } from 'node:util'
import { formatMinor } from '../../money/money.ts'
import { accepted, found, notSubmitted, sentAgain, settle, unknown } from './bench.suite.ts'
import {
  booked,
  endsOnce,
  failedRefund,
  type RefundCase,
  type RefundFlow,
  refundedNothing,
  strikeRefund,
  timesRefunded,
} from './refund-bench.suite.ts'

const amountText = ({ amount, currency }: Parameters<RefundFlow['refunds']['query']>[0]) =>
  formatMinor(amount, currency)

/** Refunds that a provider knows only from its list: no lost response, lag or stranger makes Malipo refund twice. */
const cases: readonly Omit<RefundCase, 'needs'>[] = [
  {
    guarantee: 'a list without comments still finds the refund by its amount, beside an ended one',
    run: async (flow) => {
      const paid = await flow.pay()
      for (let time = 0; time < 3; time++) {
        const refund = paid.refund()
        await strikeRefund(flow, refund, { mode: 'refund_without_comments' })
        await strikeRefund(flow, refund, { mode: 'drop_after_processing' })

        assert.equal(unknown(await refund.submit()), 'broken_off')
        accepted(await refund.resend())
        await endsOnce(flow, paid, refund)
      }
      assert.equal(new Set(paid.receipts).size, 3)
    },
  },
  {
    guarantee: 'a failed refund without comments is not mistaken for a later one of the same amount',
    run: async (flow) => {
      const paid = await flow.pay()
      const first = paid.refund()
      await strikeRefund(flow, first, { mode: 'refund_without_comments' })
      accepted(await first.submit())
      await flow.bench.control.act(first.attempt.key, 'decline')
      const status = found(await first.query())
      assert.ok(status.state === 'failed' && status.receipt !== undefined)
      paid.receipts.push(status.receipt)

      const next = paid.refund()
      await strikeRefund(flow, next, { mode: 'refund_without_comments' })
      await strikeRefund(flow, next, { mode: 'not_found_window', seconds: 600 })
      accepted(await next.submit())
      assert.deepEqual(await next.query(), { found: 'no' })
      await flow.bench.control.advance(600_000)
      await endsOnce(flow, paid, next)
    },
  },
  {
    guarantee: 'a process killed before the list arrived sent nothing, and the next send is the first',
    run: async (flow) => {
      const paid = await flow.pay()
      const refund = paid.refund()
      await strikeRefund(flow, refund, { mode: 'latency', delayMs: 3_600_000, on: 'query' })

      assert.equal(notSubmitted(await refund.submit(AbortSignal.timeout(300))), 'not_reached')
      assert.equal(await timesRefunded(flow, refund), 0)
      accepted(await refund.submit())
      await endsOnce(flow, paid, refund)
    },
  },
  {
    guarantee: 'nothing is sent while the list is unreadable: not submitted at first, later unknown',
    run: async (flow) => {
      const paid = await flow.pay()
      const refund = paid.refund()
      const faults = [
        { mode: 'malformed_json' },
        { mode: 'half_response' },
        { mode: 'html_503' },
        { mode: 'http_status', status: 200, body: { status: 'success', data: [{ id: 1 }] } },
        { mode: 'rate_limited' },
        { mode: 'token_expired' },
      ] as const
      for (const fault of faults) {
        await strikeRefund(flow, refund, { ...fault, on: 'query' })
        assert.match(notSubmitted(await refund.submit()), /^(closed|not_reached)$/, inspect(fault))
        await strikeRefund(flow, refund, { ...fault, on: 'query' })
        unknown(await refund.resend())
      }
      assert.equal(await timesRefunded(flow, refund), 0)
      await refundedNothing(flow, paid)
    },
  },
  {
    guarantee: 'a refund made in the dashboard stops the first send, with a reason',
    run: async (flow) => {
      const paid = await flow.pay()
      await flow.bench.control.refundElsewhere(paid.charge.key, '1')
      const refund = paid.refund()

      failedRefund(await refund.submit(), 'REFUNDED_ELSEWHERE')
      assert.equal(await timesRefunded(flow, refund), 0)
      assert.equal((await booked(flow, paid)).length, 1)
    },
  },
  {
    guarantee: 'two refunds that could be this one are never reported as its success',
    run: async (flow) => {
      const paid = await flow.pay()
      const refund = paid.refund()
      await strikeRefund(flow, refund, { mode: 'drop_before_processing' })
      unknown(await refund.submit())
      for (let time = 0; time < 2; time++)
        await flow.bench.control.refundElsewhere(paid.charge.key, amountText(refund.attempt))
      await settle(flow.bench)

      const status = found(await refund.query())
      assert.ok(status.state === 'successful' && status.settled.amount === 2n * refund.attempt.amount, inspect(status))
      sentAgain(await refund.resend())
      assert.equal(await timesRefunded(flow, refund), 1)
    },
  },
  {
    guarantee: 'one failed and one completed refund that could be this one leave it unclear',
    run: async (flow) => {
      const paid = await flow.pay()
      const refund = paid.refund()
      await strikeRefund(flow, refund, { mode: 'drop_before_processing' })
      unknown(await refund.submit())
      for (let time = 0; time < 2; time++)
        await flow.bench.control.refundElsewhere(paid.charge.key, amountText(refund.attempt))
      const [first] = await booked(flow, paid)
      await flow.bench.control.act(first?.key ?? '', 'decline')
      await settle(flow.bench)

      assert.equal((await refund.query()).found, 'unclear')
      unknown(await refund.resend())
      assert.equal(await timesRefunded(flow, refund), 1)
    },
  },
  {
    guarantee: 'two refunds with our key are reported as the sum that moved',
    run: async (flow) => {
      const paid = await flow.pay()
      const refund = paid.refund()
      // Only the engine keeps two processes from sending at once. Whatever breaks that must not look like a success.
      await strikeRefund(flow, refund, { mode: 'not_found_window', seconds: 5, times: 2 })
      for (let time = 0; time < 2; time++) accepted(await refund.submit())
      await flow.bench.control.advance(5_000)
      await settle(flow.bench)

      const status = found(await refund.query())
      assert.ok(status.state === 'successful' && status.settled.amount === 2n * refund.attempt.amount, inspect(status))
    },
  },
  {
    guarantee: 'no refusal of a resend is definite: the earlier send may have refunded',
    run: async (flow) => {
      const paid = await flow.pay()
      const refund = paid.refund(paid.ref.amount)
      await strikeRefund(flow, refund, { mode: 'not_found_window', seconds: 600 })
      await strikeRefund(flow, refund, { mode: 'drop_after_processing' })
      unknown(await refund.submit())

      const outcome = await refund.resend()
      assert.equal(unknown(outcome), 'refused')
      assert.equal('failure' in outcome && outcome.failure?.code, 'CHARGE_NOT_REFUNDABLE')
      for (const mode of ['rate_limited', 'token_expired', 'float_empty', 'operator_closed'] as const) {
        await strikeRefund(flow, refund, { mode })
        assert.equal(unknown(await refund.resend()), 'refused', mode)
      }
      await flow.bench.control.advance(600_000)
      await endsOnce(flow, paid, refund)
    },
  },
  {
    guarantee: 'a charge without its transaction number is not refundable, and nothing is sent',
    run: async (flow) => {
      const paid = await flow.pay()
      const { attempt } = paid.refund()
      for (const receipt of ['', '../transfers', '12 3']) {
        const unnumbered = { ...attempt, charge: { ...attempt.charge, receipt } }
        assert.equal(notSubmitted(await flow.refunds.submit(unnumbered, AbortSignal.timeout(5_000))), 'unwritable')
        assert.equal((await flow.refunds.query(unnumbered, AbortSignal.timeout(5_000))).found, 'unclear')
      }
      await refundedNothing(flow, paid)
    },
  },
  {
    guarantee: 'a refund is found on any page of the list',
    run: async (flow) => {
      const paid = await flow.pay()
      const first = paid.refund(paid.whole('1'))
      accepted(await first.submit())
      await endsOnce(flow, paid, first)
      for (let number = 2; number <= 23; number++)
        await flow.bench.control.refundElsewhere(paid.charge.key, String(number))

      await settle(flow.bench)
      assert.equal(found(await first.query()).state, 'successful')
      assert.equal((await booked(flow, paid)).length, 23)
    },
  },
]

export const keylessRefundCases: readonly RefundCase[] = cases.map((each) => ({
  ...each,
  needs: ({ isKeyed }: RefundFlow) => !isKeyed,
}))
