import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { testDatabase } from '../packages/server/src/dev-stack/servers.ts'
import type { ApiResponse } from '../packages/server/src/testing/malipo.ts'
import { type Cell, type CellMerchant, openCell, type Role } from './support/cluster/cell.ts'
import { proofSize } from './support/cluster/proof.ts'
import { startControlledSimulator } from './support/cluster/simulator-control.ts'
import { payoutBody } from './support/load/payments.ts'

const copiesMax = proofSize('COPIES', 10)
const rounds = proofSize('ROUNDS', 20)

let apis: readonly Role[] = []
let cell: Cell
const endings: (() => unknown)[] = []

// No worker runs: accepted payouts stay accepted. The rate is used for five minutes, which is longer than the test takes.
before(async () => {
  const lifetime = { after: (end: () => unknown) => void endings.push(end) } as never
  const simulator = await startControlledSimulator(lifetime)
  cell = openCell(lifetime, await testDatabase(), simulator.settings)
  apis = await Promise.all([cell.start('api', 'api-1'), cell.start('api', 'api-2')])
  await cell.ask(
    `insert into rates (env, base, quote, at, buy, sell, provider, provider_buy, provider_sell)
     values ('sandbox', 'USD', 'KES', now(), 128.50, 130.25, 'house', 129.00, 129.75)`,
  )
})
after(async () => {
  for (const end of endings.reverse()) await end()
})

/** Sends each body to one of the two processes in turn, all at once. Overloaded requests are retried. */
function sendAll(merchant: CellMerchant, path: string, bodies: readonly object[]): Promise<ApiResponse[]> {
  const send = async (body: object, index: number): Promise<ApiResponse> => {
    for (;;) {
      const response = await merchant.call(apis[index % 2]?.url ?? '', 'POST', path, body)
      if (response.status !== 503) return response
    }
  }
  return Promise.all(bodies.map(send))
}

const codeOf = ({ status, body }: ApiResponse) => (status === 200 ? 'accepted' : String(body['errorCode']))
const walletsOf = async ({ id }: CellMerchant) => {
  const rows = await cell.ask<{ currency: string; available: string }>(
    `select currency, credits_posted - debits_posted - debits_pending as available
     from wallets where merchant_id = $1 and country = 'KE'`,
    [id],
  )
  return new Map(rows.map(({ currency, available }) => [currency, BigInt(available)]))
}

test(`of ${copiesMax} uses of a quote in two processes one is accepted, ${rounds} times`, async () => {
  const merchant = await cell.merchant()
  const before = (await walletsOf(merchant)).get('KES') ?? 0n
  for (let round = 0; round < rounds; round += 1) {
    const { externalReference: _, ...body } = payoutBody()
    const [quoted = assert.fail()] = await sendAll(merchant, '/quotes', [body])
    const { quoteId } = quoted.body['data'] as { quoteId: string }

    const uses = Array.from({ length: copiesMax }, () => ({ externalReference: randomUUID(), quoteId }))
    const codes = (await sendAll(merchant, '/fiat/payout', uses)).map(codeOf)

    assert.equal(codes.filter((code) => code === 'accepted').length, 1)
    assert.equal(codes.filter((code) => code === 'QUOTE_USED').length, copiesMax - 1)
  }
  const [{ used, references } = assert.fail()] = await cell.ask<{ used: number; references: number }>(
    `select (select count(distinct used_by) from quotes where merchant_id = $1)::int as used,
      (select count(*) from external_references where merchant_id = $1)::int as references`,
    [merchant.id],
  )
  assert.deepEqual([used, references], [rounds, rounds])
  assert.equal((await walletsOf(merchant)).get('KES'), before - BigInt(rounds) * 10_100n)
  await cell.operator.ledger.check({ isFull: true })
})

test('conversions in both directions in two processes neither deadlock nor overdraw', async () => {
  const merchant = await cell.merchant()
  const there = { fromCurrency: 'KES', toCurrency: 'USD', toCountry: 'KE' }
  const back = { fromCurrency: 'USD', fromCountry: 'KE', toCurrency: 'KES' }
  const before = await walletsOf(merchant)
  const bodies = Array.from({ length: 20 * copiesMax }, (_, index) => ({
    externalReference: randomUUID(),
    ...(index % 3 === 0 ? { ...back, amount: 900 } : { ...there, amount: 90_000 }),
  }))

  const responses = await sendAll(merchant, '/conversions', bodies)

  const made = responses.filter(({ status }) => status === 200).map(({ body }) => body)
  const refused = new Set(responses.map(codeOf).filter((code) => code !== 'accepted'))
  assert.deepEqual([...refused], ['INSUFFICIENT_FUNDS'])
  const wallets = await walletsOf(merchant)
  for (const currency of ['KES', 'USD']) {
    const sum = (side: 'from' | 'to') =>
      made
        .filter((body) => body[`${side}Currency`] === currency)
        .reduce((total, body) => total + BigInt(Math.round(Number(body[`${side}Amount`]) * 100)), 0n)
    assert.ok((wallets.get(currency) ?? -1n) >= 0n)
    assert.equal(wallets.get(currency), (before.get(currency) ?? 0n) - sum('from') + sum('to'))
  }
  await cell.operator.ledger.check({ isFull: true })
})
