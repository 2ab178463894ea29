import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { testMalipo } from '../../server/src/testing/malipo.ts'
import { Malipo, NetworkError, ValidationError } from './index.ts'

const settings = {
  MALIPO_SIMULATOR_URL: 'http://127.0.0.1:9',
  MALIPO_SIMULATOR_TOKEN: 'unused-simulator-token',
  MALIPO_RATE_LIMIT_SANDBOX: '1000',
}

const payout = (number: number) => ({
  amount: 100 + number,
  currency: 'KES',
  country: 'KE',
  destination: 'MoMo' as const,
  externalReference: `p${number}`,
  payoutMethod: { accountName: 'Amina Otieno', accountNumber: '+254703456789' },
})

async function withPayouts(t: TestContext, count: number): Promise<Malipo> {
  const stack = await testMalipo(t, settings)
  const { publicKey, apiKey } = await stack.merchant()
  const malipo = new Malipo({ publicKey, apiKey, baseUrl: stack.url })
  for (let number = 1; number <= count; number += 1) await malipo.payouts.create(payout(number))
  return malipo
}

async function textOf(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = []
  for await (const part of bytes) parts.push(part)
  return Buffer.concat(parts).toString()
}

test('a search reads its pages as needed, in the form of the SDK', async (t) => {
  const malipo = await withPayouts(t, 3)

  const found = await malipo.search.transactions({ q: '0703 456 789', minAmount: 102 }).toArray()

  assert.deepEqual(
    found.map(({ externalReference, status, providerReceipt }) => [externalReference, status, providerReceipt]),
    [
      ['p3', 'pending', ''],
      ['p2', 'pending', ''],
    ],
  )
})

test('exports arrive as bytes, in the requested format', async (t) => {
  const malipo = await withPayouts(t, 2)

  const csv = await textOf(malipo.exports.transactions({ q: 'p2', isMarked: true }))
  const ndjson = await textOf(malipo.exports.statement({ currency: 'KES', format: 'ndjson' }))

  assert.ok(csv.startsWith('\uFEFFtransactionId,'))
  assert.equal(csv.split('\r\n').length, 3)
  assert.equal(JSON.parse(ndjson)['kind'], 'funding')
})

test('an invalid export throws the refusal of the server', async (t) => {
  const malipo = await withPayouts(t, 0)

  await assert.rejects(textOf(malipo.exports.transactions({ startDate: '2026-02-30' })), ValidationError)
})

test('an export that breaks off throws, so that a part is not taken for the whole', async (t) => {
  const server = createServer((request, response) => {
    if (request.method === 'POST') {
      response.end(JSON.stringify({ success: true, token: 'a', expiresAt: Date.now() / 1000 + 3600 }))
      return
    }
    response.write('transactionId\r\n', () => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const malipo = new Malipo({ publicKey: 'pk_test_x', apiKey: 'sk_test_x', baseUrl })

  await assert.rejects(textOf(malipo.exports.transactions()), NetworkError)
})
