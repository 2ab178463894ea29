import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../dev-stack/until.ts'
import { readId } from '../platform/ids.ts'
import { type PayingMalipo, payingMalipo } from '../testing/paying.ts'

const because = { env: 'sandbox', reason: 'maintenance' } as const
let payouts = 0

/** Accepts a payout to a bank in Ghana and returns its provider. Flutterwave is preferred; house can do it too. */
async function providerOf(malipo: PayingMalipo, { call }: Awaited<ReturnType<PayingMalipo['merchant']>>) {
  payouts += 1
  const { status, body } = await call('POST', '/api/b2b/fiat/payout', {
    amount: 20,
    currency: 'GHS',
    country: 'GH',
    destination: 'Bank Account',
    externalReference: `ghana-${payouts}`,
    payoutMethod: { accountName: 'Amina', accountNumber: '0690000031', code: '190100', branchCode: 'GH190101' },
  })
  assert.equal(status, 200, JSON.stringify(body))
  const [row] = await malipo.ask<{ provider: string }>('select provider from transactions where id = $1', [
    readId('transaction', String(body['transactionId'])),
  ])
  return row?.provider
}

test('a payout fails over while its preferred provider is paused, and waits when all are paused', async (t) => {
  const malipo = await payingMalipo(t)
  const merchant = await malipo.merchant()
  const { health } = malipo.ctx
  const { pause, resume } = malipo.operator.providers
  assert.equal(await providerOf(malipo, merchant), 'flutterwave')

  await pause('flutterwave', because)
  await until('all processes to know', () => !health.isUsable('sandbox', 'flutterwave'))
  assert.equal(await providerOf(malipo, merchant), 'house')

  await pause('house', because)
  await until('all processes to know', () => !health.isUsable('sandbox', 'house'))
  assert.equal(await providerOf(malipo, merchant), 'flutterwave')

  await resume('flutterwave', because)
  await resume('house', because)
  await until('all processes to know', () => health.isUsable('sandbox', 'flutterwave'))
  assert.equal(await providerOf(malipo, merchant), 'flutterwave')
})

test('payouts fail over while the preferred provider does not respond', async (t) => {
  const malipo = await payingMalipo(t)
  const merchant = await malipo.merchant()
  const { health } = malipo.ctx
  await malipo.simulator.setFault({ provider: 'flutterwave', operation: 'payout', mode: 'http_status' })
  await malipo.simulator.setFault({ provider: 'flutterwave', operation: 'payout_status', mode: 'http_status' })
  for (let count = 0; count < 5; count += 1) assert.equal(await providerOf(malipo, merchant), 'flutterwave')

  malipo.work()
  await until('it to be unhealthy', () => !health.isUsable('sandbox', 'flutterwave'))
  assert.equal(await providerOf(malipo, merchant), 'house')

  await malipo.simulator.clearFaults()
  await malipo.later(60)
  await until('it to respond again', () => health.isUsable('sandbox', 'flutterwave'))
  assert.equal(await providerOf(malipo, merchant), 'flutterwave')
})
