import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { until } from '../../dev-stack/until.ts'
import { readId } from '../../platform/ids.ts'
import type { ProviderStatus } from '../../providers/contract.ts'
import { type PayingMalipo, payingMalipo, payOut, walletOf } from '../../testing/paying.ts'
import { putQuestion } from '../model/store.ts'

const failure = { code: 'REVERSED', message: 'taken back' } as const
const reversed: ProviderStatus = { state: 'reversed', failure }
const paid = (amount: bigint): ProviderStatus => ({ state: 'successful', settled: { amount, currency: 'KES' } })

/** A payment as its merchant reads it. */
interface Read {
  readonly transactionId: string
  readonly type: string
  readonly status: string
  readonly amount: number
  readonly fee: number
  readonly receiverAmount: number
  readonly externalReference: string
  readonly adjustments?: readonly string[]
  readonly relatedTransactionId?: string
  readonly relatedExternalReference?: string
  readonly direction?: string
  readonly reason?: string
}

async function setUp(t: TestContext) {
  const malipo = await payingMalipo(t)
  malipo.work()
  const merchant = await malipo.merchant()
  let charges = 0
  const read = async (id: string) => (await merchant.call('GET', `/api/b2b/transactions/${id}`)).body['data'] as Read
  return {
    malipo,
    merchant,
    read,
    wallet: async () => (await walletOf(malipo, merchant.id)).available,
    charge: async (amount = 100) => {
      charges += 1
      const { status, body } = await merchant.call('POST', '/api/b2b/fiat/deposit/momo', {
        amount,
        currency: 'KES',
        phoneNumber: '+254703456789',
        externalReference: `late-${process.pid}-${merchant.id}-${charges}`,
      })
      assert.equal(status, 200, JSON.stringify(body))
      const id = String(body['transactionId'])
      await malipo.comesTo(id, 'successful')
      return id
    },
    adjustmentsOf: async (id: string) => {
      const { adjustments = [] } = await read(id)
      return Promise.all(adjustments.map(read))
    },
    statement: async () => {
      const { body } = await merchant.call('GET', '/api/b2b/wallets/statement?currency=KES')
      return (body['data'] as { lines: { transactionId: string; type: string; kind: string; amount: number }[] }).lines
    },
    owed: async () => (await merchant.call('GET', '/api/b2b/users')).body['owed'],
    events: async () => {
      const { body } = await merchant.call('GET', '/api/b2b/events?limit=200')
      return body['data'] as { event: string; data: Read }[]
    },
    report: (id: string, providerStatus: ProviderStatus) => report(malipo, id, providerStatus),
    isClean: async () => {
      await malipo.operator.ledger.check({ isFull: true })
    },
  }
}

/** The response to a query made after the end. */
async function report({ ctx }: PayingMalipo, id: string, providerStatus: ProviderStatus): Promise<boolean | undefined> {
  const transaction_id = readId('transaction', id) ?? ''
  const attempt = 1
  const question = await putQuestion(ctx.db.write, transaction_id, attempt)
  const result = await ctx.resolver.submit({
    transaction_id,
    attempt,
    cause: 'query',
    question,
    observation: { kind: 'reported', providerStatus },
  })
  return result?.isChanged
}

test('a payout returned after success makes an adjustment that is readable, listed and notified', async (t) => {
  const {
    malipo,
    merchant,
    read,
    wallet,
    report: merchantEventOf,
    adjustmentsOf,
    statement,
    events,
    isClean,
  } = await setUp(t)
  const { id } = await payOut(merchant)
  await malipo.comesTo(id, 'successful')
  const before = await wallet()

  assert.deepEqual([await merchantEventOf(id, reversed), await merchantEventOf(id, reversed)], [true, false])

  const first = await read(id)
  const [adjustment, ...others] = await adjustmentsOf(id)
  assert.equal(first.status, 'SUCCESSFUL')
  assert.deepEqual(others, [])
  assert(adjustment)
  const { transactionId } = adjustment
  assert.deepEqual(
    [
      adjustment.type,
      adjustment.status,
      adjustment.direction,
      adjustment.reason,
      adjustment.amount,
      adjustment.receiverAmount,
    ],
    ['adjustment', 'SUCCESSFUL', 'credit', 'payout_returned', 100, 100],
  )
  assert.deepEqual(
    [adjustment.relatedTransactionId, adjustment.relatedExternalReference, adjustment.externalReference],
    [id, first.externalReference, transactionId],
  )
  assert.equal((await wallet()) - before, 10_000n)
  const listed = (await merchant.call('GET', '/api/b2b/transactions?type=adjustment')).body['data'] as Read[]
  assert.deepEqual(
    listed.map((each) => each.transactionId),
    [transactionId],
  )
  const line = (await statement()).find((each) => each.transactionId === transactionId)
  assert.deepEqual([line?.type, line?.kind, line?.amount], ['adjustment', 'adjustment', 100])
  const notified = (await events()).filter(({ data }) => data.transactionId === transactionId)
  assert.deepEqual(
    notified.map(({ event, data }) => [event, data.relatedTransactionId, data.reason]),
    [['adjustment_created', id, 'payout_returned']],
  )
  await isClean()
})

test('a reversed charge is debited by its credit, and a shortfall is owed until the next credit', async (t) => {
  const {
    malipo,
    merchant,
    charge,
    wallet,
    report: merchantEventOf,
    adjustmentsOf,
    owed,
    statement,
    isClean,
  } = await setUp(t)
  const id = await charge(100)
  // All but about 50 KES is paid out, each payout with its fee of 1 %.
  for (const amount of [240_000, 240_000, 240_000, 240_000, 30_147])
    await malipo.comesTo((await payOut(merchant, { amount })).id, 'successful')
  const left = await wallet()
  assert.ok(left < 9900n)

  await merchantEventOf(id, reversed)

  const [adjustment] = await adjustmentsOf(id)
  assert.deepEqual([adjustment?.reason, adjustment?.direction, adjustment?.fee], ['charge_reversed', 'debit', 0])
  assert.equal(await wallet(), 0n)
  assert.deepEqual(await owed(), [{ currency: 'KES', country: 'KE', amount: Number(9900n - left) / 100 }])
  await isClean()

  const next = await charge(100)

  const lines = (await statement()).filter((line) => line.transactionId === next)
  assert.deepEqual(
    lines.map(({ kind, amount }) => [kind, amount]),
    [
      ['payment', 100],
      ['fee', -1],
      ['adjustment', -Number(9900n - left) / 100],
    ],
  )
  assert.equal(await wallet(), left)
  assert.deepEqual(await owed(), [])
  await isClean()
})

test('a won chargeback credits what the charge was debited, and is booked each time it happens', async (t) => {
  const { charge, wallet, report: merchantEventOf, adjustmentsOf, isClean } = await setUp(t)
  const id = await charge(100)
  const before = await wallet()

  for (const providerStatus of [reversed, paid(10_000n), paid(10_000n), reversed, paid(10_000n)])
    await merchantEventOf(id, providerStatus)

  const reasons = (await adjustmentsOf(id)).map(({ reason }) => reason)
  assert.deepEqual(reasons, ['charge_reversed', 'chargeback_won', 'charge_reversed', 'chargeback_won'])
  assert.equal(await wallet(), before)
  await isClean()
})

test('parts of a charge that are reversed one after another are debited once each', async (t) => {
  const { charge, wallet, report: merchantEventOf, isClean } = await setUp(t)
  const id = await charge(100)
  const before = await wallet()
  const debited: bigint[] = []

  for (const returned of [3000n, 3000n, 7000n, 10_000n, 10_000n]) {
    await merchantEventOf(id, { ...reversed, returned })
    debited.push(before - (await wallet()))
  }

  assert.deepEqual(debited, [3000n, 3000n, 7000n, 9900n, 9900n])
  await isClean()
})

test('the same report from many processes at once makes one adjustment', async (t) => {
  const { malipo, charge, adjustmentsOf, wallet, isClean } = await setUp(t)
  const id = await charge(100)
  const before = await wallet()
  const transaction_id = readId('transaction', id) ?? ''
  const question = await putQuestion(malipo.ctx.db.write, transaction_id, 1)
  const resolution = {
    transaction_id,
    attempt: 1,
    cause: 'query',
    question,
    observation: { kind: 'reported', providerStatus: reversed },
  } as const

  const results = await Promise.all(Array.from({ length: 20 }, () => malipo.ctx.resolver.submit(resolution)))

  assert.equal(results.filter((result) => result?.isChanged).length, 1)
  assert.equal((await adjustmentsOf(id)).length, 1)
  assert.equal(before - (await wallet()), 9900n)
  await isClean()
})

test('a failed charge paid with another amount waits in a case; clearing it credits once', async (t) => {
  const { malipo, merchant, charge, wallet, report: merchantEventOf, adjustmentsOf, isClean } = await setUp(t)
  const id = await charge(100)
  await merchantEventOf(id, { state: 'successful', settled: { amount: 12_000n, currency: 'KES' } })
  const before = await wallet()
  const open = async () =>
    (await malipo.operator.suspense.list({ limit: 1000 })).filter((each) => each.transactionId === id)
  const [found] = await open()
  assert.deepEqual([found?.kind, found?.amount, found?.merchantId], ['amount_mismatch', '20.00', merchant.id])
  await isClean()
  const clear = () =>
    malipo.operator.suspense.clear(found?.id ?? '', {
      kind: 'credit-merchant',
      reason: 'the customer paid too much',
      evidence: 'statement line 88',
    })

  const settled = await Promise.allSettled([clear(), clear()])

  assert.deepEqual(settled.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
  assert.deepEqual(await open(), [])
  const [adjustment] = await adjustmentsOf(id)
  assert.deepEqual([adjustment?.reason, adjustment?.amount, adjustment?.fee], ['suspense_cleared', 20, 0.2])
  assert.equal((await wallet()) - before, 1980n)
  assert.equal((await malipo.operator.suspense.show(found?.id ?? '')).outcome, 'credited')
  await assert.rejects(clear(), /was credited already/)
  const [audit] = await malipo.ask<{ reason: string }>(`select reason from audit_entries where subject = $1`, [
    found?.id,
  ])
  assert.equal(audit?.reason, 'the customer paid too much')
  await isClean()
})

test('money that left after a payout failed is debited through its case, or written off', async (t) => {
  const { malipo, merchant, wallet, report: merchantEventOf, isClean } = await setUp(t)
  const ids: string[] = []
  for (const _ of [1, 2]) {
    const { id, key } = await payOut(merchant)
    await malipo.comesTo(id, 'successful')
    await merchantEventOf(id, reversed)
    await merchantEventOf(id, paid(10_000n))
    assert.ok(key)
    ids.push(id)
  }
  const before = await wallet()
  const caseOf = async (id?: string) =>
    (await malipo.operator.suspense.list({ limit: 1000 })).find((each) => each.transactionId === id)?.id ?? ''
  const providerStatus = { reason: 'the provider paid after all', evidence: 'ticket 12' }
  const [first, second] = [await caseOf(ids[0]), await caseOf(ids[1])]

  await assert.rejects(
    malipo.operator.suspense.clear(first, { kind: 'credit-merchant', ...providerStatus }),
    /money is missing/,
  )
  await malipo.operator.suspense.clear(first, { kind: 'debit-merchant', ...providerStatus })
  assert.equal(before - (await wallet()), 10_000n)
  await malipo.operator.suspense.clear(second, { kind: 'write-off', ...providerStatus })

  assert.equal(before - (await wallet()), 10_000n)
  assert.deepEqual([await caseOf(ids[0]), await caseOf(ids[1])], ['', ''])
  await isClean()
})

test('money returned to the payer is not booked again, whatever the provider reports', async (t) => {
  const { malipo, charge, wallet, report: merchantEventOf, adjustmentsOf, isClean } = await setUp(t)
  const id = await charge(100)
  const more = { state: 'successful', settled: { amount: 12_000n, currency: 'KES' } } as const
  await merchantEventOf(id, more)
  const before = await wallet()
  const [found] = (await malipo.operator.suspense.list({ limit: 1000 })).filter((each) => each.transactionId === id)
  await malipo.operator.suspense.clear(found?.id ?? '', {
    kind: 'return-to-payer',
    reason: 'paid too much',
    evidence: 'RF-1',
  })

  assert.equal(await merchantEventOf(id, more), false)
  await merchantEventOf(id, paid(10_000n))
  assert.equal(await merchantEventOf(id, paid(10_000n)), false)
  assert.equal(await wallet(), before)
  assert.deepEqual(await adjustmentsOf(id), [])
  await isClean()
})

test('an adjustment is announced again as an adjustment, and is never dispatched', async (t) => {
  const { malipo, charge, report: merchantEventOf, adjustmentsOf, merchant, events, isClean } = await setUp(t)
  const id = await charge(100)
  await merchantEventOf(id, reversed)
  const [adjustment] = await adjustmentsOf(id)

  const { status } = await merchant.call('POST', '/api/sandbox/b2b/utilities/simulate-webhook', {
    externalReference: adjustment?.externalReference,
    webhookStatus: 'successful',
  })

  assert.equal(status, 200)
  const names = await until('it to be announced again', async () => {
    const notified = (await events()).filter(({ data }) => data.transactionId === adjustment?.transactionId)
    return notified.length > 1 && notified.map(({ event }) => event)
  })
  assert.deepEqual(names, ['adjustment_created', 'adjustment_created'])
  assert.equal(await malipo.stateOf(adjustment?.transactionId ?? ''), 'successful')
  await isClean()
})
