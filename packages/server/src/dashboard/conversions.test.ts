import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testMalipo } from '../testing/malipo.ts'
import { member, pathIn } from '../testing/members.ts'
import { quote } from '../testing/paying.ts'

const noProvider = { MALIPO_SIMULATOR_URL: 'http://127.0.0.1:9', MALIPO_SIMULATOR_TOKEN: 'unused-simulator-token' }

test('people convert only with the payout permission and in their places, and the trail names them', async (t) => {
  const malipo = await testMalipo(t, noProvider)
  await malipo.ask('delete from rates')
  await quote(malipo, 'USD/KES', '128.50', '130.25')
  const merchant = await malipo.merchant()
  const path = pathIn(merchant.id, 'sandbox', '/conversions')
  const [maker, viewer, limited] = [
    await member(malipo, merchant.id, ['finance']),
    await member(malipo, merchant.id, ['viewer']),
    await member(malipo, merchant.id, ['finance'], { currencies: ['KES'] }),
  ]
  const convert = (by: typeof maker, externalReference: string) =>
    by.call('POST', path, { externalReference, fromCurrency: 'KES', toCurrency: 'USD', toCountry: 'KE', amount: 2000 })

  const made = await convert(maker, 'by-maker')
  const refused = [await convert(viewer, 'by-viewer'), await convert(limited, 'by-limited')]

  assert.equal(made.status, 200, JSON.stringify(made.body))
  assert.deepEqual(
    refused.map(({ status, body }) => [status, body['errorCode']]),
    [
      [403, 'PERMISSION_DENIED'],
      [403, 'PERMISSION_DENIED'],
    ],
  )
  const trail = await malipo.ask<{ action: string; actor: string }>(
    `select action, actor from audit_entries where subject = $1 and result = 'done'`,
    [made.body['transactionId']],
  )
  assert.deepEqual(trail, [{ action: 'conversion.create', actor: maker.id }])
})
