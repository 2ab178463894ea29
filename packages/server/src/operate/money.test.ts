import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabase } from '../dev-stack/servers.ts'
import { until } from '../dev-stack/until.ts'
import { createPlatformAccounts } from '../ledger/accounts.ts'
import { platformBalances } from '../ledger/deltas.ts'
import { newTransactionId, readId } from '../platform/ids.ts'
import { movement } from '../testing/ledger.ts'
import { testMalipo } from '../testing/malipo.ts'
import { createPoster } from '../testing/poster.ts'
import type { FloatAdjustment, Funding } from './money.ts'
import { openOperator } from './operator.ts'

let lines = 0

/** Each call has its own evidence. */
function fundingOf(over: Partial<Funding> = {}): Funding {
  lines += 1
  const evidence = `bank line 88-${lines}`
  return { env: 'live', currency: 'KES', country: 'KE', amount: '2500.50', evidence, reason: 'top-up', ...over }
}

const adjustmentOf = (over: Partial<FloatAdjustment> = {}): FloatAdjustment => ({
  ...fundingOf(),
  provider: 'pawapay',
  ...over,
})

test('a funded wallet has the money, treasury gave it, and the audit row has the reason', async (t) => {
  const malipo = await testMalipo(t)
  const merchant = await malipo.merchant({ env: 'live' })
  const funding = fundingOf()

  const posted = await malipo.operator.wallets.fund(merchant.id, funding)

  const { body } = await merchant.call('GET', '/api/b2b/users')
  assert.deepEqual(body['KESWallet'], { balance: 2500.5 })
  const [row] = await malipo.ask('select action, env, reason, detail, actor from audit_entries where subject = $1', [
    posted.transactionId,
  ])
  assert.deepEqual(row, { action: 'wallet.fund', env: 'live', reason: 'top-up', detail: funding, actor: 'test' })
  const treasury = (await platformBalances(malipo.ctx.db.write)).find(
    ({ env, kind }) => env === 'live' && kind === 'treasury',
  )
  assert.equal(treasury?.debits_posted, 2500_50n)
})

test('a float is raised and lowered to the provider’s figure', async (t) => {
  const malipo = await testMalipo(t)
  const floatOf = async () => {
    const all = await platformBalances(malipo.ctx.db.write)
    const float = all.find(({ kind, currency }) => kind === 'float' && currency === 'UGX')
    return (float?.debits_posted ?? 0n) - (float?.credits_posted ?? 0n)
  }
  const inUganda = (amount: string) => adjustmentOf({ currency: 'UGX', country: 'UG', amount })

  await malipo.operator.floats.adjust(inUganda('90000'))
  assert.equal(await floatOf(), 90_000n)
  await malipo.operator.floats.adjust(inUganda('-1200'))
  assert.equal(await floatOf(), 88_800n)
})

test('an invalid manual posting is refused and moves nothing', async (t) => {
  const malipo = await testMalipo(t)
  const merchant = await malipo.merchant()
  const count = async () => (await malipo.ask('select from transfers')).length
  const before = await count()

  const cases: [Partial<Funding>, RegExp][] = [
    [{ currency: 'ABC' }, /ABC is not a currency/],
    [{ country: 'Kenya' }, /Kenya is not a two-letter country/],
    [{ amount: '0' }, /0 is not an amount of KES/],
    [{ amount: '1.001' }, /1\.001 is not an amount of KES/],
    [{ amount: '-5' }, /the amount must be above 0/],
    [{ evidence: ' ' }, /evidence must name what proves/],
    [{ country: 'UG' }, /KES is not used in UG/],
    [{ currency: 'XOF', amount: '5', country: 'FR' }, /XOF is not used in FR/],
  ]
  for (const [over, message] of cases)
    await assert.rejects(malipo.operator.wallets.fund(merchant.id, fundingOf(over)), message)
  await assert.rejects(
    malipo.operator.wallets.fund(`mer_${'0'.repeat(32)}`, fundingOf()),
    /no merchant has the id mer_/,
  )

  assert.equal(await count(), before)
})

test('a wallet in a currency of several countries is funded in any of them', async (t) => {
  const malipo = await testMalipo(t)
  const merchant = await malipo.merchant({ env: 'live' })

  for (const country of ['CI', 'SN'])
    await malipo.operator.wallets.fund(merchant.id, fundingOf({ currency: 'XOF', country, amount: '700' }))

  const { body } = await merchant.call('GET', '/api/b2b/users')
  const wallets = (body['wallets'] as { currency: string; country: string; balance: number }[])
    .filter(({ currency, balance }) => currency === 'XOF' && balance > 0)
    .map(({ country }) => country)
  assert.deepEqual(new Set(wallets), new Set(['CI', 'SN']))
})

test('a float is adjusted only at a provider that serves its currency in its country', async (t) => {
  const malipo = await testMalipo(t)
  const adjust = (over: Partial<FloatAdjustment>) => malipo.operator.floats.adjust(adjustmentOf(over))
  const before = (await platformBalances(malipo.ctx.db.write)).length

  await assert.rejects(adjust({ provider: 'pawpay' }), /pawpay is not a provider; use flutterwave, house, pawapay/)
  await assert.rejects(adjust({ provider: 'pawapay', country: 'NG', currency: 'NGN' }), /does not serve NGN in NG/)
  await assert.rejects(adjust({ provider: 'pawapay', country: 'UG' }), /KES is not used in UG/)
  assert.equal((await platformBalances(malipo.ctx.db.write)).length, before, 'no account was opened')

  await adjust({ provider: 'flutterwave', country: 'KE', currency: 'USD' }) // Cards are accepted in every merchant's country.
  await adjust({ provider: 'pawapay' })
})

test('the same evidence is posted once, and the error names the earlier posting', async (t) => {
  const malipo = await testMalipo(t)
  const [one, other] = [await malipo.merchant(), await malipo.merchant()]
  const { fund } = malipo.operator.wallets
  const funding = fundingOf({ evidence: 'Bank line 91' })
  const { transactionId } = await fund(one.id, funding)

  const again = new RegExp(`is the evidence of ${transactionId} of \\d{4}-\\d\\d-\\d\\d\\. If this is another`)
  await assert.rejects(fund(one.id, funding), again)
  await assert.rejects(fund(other.id, { ...funding, amount: '7.00', evidence: ' bank  LINE 91 ' }), again)
  await fund(one.id, { ...funding, env: 'sandbox' })
  await fund(one.id, { ...funding, evidence: 'Bank line 92' })

  const statement = adjustmentOf({ evidence: 'Bank line 91' })
  await malipo.operator.floats.adjust(statement)
  await assert.rejects(malipo.operator.floats.adjust({ ...statement, amount: '-1' }), /is the evidence of txn_/)
  await malipo.operator.floats.adjust({ ...statement, currency: 'UGX', country: 'UG', amount: '90' })
})

test('of two commands with the same evidence at once, one posts', async (t) => {
  const malipo = await testMalipo(t)
  const merchant = await malipo.merchant({ env: 'live' })
  const funding = fundingOf()
  const second = openOperator({ ...malipo.secrets, DATABASE_URL: (await testDatabase()).loginUrl }, 'second')
  t.after(() => second.close())

  const results = await Promise.allSettled(
    [malipo.operator, second, malipo.operator].map(({ wallets }) => wallets.fund(merchant.id, funding)),
  )

  assert.deepEqual(results.map(({ status }) => status).sort(), ['fulfilled', 'rejected', 'rejected'])
  const { body } = await merchant.call('GET', '/api/b2b/users')
  assert.deepEqual(body['KESWallet'], { balance: 2500.5 })
})

test('evidence of a refused posting can be used again', async (t) => {
  const malipo = await testMalipo(t)
  const merchant = await malipo.merchant({ env: 'live' })
  const funding = fundingOf()
  await malipo.operator.wallets.fund(merchant.id, fundingOf())

  const tooMuch = { ...funding, amount: '92233720368547758.07' } // Together with the balance, more than a counter holds.
  await assert.rejects(malipo.operator.wallets.fund(merchant.id, tooMuch), /out of range/)

  await malipo.operator.wallets.fund(merchant.id, funding)
})

test('a transaction is drawn with its accounts by name', async (t) => {
  const malipo = await testMalipo(t)
  const merchant = await malipo.merchant()
  const { transactionId } = await malipo.operator.wallets.fund(merchant.id, fundingOf())

  const drawing = await malipo.operator.ledger.show(transactionId)

  assert.match(drawing, /wallet funded\n {4}0 {2}treasury KES ── 2500\.50 KES ──▶ wallet KES KE of Duka\n/)
  assert.match(drawing, /Posted: debits 2500\.50 KES, credits the same\.$/)
  await assert.rejects(malipo.operator.ledger.show(`txn_${'0'.repeat(32)}`), /the ledger has no transfers for txn_0/)
  await assert.rejects(malipo.operator.ledger.show('order-17'), /order-17 is not a transaction id/)
})

test('the books agree after all of this, from the checkpoint and from the beginning', async (t) => {
  const malipo = await testMalipo(t)
  const merchant = await malipo.merchant()
  await malipo.operator.wallets.fund(merchant.id, fundingOf())

  let { transfers: checked } = await malipo.operator.ledger.check({ isFull: false })
  await malipo.operator.wallets.fund(merchant.id, fundingOf())
  const [written] = await malipo.ask<{ count: number }>('select count(*)::int as count from transfers')
  // A check covers only transfers older than every open transaction, and other databases of this server have open ones too.
  await until('each transfer to be checked once', async () => {
    checked += (await malipo.operator.ledger.check({ isFull: false })).transfers
    return checked === written?.count
  })
  const again = await malipo.operator.ledger.check({ isFull: false })
  const full = await malipo.operator.ledger.check({ isFull: true })

  assert.equal(again.transfers, 0)
  assert.equal(full.transfers, written?.count)
})

test('money in suspense needs an open case of its amount, and the check lists it', async (t) => {
  const malipo = await testMalipo(t)
  const accounts = createPlatformAccounts(malipo.ctx.db.write, 0)
  const float = await accounts.idOf({
    env: 'sandbox',
    kind: 'float',
    currency: 'KES',
    provider: 'house',
    country: 'KE',
  })
  const suspense = await accounts.idOf({ env: 'sandbox', kind: 'suspense', currency: 'KES' })
  const receipt = movement({ kind: 'transfer', debit_account: float, credit_account: suspense, amount: 500_00n })
  await createPoster(malipo.ctx.db.write).submit({ wallets: [], movements: [receipt] })

  await assert.rejects(
    malipo.operator.ledger.check({ isFull: true }),
    /the suspense balance differs from its open cases: id sandbox KES, type suspense 50000, state open cases 0/,
  )
  await malipo.ask(
    `insert into suspense_cases (id, env, kind, provider, provider_key, country, currency, amount, opened_at, updated_at)
     values ($1, 'sandbox', 'unknown_payment', 'house', 'a key', 'KE', 'KES', 50000, now(), now())`,
    [newTransactionId(Date.now(), 0)],
  )
  const { suspense: listed, cases } = await malipo.operator.ledger.check({ isFull: true })

  assert.deepEqual(listed, ['500.00 KES in sandbox'])
  assert.deepEqual(
    cases.map(({ kind, amount, providerKey }) => [kind, amount, providerKey]),
    [['unknown_payment', '500.00', 'a key']],
  )
  await assert.rejects(
    malipo.operator.suspense.clear(cases[0]?.id ?? '', { kind: 'credit-merchant', reason: 'a', evidence: 'b' }),
    /name the payment that the money belongs to/,
  )
  await malipo.operator.suspense.clear(cases[0]?.id ?? '', { kind: 'write-off', reason: 'a', evidence: 'b' })
  assert.deepEqual((await malipo.operator.ledger.check({ isFull: true })).suspense, [])
})

test('the check finds and names counters that were tampered with', async (t) => {
  const malipo = await testMalipo(t)
  const merchant = await malipo.merchant()
  const id = readId('merchant', merchant.id)
  await malipo.ask(
    `update wallets set credits_posted = credits_posted + 1 where merchant_id = $1 and currency = 'KES'`,
    [id],
  )
  t.after(() =>
    malipo.ask(`update wallets set credits_posted = credits_posted - 1 where merchant_id = $1 and currency = 'KES'`, [
      id,
    ]),
  )

  await assert.rejects(
    malipo.operator.ledger.check({ isFull: true }),
    /wallet .* has credits_posted 100000001, its transfers add up to 100000000/,
  )
})
