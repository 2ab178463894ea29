import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { chargingMalipo } from '../testing/charging.ts'
import { member } from '../testing/members.ts'

test('no text of a transaction shows the account of a transfer to people who see masked numbers', async (t) => {
  const malipo = await chargingMalipo(t)
  const merchant = await malipo.charging()
  const made = await merchant.send('bank-transfer', {
    ...{ amount: 1500000, currency: 'NGN', email: 'amina@example.com', externalReference: randomUUID() },
  })
  const { transactionId, virtualAccount } = made.body['data'] as {
    readonly transactionId: string
    readonly virtualAccount: { readonly accountNumber: string }
  }
  const { accountNumber } = virtualAccount
  const root = `/dashboard/v1/merchants/${merchant.id}/sandbox`
  const [support, finance] = [
    await member(malipo, merchant.id, ['support']),
    await member(malipo, merchant.id, ['finance']),
  ]
  const paths = [`${root}/search/transactions?q=${transactionId}`, `${root}/transactions/${transactionId}`]

  for (const path of paths) {
    const full = JSON.stringify((await finance.call('GET', path)).body)
    const masked = JSON.stringify((await support.call('GET', path)).body)
    assert.ok(full.includes(`account ${accountNumber} at`), full)
    assert.ok(!masked.includes(accountNumber), masked)
    assert.match(masked, /NGN 1,500,000/)
  }
})
