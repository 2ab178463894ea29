import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import fc from 'fast-check'
import type { LimitsOrder } from '../operate/payout-controls.ts'
import { readId } from '../platform/ids.ts'
import { type ApiResponse, type Malipo, testMalipo } from '../testing/malipo.ts'
import { payoutBody, to } from '../testing/payout-body.ts'

/** Payments are accepted without their provider; without lanes nothing is sent. */
const noProvider = {
  MALIPO_SIMULATOR_URL: 'http://127.0.0.1:9',
  MALIPO_SIMULATOR_TOKEN: 'unused-simulator-token',
  MALIPO_RATE_LIMIT_SANDBOX: '100000',
}
const path = '/api/b2b/fiat/payout'
const order = { env: 'sandbox', currency: 'KES', reason: 'contract 17' } as const
type Caller = Awaited<ReturnType<Malipo['as']>>

const pay = (caller: Pick<Caller, 'call'>, amount: number, over: object = {}) =>
  caller.call('POST', path, payoutBody(amount, over))

async function limited(t: TestContext, limits: Partial<LimitsOrder>) {
  const malipo = await testMalipo(t, noProvider)
  const merchant = await malipo.merchant()
  await malipo.operator.payoutControls.setLimits(merchant.id, { ...order, ...limits })
  return { malipo, merchant }
}

const statusOf = ({ status, body }: ApiResponse) => (status === 200 ? 'accepted' : `${status} ${body['errorCode']}`)
const refused = '422 PAYOUT_LIMIT_EXCEEDED'
const detailsOf = ({ body }: ApiResponse) =>
  Object.fromEntries(
    (body['details'] as { field: string; message: string }[]).map((each) => [each.field, each.message]),
  )

/** The check throws at the first difference. */
async function assertBooks({ operator }: Malipo): Promise<void> {
  assert.ok((await operator.ledger.check({ isFull: true })).transfers >= 0)
}

test('a payout above the limit for one payout is refused with the limit, and uses no reference', async (t) => {
  const { merchant } = await limited(t, { perPayout: '1000' })

  const body = payoutBody(1001)
  const above = await merchant.call('POST', path, body)
  assert.equal(statusOf(above), refused)
  assert.deepEqual(detailsOf(above), { limit: 'per payout', most: '1000.00 KES', left: '1000.00 KES' })
  assert.equal(statusOf(await merchant.call('POST', path, { ...body, amount: 1000 })), 'accepted')
})

test('each day limit refuses what exceeds it, and says what is left and when it resets', async (t) => {
  for (const [option, name] of [
    ['perCredentialDay', 'per credential and day'],
    ['perMerchantDay', 'per merchant and day'],
    ['perBeneficiaryDay', 'per beneficiary and day'],
  ] as const) {
    const { malipo, merchant } = await limited(t, { [option]: '1000' })
    assert.equal(statusOf(await pay(merchant, 700)), 'accepted')

    const above = await pay(merchant, 301)
    const [day] = await malipo.ask<{ ends: Date }>(
      `select (date_trunc('day', record_time() at time zone 'UTC') + interval '1 day') at time zone 'UTC' as ends`,
    )

    assert.equal(statusOf(above), refused, option)
    assert.deepEqual(detailsOf(above), {
      limit: name,
      most: '1000.00 KES',
      left: '300.00 KES',
      resetsAt: day?.ends.toISOString(),
    })
    assert.equal(statusOf(await pay(merchant, 300)), 'accepted', option)
    assert.equal(statusOf(await pay(merchant, 20)), refused, option)
    await assertBooks(malipo)
  }
})

test('a limit counts only its own credential, beneficiary, merchant, currency and environment', async (t) => {
  const { malipo, merchant } = await limited(t, { perCredentialDay: '1000', perBeneficiaryDay: '600' })
  const { operator } = malipo
  const pair = await operator.keys.create(merchant.id, { env: 'sandbox' })
  const second = await malipo.as({ publicKey: pair.publicKey, apiKey: pair.apiKey })
  const stranger = await malipo.merchant()
  await operator.payoutControls.setLimits(merchant.id, { ...order, env: 'live', perPayout: '1' })

  assert.equal(statusOf(await pay(merchant, 600)), 'accepted')
  assert.equal(statusOf(await pay(merchant, 20)), refused, 'the beneficiary is full')
  const renamed = { payoutMethod: { accountName: 'A. Otieno', accountNumber: '+254 703 456789' } }
  assert.equal(statusOf(await pay(merchant, 20, renamed)), refused, 'written differently, it is the same account')
  assert.equal(statusOf(await pay(second, 20)), refused, 'for another credential too')
  assert.equal(statusOf(await pay(merchant, 400, to('+254703456780'))), 'accepted')
  assert.equal(statusOf(await pay(merchant, 20, to('+254703456781'))), refused, 'the credential is full')
  assert.equal(statusOf(await pay(second, 600, to('+254703456781'))), 'accepted')
  assert.equal(statusOf(await pay(stranger, 5000)), 'accepted')
  const ugandan = { currency: 'UGX', country: 'UG', ...to('+256783456789') }
  assert.equal(statusOf(await pay(merchant, 5000, ugandan)), 'accepted', 'another wallet')
})

test("a limit is in the currency of the wallet that pays, at the payout's own rate", async (t) => {
  const { malipo, merchant } = await limited(t, { currency: 'USD', perMerchantDay: '10' })
  await malipo.ask('delete from rates')
  await malipo.ask(`insert into rates values ('sandbox', 'USD', 'KES', now(), 100, 100, 'house')`)
  const fromDollars = { debitCurrency: 'USD', debitCountry: 'KE' }

  assert.equal(statusOf(await pay(merchant, 600, fromDollars)), 'accepted')
  assert.equal(statusOf(await pay(merchant, 600, fromDollars)), refused)
  assert.equal(statusOf(await pay(merchant, 600)), 'accepted', 'from the KES wallet')
})

test('a cancelled payout returns its share, and the next day starts from zero', async (t) => {
  const { malipo, merchant } = await limited(t, { perMerchantDay: '1000', perBeneficiaryDay: '1000' })
  t.after(() => malipo.ask(`update clock_offset set ahead = '0'`))
  const { body } = await pay(merchant, 900)
  assert.equal(statusOf(await pay(merchant, 900)), refused)

  const cancelled = await merchant.call('POST', `${path}/${body['transactionId']}/cancel`)

  assert.equal(cancelled.status, 200)
  assert.equal(statusOf(await pay(merchant, 950)), 'accepted')
  assert.equal(statusOf(await pay(merchant, 900)), refused)
  await malipo.ask(`update clock_offset set ahead = '24 hours'`)
  assert.equal(statusOf(await pay(merchant, 900)), 'accepted')
  await assertBooks(malipo)
})

test('a refused payout counts for no limit, and a repeated request counts once', async (t) => {
  const { malipo, merchant } = await limited(t, { perMerchantDay: '1000' })
  const headers = { authorization: `Bearer ${await merchant.token()}`, 'idempotency-key': 'once' }
  const body = payoutBody(600)

  const same = await Promise.all(Array.from({ length: 10 }, () => malipo.call('POST', path, headers, body)))
  const used = await merchant.call('POST', path, { ...body, amount: 20 })

  assert.deepEqual(new Set(same.map(statusOf)), new Set(['accepted']))
  assert.equal(used.status, 409)
  assert.equal(statusOf(await pay(merchant, 400)), 'accepted')
})

test('of fifty payouts sent at once to two processes, a limit for ten accepts ten', async (t) => {
  for (const option of ['perCredentialDay', 'perMerchantDay', 'perBeneficiaryDay'] as const) {
    const { malipo, merchant } = await limited(t, { [option]: '1000' })
    const other = await testMalipo(t, noProvider)
    const headers = { authorization: `Bearer ${await merchant.token()}` }
    const processes = [malipo, other]

    const all = await Promise.all(
      Array.from({ length: 50 }, (_, index) => processes[index % 2]?.call('POST', path, headers, payoutBody(100))),
    )

    const statuses = all.map((each) => each && statusOf(each))
    assert.equal(statuses.filter((status) => status === 'accepted').length, 10, option)
    assert.equal(statuses.filter((status) => status === refused).length, 40, option)
    await assertBooks(malipo)
  }
})

test('whatever is paid and cancelled in any order, no sum of a day exceeds its limit', async (t) => {
  const malipo = await testMalipo(t, noProvider)
  const other = await testMalipo(t, noProvider)
  const step = fc.record({
    amount: fc.integer({ min: 20, max: 400 }),
    account: fc.constantFrom('+254703456789', '+254703456780', '+254703456781'),
    isCancelled: fc.boolean(),
    isElsewhere: fc.boolean(),
  })

  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
      const merchant = await malipo.merchant()
      const limits = { perPayout: '350', perCredentialDay: '2000', perMerchantDay: '1500', perBeneficiaryDay: '800' }
      await malipo.operator.payoutControls.setLimits(merchant.id, { ...order, ...limits })
      const headers = { authorization: `Bearer ${await merchant.token()}` }

      await Promise.all(
        steps.map(async ({ amount, account, isCancelled, isElsewhere }) => {
          const at = isElsewhere ? other : malipo
          const { status, body } = await at.call('POST', path, headers, payoutBody(amount, to(account)))
          assert.ok(status === 200 || status === 422, JSON.stringify(body))
          if (status === 200 && isCancelled) await at.call('POST', `${path}/${body['transactionId']}/cancel`, headers)
        }),
      )

      const [sums] = await malipo.ask<{ held: bigint; counted: bigint; biggest: bigint }>(
        `select (select coalesce(sum(wallet_amount), 0)::bigint from transactions where merchant_id = $1 and state = 'accepted') as held,
           (select coalesce(max(spent), 0) from payout_days where merchant_id = $1 and kind = 'merchant') as counted,
           (select coalesce(max(spent), 0) from payout_days where merchant_id = $1 and kind = 'beneficiary') as biggest`,
        [readId('merchant', merchant.id)],
      )
      assert.ok(sums && BigInt(sums.held) <= 150_000n && BigInt(sums.biggest) <= 80_000n)
      assert.equal(BigInt(sums.counted), BigInt(sums.held))
    }),
    { numRuns: 15 },
  )
  await assertBooks(malipo)
})

test('payouts and cancellations at once in two processes share their limits without a deadlock', async (t) => {
  const { malipo, merchant } = await limited(t, { perMerchantDay: '1000000', perBeneficiaryDay: '1000000' })
  const other = await testMalipo(t, noProvider)
  const headers = { authorization: `Bearer ${await merchant.token()}` }

  const all = await Promise.all(
    Array.from({ length: 60 }, async (_, index) => {
      const at = index % 2 === 0 ? malipo : other
      const number = `+25470345678${index % 7}`
      const { status, body } = await at.call('POST', path, headers, payoutBody(20, to(number)))
      if (index % 3 > 0 || status !== 200) return status
      return (await at.call('POST', `${path}/${body['transactionId']}/cancel`, headers)).status
    }),
  )

  assert.deepEqual(new Set(all), new Set([200]))
  await assertBooks(malipo)
})
