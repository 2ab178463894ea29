import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Receipt } from '../providers/contract.ts'
import { decide } from './decide.ts'
import type { Decision, Surroundings } from './decision.ts'
import { accountsOf, movementsFor } from './money.ts'
import type { Attempt, BookedReceipt, KnownPayment, Transaction } from './store.ts'

const now = Date.parse('2026-11-15T12:00:00Z')
const around: Surroundings = { nowMs: now, askedMsAgo: 20_000, notFoundWindowMs: 0, alternatives: [], jitter: 0.5 }

function charge(over: Partial<Transaction> = {}, receipts: readonly BookedReceipt[] = []): KnownPayment {
  const transaction = {
    id: '019a0000-0000-7000-8000-000000000000',
    type: 'deposit',
    method: 'bank-transfer',
    env: 'sandbox',
    country: 'NG',
    wallet_id: 'wallet',
    amount: 150_000n,
    fee: 1500n,
    fee_rule: { fixed: '0', basisPoints: 100 },
    currency: 'NGN',
    wallet_currency: 'NGN',
    state: 'waiting',
    doubt: '',
    discrepancy: '',
    action: { kind: 'pay_to_account', account: { accountNumber: '1', bankName: 'B', expiresAt: '' } },
    expires_at: new Date(now + 60_000),
    received: receipts.reduce((sum, { amount, is_late }) => sum + (is_late ? 0n : amount), 0n),
    ...over,
  } as Transaction
  const attempt = {
    transaction_id: transaction.id,
    number: 1,
    provider: 'flutterwave',
    sends: 1,
    polls: 0,
    send_by: new Date(now - 60_000),
  } as Attempt
  return { transaction, attempt, receipts }
}

const receipt = (id: string, amount: bigint, currency: 'NGN' | 'KES' = 'NGN'): Receipt => ({ id, amount, currency })
const take = (payment: KnownPayment, receipts: readonly Receipt[], cause: 'query' | 'callback' = 'query') =>
  decide(payment, { cause, news: { kind: 'said', said: { state: 'received', receipts } } }, around)

/** The charge as it stands after a decision. */
function after(payment: KnownPayment, decision: Decision | undefined): KnownPayment {
  return {
    ...payment,
    transaction: { ...payment.transaction, ...decision?.progress },
    receipts: [...payment.receipts, ...(decision?.receipts ?? [])],
  }
}

/** Each platform account is called by its kind. */
const accounts = await accountsOf({ idOf: async ({ kind }) => kind }, [{ ...charge(), givenUp: [] }])

/** What a decision posts, as debit → credit amount. */
function posted({ transaction }: KnownPayment, decision: Decision | undefined): string[] {
  if (!decision) return []
  return movementsFor(transaction, 'flutterwave', decision, accounts).map((move) =>
    'amount' in move ? `${move.debit_account}→${move.credit_account} ${move.amount}` : move.kind,
  )
}

test('the exact amount pays the charge: it is credited less the fee', () => {
  const decision = take(charge(), [receipt('a', 150_000n)])
  assert.deepEqual([decision?.progress.state, decision?.progress.received], ['successful', 150_000n])
  assert.deepEqual(posted(charge(), decision), ['float→suspense 150000', 'suspense→wallet 150000', 'wallet→fees 1500'])
})

test('a part is kept in suspense and told, and the rest completes it with all that came', () => {
  const first = take(charge(), [receipt('a', 100_000n)])
  assert.deepEqual([first?.progress.state, first?.event?.isTold], ['waiting', true])
  assert.deepEqual(posted(charge(), first), ['float→suspense 100000'])
  const waiting = after(charge(), first)

  const second = take(waiting, [receipt('a', 100_000n), receipt('b', 60_000n)])
  assert.deepEqual([second?.progress.state, second?.progress.received], ['successful', 160_000n])
  assert.deepEqual(posted(waiting, second), ['float→suspense 60000', 'suspense→wallet 160000', 'wallet→fees 1600'])
})

test('the fee follows the rule kept at acceptance, on all that was received', () => {
  const feeFor = (rule: Transaction['fee_rule'], amount: bigint, over: Partial<Transaction> = {}) => {
    const asked = charge({ fee_rule: rule, ...over })
    const decision = take(asked, [receipt('a', amount)])
    const line = posted(asked, decision).find((each) => each.startsWith('wallet→fees'))
    assert.equal(decision?.progress.fee, BigInt(line?.split(' ')[1] ?? 0))
    return decision?.progress.fee
  }

  assert.equal(feeFor({ fixed: '0', basisPoints: 100 }, 100_000_000n), 1_000_000n)
  assert.equal(feeFor({ fixed: '50', basisPoints: 100, min: '100', max: '3000' }, 160_000n), 1650n)
  assert.equal(feeFor({ fixed: '50', basisPoints: 100, min: '100', max: '3000' }, 100_000_000n), 3000n)
  assert.equal(feeFor({ fixed: '900', basisPoints: 0 }, 7n, { amount: 7n, fee: 7n }), 7n)
  assert.equal(feeFor({ fixed: '0', basisPoints: 0 }, 160_000n), 0n)
  assert.equal(feeFor(null, 100_000_000n), 1500n)
})

test('a receipt counts once, however often and by whomever it is told', () => {
  const once = after(charge(), take(charge(), [receipt('a', 100_000n)]))
  for (const cause of ['query', 'callback'] as const) {
    const again = take(once, [receipt('a', 100_000n)], cause)
    assert.deepEqual([again?.receipts, again?.progress.received], [[], 100_000n])
    assert.deepEqual(posted(once, again), [])
  }
  const twice = take(charge(), [receipt('a', 100_000n), receipt('a', 100_000n)])
  assert.equal(twice?.progress.received, 100_000n)
})

test('a receipt that was reversed before it was booked never counts', () => {
  const back = { ...receipt('a', 60_000n), isReversed: true } as const
  const decision = take(charge(), [back, receipt('b', 90_000n)])
  assert.deepEqual([decision?.progress.state, decision?.progress.received], ['waiting', 90_000n])
  assert.deepEqual(posted(charge(), decision), ['float→suspense 90000'])
  assert.deepEqual(posted(charge(), take(charge(), [back])), [])
  assert.equal(take(charge({ state: 'failed' }), [back]), undefined)
})

test('money after the end is kept for the operator and told, and changes no state', () => {
  for (const state of ['successful', 'failed'] as const) {
    const booked = { transaction_id: '', receipt_id: 'a', number: 0, amount: 150_000n, is_late: false }
    const ended = charge({ state }, [booked])
    const late = take(ended, [receipt('a', 150_000n), receipt('b', 7n)], 'callback')
    assert.deepEqual(late?.progress, { discrepancy: 'late_receipt' })
    assert.deepEqual(posted(ended, late), ['float→suspense 7'])
    assert.equal(late?.event?.isTold, true)
    assert.equal(take(after(ended, late), [receipt('b', 7n)]), undefined)
  }
})

test('a charge that expires with a part of its money fails as underpaid, one without any as expired', () => {
  const expired = { expires_at: new Date(now - 1) }
  const short = take(charge(expired), [receipt('a', 1n)])
  assert.deepEqual([short?.progress.state, short?.progress.failure?.code], ['failed', 'UNDERPAID'])
  assert.deepEqual(posted(charge(expired), short), ['float→suspense 1'])
  assert.equal(take(charge(expired), [])?.progress.failure?.code, 'EXPIRED')
  const known = charge({ ...expired, received: 5n })
  const silent = decide(known, { cause: 'query', news: { kind: 'not_found' } }, around)
  assert.equal(silent?.progress.failure?.code, 'UNDERPAID')
})

test('money in another currency credits nobody and waits for a person', () => {
  const decision = take(charge(), [receipt('a', 150_000n, 'KES')])
  assert.deepEqual([decision?.progress.state, decision?.progress.doubt], ['unknown', 'amount_mismatch'])
  assert.deepEqual(posted(charge(), decision), [])
})

test('however receipts come, everything that came is booked once and nobody is credited twice', () => {
  const tellings = fc.array(fc.array(fc.nat(9), { maxLength: 6 }), { maxLength: 8 })
  const amounts = fc.array(fc.bigInt({ min: 1n, max: 100_000n }), { minLength: 10, maxLength: 10 })
  fc.assert(
    fc.property(amounts, tellings, (sums, all) => {
      let payment = charge()
      const ledger: string[] = []
      for (const ids of all) {
        const told = ids.map((id) => receipt(`r${id}`, sums[id] ?? 1n))
        const decision = take(payment, told)
        ledger.push(...posted(payment, decision))
        payment = after(payment, decision)
      }
      const came = [...new Set(all.flat())].reduce((sum, id) => sum + (sums[id] ?? 1n), 0n)
      const of = (way: string) =>
        ledger.filter((line) => line.startsWith(way)).map((line) => BigInt(line.split(' ')[1] ?? '0'))
      const total = (way: string) => of(way).reduce((sum, each) => sum + each, 0n)
      assert.equal(total('float→suspense'), came)
      const isPaid = payment.transaction.state === 'successful'
      assert.equal(of('suspense→wallet').length, isPaid ? 1 : 0)
      assert.equal(total('suspense→wallet'), isPaid ? payment.transaction.received : 0n)
      assert.equal(isPaid, payment.transaction.received >= payment.transaction.amount)
    }),
  )
})

const booked = (amount: bigint): BookedReceipt => ({
  transaction_id: '',
  receipt_id: 'a',
  number: 0,
  amount,
  is_late: false,
})
const takeBack = (payment: KnownPayment) => {
  const said = { state: 'reversed', failure: { code: 'REVERSED', message: 'taken back' } } as const
  return decide(payment, { cause: 'query', question: payment.attempt.polls, news: { kind: 'said', said } }, around)
}

test('what a provider takes back of a paid charge is all that it had given', () => {
  const paid = charge({ state: 'successful' }, [booked(160_050n)])
  assert.deepEqual(posted(paid, takeBack(paid)), ['suspense→float 160050'])
})

test('what a provider takes back of a part leaves suspense, fails the charge and is flagged', () => {
  const short = charge({}, [booked(90_000n)])
  const decision = takeBack(short)
  assert.deepEqual(posted(short, decision), ['suspense→float 90000'])
  assert.deepEqual([decision?.progress.state, decision?.progress.discrepancy], ['failed', 'reversed'])
})
