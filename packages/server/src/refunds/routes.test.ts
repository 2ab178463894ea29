import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../dev-stack/until.ts'
import { claim } from '../payments/dispatch/claim.ts'
import { readId } from '../platform/ids.ts'
import type { ApiResponse } from '../testing/malipo.ts'
import { quote } from '../testing/paying.ts'
import { available, keyOf, type RefundingMalipo, refundingMalipo } from '../testing/refunding.ts'

const outcomeOf = ({ status, body }: ApiResponse) => (status === 200 ? 'accepted' : `${status} ${body['errorCode']}`)
const doubtOf = async (malipo: RefundingMalipo, reference: string) => {
  const [row] = await malipo.ask<{ state: string; doubt: string }>(
    'select state, doubt from transactions where external_reference = $1',
    [reference],
  )
  return `${row?.state} ${row?.doubt}`
}

test('a refund of each method goes back once through its provider, and the books agree', async (t) => {
  const malipo = await refundingMalipo(t)
  const merchant = await malipo.refunding()
  for (const make of [merchant.paid, merchant.paidByCard, merchant.paidByTransfer]) {
    const charge = await make(1000)
    const refund = await merchant.refunded(charge.id, { amount: 400, reason: 'the shop had no stock' })
    await malipo.comesTo(refund, 'successful')

    const [booked, ...others] = await malipo.simulator.refunds(charge.key)
    assert.deepEqual([Number(booked?.amount), booked?.state, others], [400, 'completed', []])
    const read = await merchant.read(refund)
    assert.deepEqual(
      [read['type'], read['refundOf'], read['reason'], read['amount'], read['stage']],
      ['refund', charge.id, 'the shop had no stock', 400, 'COMPLETED'],
    )
    const { refunded, refundable, status } = await merchant.read(charge.id)
    assert.deepEqual([status, refunded, refundable], ['SUCCESSFUL', 400, 600])
  }
  await malipo.assertBooks()
})

test('a refund holds its money when accepted and gives all of it back in the failing transaction', async (t) => {
  const malipo = await refundingMalipo(t)
  const merchant = await malipo.refunding()
  const fee = { operation: 'refund', currency: 'KES', basisPoints: 0, fixed: '5' } as const
  await malipo.operator.fees.set({ env: 'sandbox', merchant: merchant.id, ...fee, reason: 'a test' })
  const charge = await merchant.paid(3000)
  const before = await available(malipo, merchant.id)

  const refund = await merchant.refunded(charge.id, { amount: 1089 })
  assert.equal(await available(malipo, merchant.id), before - 109_400n)
  await malipo.comesTo(refund, 'failed')

  assert.equal(await available(malipo, merchant.id), before)
  const { refunded, refundable } = await merchant.read(charge.id)
  assert.deepEqual([refunded, refundable], [0, 3000])
  await malipo.assertBooks()
})

test('only a successful charge is refunded, never more than is left, and the refusal names what is', async (t) => {
  const malipo = await refundingMalipo(t)
  const merchant = await malipo.refunding()
  const charge = await merchant.paid(1000)
  const pending = await merchant.refunded(charge.id, { amount: 129 })

  const excess = await merchant.refund(charge.id, { amount: 872 })
  assert.equal(outcomeOf(excess), '422 REFUND_EXCEEDS_CHARGE')
  assert.deepEqual(excess.body['details'], [{ field: 'refundable', message: '871.00 KES' }])
  assert.equal(outcomeOf(await merchant.refund(pending)), '409 TRANSACTION_NOT_REFUNDABLE')
  assert.equal(outcomeOf(await merchant.refund('txn_unknown')), '404 TRANSACTION_NOT_FOUND')
  assert.equal(outcomeOf(await (await malipo.refunding()).refund(charge.id)), '404 TRANSACTION_NOT_FOUND')
  assert.equal(outcomeOf(await merchant.refund(charge.id, { amount: 10.5 })), '400 VALIDATION_ERROR')
  const rest = await merchant.refund(charge.id)
  assert.deepEqual([outcomeOf(rest), rest.body['amount']], ['accepted', 871])
  assert.equal(outcomeOf(await merchant.refund(charge.id)), '422 REFUND_EXCEEDS_CHARGE')
})

test('a charge that is too old is not refunded, but a payout may still give it back', async (t) => {
  const malipo = await refundingMalipo(t)
  const merchant = await malipo.refunding()
  const charge = await merchant.paid(1000)
  await malipo.later(181 * 86_400)

  const late = await merchant.refund(charge.id)
  assert.equal(outcomeOf(late), '409 REFUND_WINDOW_CLOSED')
  assert.match(JSON.stringify(late.body), /180 days/)
  assert.match(String(late.body['fix']), /refundOf/)
})

test('where a provider takes one refund at a time, the next waits by name and is sent after the end', async (t) => {
  const malipo = await refundingMalipo(t)
  const merchant = await malipo.refunding()
  const charge = await merchant.paid(1000)
  const first = await merchant.refunded(charge.id, { amount: 129, externalReference: 'turn-1' })
  await merchant.refunded(charge.id, { amount: 200, externalReference: 'turn-2' })
  const third = await merchant.refunded(charge.id, { amount: 300, externalReference: 'turn-3' })
  await malipo.comesTo(first, 'submitted')

  assert.equal(await doubtOf(malipo, 'turn-2'), 'accepted earlier_refund')
  assert.equal(await doubtOf(malipo, 'turn-3'), 'accepted earlier_refund')
  const { explanation } = await merchant.read(third)
  assert.match(JSON.stringify(explanation), /one refund of a charge at a time/)
  assert.equal((await malipo.simulator.refunds(charge.key)).length, 1)

  await malipo.simulator.act(keyOf(first), 'approve')
  await malipo.comesTo(first, 'successful')
  await malipo.comesTo(third, 'successful')
  const booked = await malipo.simulator.refunds(charge.key)
  assert.deepEqual(
    booked.map(({ amount }) => Number(amount)),
    [129, 200, 300],
  )
  await malipo.assertBooks()
})

test('a refund that waits for its turn is not claimed, whatever brings it to a lane', async (t) => {
  const malipo = await refundingMalipo(t)
  const merchant = await malipo.refunding()
  const charge = await merchant.paid(1000)
  const first = await merchant.refunded(charge.id, { amount: 129 })
  const [second, third] = [await merchant.refunded(charge.id, { amount: 200 }), await merchant.refunded(charge.id)]
  await malipo.comesTo(first, 'submitted')
  const work = [second, third].map((shown) => ({
    id: readId('transaction', shown) ?? '',
    merchant_id: readId('merchant', merchant.id) ?? '',
    kind: 'payout' as const,
  }))

  const choose = () => [{ kind: 'payout' as const, work, limit: 2 }]
  const rates = { requestsPerSecond: 1000 }
  const { taken } = await claim(malipo.ctx.db.write, { lane: 'sandbox/pawapay', rates, choose })

  assert.deepEqual(
    taken.map(({ claimed, examined }) => [claimed.length, examined.length]),
    [[0, 2]],
  )
  await malipo.simulator.act(keyOf(first), 'approve')
  await malipo.comesTo(third, 'successful')
  const booked = await malipo.simulator.refunds(charge.key)
  assert.deepEqual(
    booked.map(({ amount }) => Number(amount)),
    [129, 200, 671],
  )
})

test('a refund that fails lets the next of its charge be sent', async (t) => {
  const malipo = await refundingMalipo(t)
  const merchant = await malipo.refunding()
  const charge = await merchant.paid(1000)
  const failing = await merchant.refunded(charge.id, { amount: 89 })
  const next = await merchant.refunded(charge.id)

  await malipo.comesTo(failing, 'failed')
  await malipo.comesTo(next, 'successful')

  const { refunded, refundable } = await merchant.read(charge.id)
  assert.deepEqual([refunded, refundable], [911, 89])
})

test('the fee of a charge comes back in shares with its refunds, if its rule says so', async (t) => {
  const malipo = await refundingMalipo(t)
  const merchant = await malipo.refunding()
  const start = await available(malipo, merchant.id)
  const fees = { env: 'sandbox', reason: 'a test' } as const
  await malipo.operator.fees.set({
    ...fees,
    merchant: merchant.id,
    operation: 'charge',
    basisPoints: 333,
    isReturned: true,
  })
  await until('the fee rule to be in force', async () => {
    const { fee } = await malipo.operator.fees.show({
      env: 'sandbox',
      merchant: merchant.id,
      operation: 'charge',
      method: 'momo',
      currency: 'KES',
      amount: '1000',
    })
    return String(fee).includes('33.3')
  })
  const charge = await merchant.paid(1000)
  assert.equal(await available(malipo, merchant.id), start + 96_670n)
  for (const amount of [333, 333, 334])
    await malipo.comesTo(await merchant.refunded(charge.id, { amount }), 'successful')

  assert.equal(await available(malipo, merchant.id), start)
  const statement = await merchant.call('GET', '/api/b2b/wallets/statement?currency=KES')
  const { lines } = statement.body['data'] as { lines: { type: string; kind: string; amount: number }[] }
  const ofRefunds = lines.filter(({ type }) => type === 'refund').map(({ kind, amount }) => `${kind} ${amount}`)
  const parts = ['refund -333', 'refund -333', 'refund -334', 'fee 11.08', 'fee 11.09', 'fee 11.13']
  assert.deepEqual(new Set(ofRefunds), new Set(parts))
  assert.equal(ofRefunds.length, parts.length)
  await malipo.assertBooks()
})

test('a refund of an exchanged charge is priced as a payout of today from the wallet that was credited', async (t) => {
  const malipo = await refundingMalipo(t)
  const merchant = await malipo.refunding()
  await quote(malipo, 'USD/KES', '128', '130')
  const body = { amount: 1300, currency: 'KES', walletCurrency: 'USD', phoneNumber: '+254703456789' }
  const charged = await merchant.call('POST', '/api/b2b/fiat/deposit/momo', { ...body, externalReference: 'exchanged' })
  assert.equal(charged.status, 200, JSON.stringify(charged.body))
  const id = String(charged.body['transactionId'])
  await malipo.comesTo(id, 'successful')

  const refund = await merchant.refunded(id, { amount: 1000 })
  await malipo.comesTo(refund, 'successful')

  const read = await merchant.read(refund)
  assert.deepEqual(
    [read['senderAmount'], read['senderCurrency'], read['receiverAmount'], read['receiverCurrency']],
    [7.82, 'USD', 1000, 'KES'],
  )
  await malipo.assertBooks()
})

test('a payout in place of a refund counts, and gives its share back when it fails', async (t) => {
  const malipo = await refundingMalipo(t)
  const merchant = await malipo.refunding()
  const charge = await merchant.paid(1000)
  const payout = (over: object) => ({
    amount: 700,
    currency: 'KES',
    country: 'KE',
    destination: 'MoMo',
    payoutMethod: { accountName: 'Amina', accountNumber: '+254703456129' },
    externalReference: 'instead',
    refundOf: charge.id,
    ...over,
  })

  const made = await merchant.call('POST', '/api/b2b/fiat/payout', payout({}))
  assert.equal(outcomeOf(made), 'accepted')
  assert.equal(outcomeOf(await merchant.refund(charge.id, { amount: 301 })), '422 REFUND_EXCEEDS_CHARGE')
  const again = await merchant.call('POST', '/api/b2b/fiat/payout', payout({ externalReference: 'instead-2' }))
  assert.equal(outcomeOf(again), '422 REFUND_EXCEEDS_CHARGE')
  const other = payout({ externalReference: 'instead-3', currency: 'UGX', country: 'UG' })
  const elsewhere = await merchant.call('POST', '/api/b2b/fiat/payout', {
    ...other,
    payoutMethod: { accountName: 'Amina', accountNumber: '+256772345678' },
  })
  assert.equal(outcomeOf(elsewhere), '400 VALIDATION_ERROR')

  const id = String(made.body['transactionId'])
  await malipo.comesTo(id, 'submitted')
  await malipo.simulator.act(keyOf(id), 'decline')
  await malipo.comesTo(id, 'failed')
  const { refundable } = await merchant.read(charge.id)
  assert.equal(refundable, 1000)
  const { body } = await merchant.call('GET', `/api/b2b/refunds?refundOf=${charge.id}`)
  assert.deepEqual(body['data'], [])
  await malipo.assertBooks()
})

test('refunds are listed by charge, status and day, newest first, without gaps or repeats', async (t) => {
  const malipo = await refundingMalipo(t)
  const merchant = await malipo.refunding()
  const charge = await merchant.paid(1000)
  const ids: string[] = []
  for (const amount of [100, 89, 101, 129]) {
    ids.push(await merchant.refunded(charge.id, { amount, reason: `part of ${amount}` }))
    if (amount !== 129) await malipo.comesTo(ids.at(-1) ?? '', amount === 89 ? 'failed' : 'successful')
  }
  const list = async (query: string) => {
    const { status, body } = await merchant.call('GET', `/api/b2b/refunds?${query}`)
    assert.equal(status, 200, JSON.stringify(body))
    return body as { data: { transactionId: string; reason: string }[]; nextCursor?: string }
  }
  const idsOf = async (query: string) => (await list(query)).data.map(({ transactionId }) => transactionId)

  assert.deepEqual(await idsOf(`refundOf=${charge.id}`), ids.toReversed())
  assert.deepEqual(await idsOf('status=failed'), [ids[1]])
  assert.deepEqual(await idsOf('status=pending'), [ids[3]])
  assert.deepEqual(await idsOf('status=successful'), [ids[2], ids[0]])
  assert.deepEqual(await idsOf('startDate=2020-01-01&endDate=2020-01-02'), [])
  const first = await list('limit=3')
  assert.equal(first.data[0]?.reason, 'part of 129')
  assert.deepEqual(await idsOf(`limit=3&cursor=${first.nextCursor}`), [ids[0]])
})
