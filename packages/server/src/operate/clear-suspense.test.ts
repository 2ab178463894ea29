import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { platformBalances } from '../ledger/deltas.ts'
import { putQuestion } from '../payments/model/store.ts'
import type { Observation } from '../payments/resolve/decision.ts'
import { createResolver } from '../payments/resolve/resolve.ts'
import { readId } from '../platform/ids.ts'
import type { Connector, ProviderStatus, Receipt } from '../providers/contract.ts'
import { balanceOf, nextReference, transferBody } from '../testing/charging.ts'
import { payingMalipo, payOut, quote, walletsOf } from '../testing/paying.ts'
import type { Clearing } from './clear-suspense.ts'

const say = (providerStatus: ProviderStatus): Observation => ({ kind: 'reported', providerStatus })
const paidOf = (amount: bigint) => say({ state: 'successful', settled: { amount, currency: 'KES' } })
const paid = paidOf(10_000n)
const failure = { code: 'REVERSED', message: '' } as const
const reversed = say({ state: 'reversed', failure })
const partly = (returned: bigint) => say({ state: 'reversed', failure, returned })
const refused = say({ state: 'failed', failure: { code: 'RECIPIENT_NOT_FOUND', message: '' } })
const nothing: Observation = { kind: 'not_submitted', cause: 'rate_limited', detail: '' }

/** A Malipo without running lanes, with a resolver that has two providers for everything. */
async function setUp(t: TestContext) {
  const malipo = await payingMalipo(t)
  const { ctx, operator } = malipo
  const both = ['pawapay', 'house'].flatMap((id) => ctx.connectors.sandbox.get(id) ?? []) satisfies Connector[]
  const { accounts, connectors, log } = ctx
  const routing = { providersOf: () => both, isUsable: () => true }
  const resolver = createResolver({
    ...{ cell: 0, onMerchantEvents: () => undefined, db: ctx.db.write },
    ...{ log, accounts, connectors, routing },
  })
  const merchant = await malipo.merchant()
  const accept = async (path: string, body: object): Promise<string> => {
    const response = await merchant.call('POST', `/api/b2b/fiat/${path}`, {
      externalReference: nextReference(),
      ...body,
    })
    assert.equal(response.status, 200, JSON.stringify(response.body))
    const { data = response.body } = response.body as { data?: Record<string, unknown> }
    return String(data['transactionId'])
  }
  const send = (shown: string) =>
    malipo.ask(
      `with sent as (update transactions set state = 'sending' where id = $1 returning id)
       update attempts a set sends = a.sends + 1, send_deadline = now() from sent where a.transaction_id = sent.id and outcome is null`,
      [readId('transaction', shown)],
    )
  const caseOf = async (shown: string) => {
    const found = (await operator.suspense.list({ limit: 1000 })).filter((each) => each.transactionId === shown)
    assert.ok(found.length <= 1)
    return found[0]
  }
  return {
    malipo,
    merchant,
    accept,
    send,
    charge: async (over: object = {}) => {
      const body = { amount: 100, currency: 'KES', phoneNumber: '+254703456789', ...over }
      const id = await accept('deposit/momo', body)
      await send(id)
      return id
    },
    report: async (shown: string, observation: Observation, attempt = 1) => {
      const transaction_id = readId('transaction', shown) ?? ''
      const question = await putQuestion(ctx.db.write, transaction_id, attempt)
      return resolver.submit({ transaction_id, attempt, observation, cause: 'query', question })
    },
    caseOf,
    clear: async (shown: string, kind: Clearing['kind']) =>
      operator.suspense.clear((await caseOf(shown))?.id ?? '', { kind, reason: 'agreed', evidence: 'line 88' }),
    wallet: async (currency = 'KES') => (await walletsOf(malipo, merchant.id)).get(currency)?.available ?? 0n,
    float: async (provider: string) => {
      const all = await platformBalances(ctx.db.write)
      const float = all.find((each) => each.kind === 'float' && each.currency === 'KES' && each.provider === provider)
      return (float?.debits_posted ?? 0n) - (float?.credits_posted ?? 0n)
    },
    isClean: async () => {
      await operator.ledger.check({ isFull: true })
    },
  }
}

test('a case cleared into another wallet costs the rule’s fee, and the charge can be reversed', async (t) => {
  const { malipo, charge, report, clear, caseOf, wallet, isClean } = await setUp(t)
  await quote(malipo, 'USD/KES', '100', '100')
  const before = { kes: await wallet(), usd: await wallet('USD') }
  const id = await charge({ amount: 10_000, walletCurrency: 'USD' })
  await report(id, paidOf(1_000_000n))
  await report(id, paidOf(1_050_000n))

  await clear(id, 'credit-merchant')
  assert.equal((await wallet()) - before.kes, 49_500n, '500 KES less 1 %')
  assert.equal((await wallet('USD')) - before.usd, 9900n)
  await report(id, reversed)

  assert.equal((await wallet('USD')) - before.usd, 0n)
  assert.equal((await caseOf(id))?.amount, '-500.00')
  await clear(id, 'debit-merchant')
  assert.equal((await wallet()) - before.kes, -500n, 'the fee of what was credited by hand is kept')
  await isClean()
})

test('a written-off surplus that the provider takes back is a case again, at no merchant cost', async (t) => {
  const { charge, report, clear, caseOf, wallet, isClean } = await setUp(t)
  const id = await charge()
  await report(id, paid)
  const before = await wallet()
  await report(id, paidOf(15_000n))
  await clear(id, 'write-off')

  await report(id, paid)

  assert.equal(await wallet(), before)
  assert.equal((await caseOf(id))?.amount, '-50.00')
  await report(id, paidOf(15_000n))
  assert.equal(await caseOf(id), undefined, 'paid again, nothing is missing')
  await report(id, reversed)
  assert.equal(before - (await wallet()), 9900n)
  assert.equal((await caseOf(id))?.amount, '-50.00')
  await clear(id, 'write-off')
  await isClean()
})

test('money returned to one payer is not deducted from what the bank takes back from another', async (t) => {
  const { malipo, merchant, accept, report, clear, isClean } = await setUp(t)
  const wallet = () => balanceOf(malipo, merchant.id, 'NGN')
  const id = await accept('deposit/bank-transfer', transferBody({ amount: 100 }))
  const before = await wallet()
  const receipts = (...list: Omit<Receipt, 'currency'>[]) =>
    say({ state: 'received', receipts: list.map((each) => ({ currency: 'NGN', ...each })) })
  const [one, other] = [
    { id: 'R1', amount: 6000n },
    { id: 'R2', amount: 10_000n },
  ]
  await report(id, receipts(one))
  await malipo.ask(`update transactions set expires_at = now() - interval '1 minute' where id = $1`, [
    readId('transaction', id),
  ])
  await report(id, receipts(one))
  await clear(id, 'return-to-payer')
  await report(id, receipts(one, other))
  assert.equal((await wallet()) - before, 9900n)

  await report(id, receipts(one, { ...other, isReversed: true }))
  assert.equal(await wallet(), before)
  await report(id, receipts({ ...one, isReversed: true }, other))
  assert.equal((await wallet()) - before, 9900n, 'the return is reported, and costs the merchant nothing')
  await isClean()
})

test('a chargeback won after a return to the payer is credited again', async (t) => {
  const { charge, report, clear, wallet, isClean } = await setUp(t)
  const id = await charge()
  await report(id, paid)
  const before = await wallet()
  await report(id, paidOf(15_000n))
  await clear(id, 'return-to-payer')

  await report(id, partly(3000n))
  assert.equal(before - (await wallet()), 3000n)
  await report(id, paid)

  assert.equal(await wallet(), before)
  await isClean()
})

test('money of an abandoned attempt is returned through the provider it came through', async (t) => {
  const { charge, report, send, clear, caseOf, wallet, float, isClean } = await setUp(t)
  const id = await charge()
  await report(id, nothing)
  await send(id)
  await report(id, paid, 2)
  const before = { wallet: await wallet(), pawapay: await float('pawapay'), house: await float('house') }
  await report(id, paid, 1)
  assert.equal((await caseOf(id))?.provider, 'pawapay')

  await clear(id, 'return-to-payer')
  await report(id, reversed, 1)

  assert.deepEqual({ wallet: await wallet(), pawapay: await float('pawapay'), house: await float('house') }, before)
  await isClean()
})

test('a charge corrected to its amount leaves an abandoned attempt’s money in suspense', async (t) => {
  const { charge, report, send, clear, caseOf, float, isClean } = await setUp(t)
  const before = { pawapay: await float('pawapay'), house: await float('house') }
  const id = await charge()
  await report(id, nothing)
  await send(id)
  await report(id, paidOf(5000n), 2)
  await report(id, paid, 1)
  assert.equal((await caseOf(id))?.amount, '150.00')

  await report(id, paid, 2)

  assert.equal((await caseOf(id))?.amount, '100.00')
  await clear(id, 'return-to-payer')
  assert.deepEqual([(await float('pawapay')) - before.pawapay, (await float('house')) - before.house], [0n, 10_000n])
  await isClean()
})

test('surplus of a payout has no payer: it is credited or written off, and the error says so', async (t) => {
  const { merchant, report, send, clear, caseOf, wallet, isClean } = await setUp(t)
  const { id } = await payOut(merchant)
  await send(id)
  await report(id, paid)
  const before = await wallet()
  await report(id, paidOf(9000n))

  await assert.rejects(
    clear(id, 'return-to-payer'),
    /a payout or a refund has no payer to return to: clear it as credit-merchant/,
  )
  assert.equal((await caseOf(id))?.amount, '10.00')
  await report(id, reversed)

  assert.equal((await wallet()) - before, 9000n)
  await clear(id, 'credit-merchant')
  assert.equal((await wallet()) - before, 10_000n)
  await isClean()
})

test('a debit in the currency of a payout is returned in that currency', async (t) => {
  const { malipo, accept, report, send, clear, caseOf, wallet, isClean } = await setUp(t)
  await quote(malipo, 'USD/KES', '100', '100')
  const before = { kes: await wallet(), usd: await wallet('USD') }
  const id = await accept('payout', {
    ...{ amount: 10_000, currency: 'KES', country: 'KE', debitCurrency: 'USD', debitCountry: 'KE' },
    ...{ destination: 'MoMo', payoutMethod: { accountName: 'Amina', accountNumber: '+254710001678' } },
  })
  await send(id)
  await report(id, refused)
  await report(id, paidOf(1_000_000n))
  await clear(id, 'debit-merchant')
  assert.equal(before.kes - (await wallet()), 1_000_000n)

  await report(id, reversed)
  assert.equal((await caseOf(id))?.amount, '10000.00')
  await clear(id, 'credit-merchant')

  assert.deepEqual({ kes: await wallet(), usd: await wallet('USD') }, before)
  await isClean()
})

test('a payment partly returned before its end ends as paid, and the part is an adjustment', async (t) => {
  const { malipo, merchant, charge, report, send, wallet, float, isClean } = await setUp(t)
  const before = { wallet: await wallet(), float: await float('pawapay') }
  const { id } = await payOut(merchant)
  await send(id)

  await report(id, partly(3000n))
  assert.equal(await malipo.stateOf(id), 'successful')
  assert.deepEqual([before.wallet - (await wallet()), before.float - (await float('pawapay'))], [7100n, 7000n])
  const collected = await charge()
  await report(collected, partly(3000n))

  assert.equal(await malipo.stateOf(collected), 'successful')
  assert.deepEqual([before.wallet - (await wallet()), before.float - (await float('pawapay'))], [200n, 0n])
  assert.equal((await report(collected, partly(3000n)))?.isChanged, false)
  await report(collected, paid)
  assert.equal((await wallet()) - before.wallet, 2800n)
  await isClean()
})
