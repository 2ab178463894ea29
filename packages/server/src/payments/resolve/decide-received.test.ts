import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Receipt } from '../../providers/contract.ts'
import { withLate } from '../late-money/late-money.ts'
import { type Attempt, type BookedReceipt, type KnownPayment, type Transaction, unadjusted } from '../model/store.ts'
import { decide } from './decide.ts'
import { type Decision, type DecisionInputs, lastQuestion } from './decision.ts'
import { accountsOf, movementsFor } from './payment-postings.ts'

const now = Date.parse('2026-11-15T12:00:00Z')
const around: DecisionInputs = {
  deadAfterMs: 0,
  movedElsewhere: 0n,
  nowMs: now,
  queriedMsAgo: 20_000,
  notFoundWindowMs: 0,
  alternatives: [],
  jitter: 0.5,
}

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
    action: { kind: 'pay_to_account', account: { accountNumber: '1', bankName: 'B', expiresAt: '' } },
    expires_at: new Date(now + 60_000),
    received: receipts.reduce((sum, { amount, is_late }) => sum + (is_late ? 0n : amount), 0n),
    ...unadjusted,
    ...over,
  } as Transaction
  const attempt = {
    transaction_id: transaction.id,
    number: 1,
    provider: 'flutterwave',
    sends: 1,
    polls: 0,
    send_deadline: new Date(now - 60_000),
    outcome: over.state === 'successful' ? 'successful' : null,
    moved: null,
    returned: 0n,
  } as Attempt
  return { transaction, attempt, receipts }
}

const booked = (amount: bigint): BookedReceipt => ({
  transaction_id: '',
  receipt_id: 'a',
  number: 0,
  amount,
  is_late: false,
  is_reversed: false,
})
const receipt = (id: string, amount: bigint, currency: 'NGN' | 'KES' = 'NGN'): Receipt => ({ id, amount, currency })
const take = (payment: KnownPayment, receipts: readonly Receipt[], cause: 'query' | 'callback' = 'query') =>
  decide(
    payment,
    {
      cause,
      observation: { kind: 'reported', providerStatus: { state: 'received', receipts } },
      question: lastQuestion(payment),
    },
    around,
  )

/** The charge after a decision. */
function after(payment: KnownPayment, decision: Decision | undefined): KnownPayment {
  const changed = new Map(decision?.changedReceipts?.map((each) => [each.receipt_id, each]))
  const receipts = payment.receipts.map((each) => changed.get(each.receipt_id) ?? each)
  return {
    ...payment,
    transaction: withLate({ ...payment.transaction, ...decision?.progress }, decision?.late ?? {}),
    receipts: [...receipts, ...(decision?.receipts ?? [])],
  }
}

const adjustmentsOf = (decision: Decision | undefined) =>
  decision?.late?.adjustments?.map(
    ({ reason, direction, amount, wallet_amount, fee }) =>
      `${reason} ${direction} ${amount}: ${wallet_amount} fee ${fee}`,
  )

/** Each platform account is named by its kind. */
const accounts = await accountsOf({ idOf: async ({ kind }) => kind }, [{ ...charge(), abandoned: [] }])

/** What a decision posts, as debit → credit amount. */
function posted({ transaction }: KnownPayment, decision: Decision | undefined): string[] {
  if (!decision) return []
  return movementsFor(transaction, 'flutterwave', decision, { accounts, feeReturned: 0n }).map((move) =>
    'amount' in move ? `${move.debit_account}→${move.credit_account} ${move.amount}` : move.kind,
  )
}

test('the exact amount pays the charge: it is credited less the fee', () => {
  const decision = take(charge(), [receipt('a', 150_000n)])
  assert.deepEqual([decision?.progress.state, decision?.progress.received], ['successful', 150_000n])
  assert.deepEqual(posted(charge(), decision), ['float→suspense 150000', 'suspense→wallet 150000', 'wallet→fees 1500'])
})

test('a part is in suspense and notified, and the rest completes the charge with the total', () => {
  const first = take(charge(), [receipt('a', 100_000n)])
  assert.deepEqual([first?.progress.state, first?.event?.notifiesMerchant], ['waiting', true])
  assert.deepEqual(posted(charge(), first), ['float→suspense 100000'])
  const waiting = after(charge(), first)

  const second = take(waiting, [receipt('a', 100_000n), receipt('b', 60_000n)])
  assert.deepEqual([second?.progress.state, second?.progress.received], ['successful', 160_000n])
  assert.deepEqual(posted(waiting, second), ['float→suspense 60000', 'suspense→wallet 160000', 'wallet→fees 1600'])
})

test('the fee follows the rule stored at acceptance, on all that was received', () => {
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

test('a receipt counts once, however often and by whichever source it is reported', () => {
  const once = after(charge(), take(charge(), [receipt('a', 100_000n)]))
  for (const cause of ['query', 'callback'] as const) {
    const again = take(once, [receipt('a', 100_000n)], cause)
    assert.deepEqual([again?.receipts, again?.progress.received], [[], 100_000n])
    assert.deepEqual(posted(once, again), [])
  }
  const twice = take(charge(), [receipt('a', 100_000n), receipt('a', 100_000n)])
  assert.equal(twice?.progress.received, 100_000n)
})

test('a transfer after the end is credited by one adjustment and changes no state', () => {
  const ended = charge({ state: 'successful' }, [booked(150_000n)])
  const late = take(ended, [receipt('a', 150_000n), receipt('b', 50_000n)], 'callback')
  assert.deepEqual(late?.progress, {})
  assert.deepEqual(adjustmentsOf(late), ['late_receipt credit 50000: 50000 fee 500'])
  assert.deepEqual(posted(ended, late), [])
  assert.equal(take(after(ended, late), [receipt('a', 150_000n), receipt('b', 50_000n)]), undefined)

  const expired = charge({ state: 'failed' })
  const first = take(expired, [receipt('a', 150_000n)])
  assert.deepEqual(adjustmentsOf(first), ['late_receipt credit 150000: 150000 fee 1500'])
})

test('a charge paid late in parts costs the same fee as one paid at once', () => {
  const rule = { fixed: '1000', basisPoints: 100, min: '2000', max: '4000' }
  let at = charge({ state: 'failed', fee_rule: rule })
  const fees: bigint[] = []
  for (const count of [1, 2, 3, 4]) {
    const decision = take(
      at,
      Array.from({ length: count }, (_, index) => receipt(String(index), 100_000n)),
    )
    fees.push(decision?.late?.adjustments?.[0]?.fee ?? 0n)
    at = after(at, decision)
  }
  assert.deepEqual(fees, [2000n, 1000n, 1000n, 0n])
})

test('a receipt that the bank took back no longer counts, and the rest does not pay the charge', () => {
  const first = after(charge(), take(charge(), [receipt('a', 90_000n)]))
  const back = take(first, [{ ...receipt('a', 90_000n), isReversed: true }, receipt('b', 60_000n)])
  assert.deepEqual([back?.progress.state, back?.progress.received], ['waiting', 60_000n])
  assert.deepEqual(posted(first, back), ['float→suspense 60000', 'suspense→float 90000'])
  const short = after(first, back)

  const again = take(short, [receipt('a', 90_000n), receipt('b', 60_000n)])
  assert.deepEqual([again?.progress.state, again?.progress.received], ['successful', 150_000n])
  assert.deepEqual(posted(short, again).slice(0, 1), ['float→suspense 90000'])
  assert.deepEqual(take(charge(), [{ ...receipt('x', 5n), isReversed: true }])?.progress.received, 0n)
})

test('a receipt reversed after success is debited once, and credited when it comes again', () => {
  const two = [booked(60_000n), { ...booked(90_000n), receipt_id: 'b', number: 1 }]
  const paid = charge({ state: 'successful' }, two)
  const gone = [receipt('a', 60_000n), { ...receipt('b', 90_000n), isReversed: true as const }]
  const back = take(paid, gone)
  assert.deepEqual(adjustmentsOf(back), ['charge_reversed debit 90000: 90000 fee 0'])
  const debited = after(paid, back)
  assert.equal(take(debited, gone), undefined)

  const again = take(debited, [receipt('a', 60_000n), receipt('b', 90_000n)])
  assert.deepEqual(adjustmentsOf(again), ['chargeback_won credit 90000: 90000 fee 0'])
})

test('an underpaid amount is in suspense with a case until the bank takes it back', () => {
  const short = take(charge({ expires_at: new Date(now - 1) }), [receipt('a', 90_000n)])
  assert.deepEqual(short?.late?.suspend, { amount: 90_000n, kind: 'underpaid', isThere: true })
  const ended = after(charge(), short)

  const back = take(ended, [{ ...receipt('a', 90_000n), isReversed: true }])
  assert.deepEqual(posted(ended, back), ['suspense→float 90000'])
  assert.equal(after(ended, back).transaction.suspended, 0n)
})

test('a charge that expires with a part received fails as underpaid, without any as expired', () => {
  const expired = { expires_at: new Date(now - 1) }
  const short = take(charge(expired), [receipt('a', 1n)])
  assert.deepEqual([short?.progress.state, short?.progress.failure?.code], ['failed', 'UNDERPAID'])
  assert.deepEqual(posted(charge(expired), short), ['float→suspense 1'])
  assert.equal(take(charge(expired), [])?.progress.failure?.code, 'EXPIRED')
  const known = charge({ ...expired, received: 5n })
  const silent = decide(known, { cause: 'query', observation: { kind: 'not_found' } }, around)
  assert.equal(silent?.progress.failure?.code, 'UNDERPAID')
})

test('money in another currency is not credited, waits for a person and alerts once', () => {
  const decision = take(charge(), [receipt('a', 150_000n, 'KES'), receipt('a', 150_000n, 'KES')])
  assert.deepEqual([decision?.progress.state, decision?.progress.doubt], ['unknown', 'amount_mismatch'])
  assert.deepEqual(decision?.event?.detail?.['otherCurrency'], ['a: 150000 KES'])
  assert.ok(decision?.alert)
  assert.deepEqual(posted(charge(), decision), [])

  const again = take(after(charge(), decision), [receipt('a', 150_000n, 'KES')])
  assert.deepEqual([again?.event, again?.alert, again?.receipts], [undefined, undefined, undefined])
})

test('a receipt in another currency does not block the others, before the end or after it', () => {
  const foreign = receipt('x', 1n, 'KES')
  const part = take(charge({ expires_at: new Date(now - 1) }), [receipt('a', 100_000n), foreign])
  assert.deepEqual([part?.progress.state, part?.progress.doubt], ['unknown', 'amount_mismatch'])
  const whole = take(after(charge(), part), [receipt('a', 100_000n), receipt('b', 50_000n), foreign])
  assert.deepEqual([whole?.progress.state, whole?.progress.received, whole?.alert], ['successful', 150_000n, undefined])

  const ended = charge({ state: 'successful' }, [booked(150_000n)])
  const late = take(ended, [receipt('a', 150_000n), receipt('b', 50_000n), foreign])
  assert.deepEqual(adjustmentsOf(late), ['late_receipt credit 50000: 50000 fee 500'])
  assert.deepEqual(late?.event?.detail?.['otherCurrency'], ['x: 1 KES'])
  assert.equal(take(after(ended, late), [receipt('a', 150_000n), receipt('b', 50_000n), foreign]), undefined)
  const alone = take(ended, [foreign])
  assert.deepEqual([alone?.progress, alone?.late, typeof alone?.alert], [{}, undefined, 'string'])
})

test('a report against the books counts only from the last query; a new receipt counts from any', () => {
  const word = (payment: KnownPayment, number: number | undefined, ...receipts: Receipt[]) =>
    decide(
      payment,
      {
        cause: 'query',
        observation: { kind: 'reported', providerStatus: { state: 'received', receipts } },
        ...(number !== undefined && { question: { ...lastQuestion(payment), number } }),
      },
      around,
    )
  const back = { ...receipt('a', 150_000n), isReversed: true as const }
  for (const number of [undefined, 7]) {
    const paid = charge({ state: 'successful' }, [booked(150_000n)])
    const reversed = charge({ state: 'successful' }, [{ ...booked(150_000n), is_reversed: true }])
    assert.equal(word(paid, number, back), undefined)
    assert.equal(word(reversed, number, receipt('a', 150_000n)), undefined)
    assert.equal(adjustmentsOf(word(paid, number, receipt('b', 1n)))?.length, 1)
    const open = charge({}, [booked(90_000n)])
    const gone = { ...receipt('a', 90_000n), isReversed: true as const }
    const short = word(open, number, gone, receipt('b', 60_000n))
    assert.deepEqual([short?.progress.state, short?.progress.received], ['waiting', 60_000n])
    const again = word(after(open, short), number, receipt('a', 90_000n), receipt('b', 60_000n))
    assert.equal(again?.progress.received, 60_000n)
    assert.equal(word(open, number, receipt('b', 60_000n))?.progress.state, 'successful')
  }
})

test('a charge that fails with a part received has a case, whichever report ends it', () => {
  const suspend = { amount: 90_000n, kind: 'underpaid', isThere: true }
  for (const observation of [
    { kind: 'operator_resolved', outcome: 'failed' },
    { kind: 'reported', providerStatus: { state: 'failed', failure: { code: 'UNSPECIFIED_FAILURE', message: '' } } },
    { kind: 'reported', providerStatus: { state: 'reversed', failure: { code: 'REVERSED', message: '' } } },
  ] as const) {
    const decision = decide(charge({}, [booked(90_000n)]), { cause: 'query', observation }, around)
    assert.deepEqual([decision?.progress.state, decision?.late?.suspend], ['failed', suspend])
    assert.equal(decide(charge(), { cause: 'query', observation }, around)?.late, undefined)
  }
})

test('every receipt is booked once and no merchant is credited twice, in any order of receipts', () => {
  const reportingCases = fc.array(fc.array(fc.nat(9), { maxLength: 6 }), { maxLength: 8 })
  const amounts = fc.array(fc.bigInt({ min: 1n, max: 100_000n }), { minLength: 10, maxLength: 10 })
  fc.assert(
    fc.property(amounts, reportingCases, (sums, all) => {
      let payment = charge()
      const ledger: string[] = []
      for (const ids of all) {
        const receipts = ids.map((id) => receipt(`r${id}`, sums[id] ?? 1n))
        const decision = take(payment, receipts)
        ledger.push(...posted(payment, decision))
        payment = after(payment, decision)
      }
      const came = [...new Set(all.flat())].reduce((sum, id) => sum + (sums[id] ?? 1n), 0n)
      const of = (way: string) =>
        ledger.filter((line) => line.startsWith(way)).map((line) => BigInt(line.split(' ')[1] ?? '0'))
      const total = (way: string) => of(way).reduce((sum, each) => sum + each, 0n)
      const late = payment.receipts.reduce((sum, { amount, is_late }) => sum + (is_late ? amount : 0n), 0n)
      assert.equal(total('float→suspense') + late, came)
      assert.equal(payment.transaction.adjusted, late)
      const isPaid = payment.transaction.state === 'successful'
      assert.equal(of('suspense→wallet').length, isPaid ? 1 : 0)
      assert.equal(total('suspense→wallet'), isPaid ? payment.transaction.received : 0n)
      assert.equal(isPaid, payment.transaction.received >= payment.transaction.amount)
    }),
  )
})
