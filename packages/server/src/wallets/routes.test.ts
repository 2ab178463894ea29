import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPlatformAccounts } from '../ledger/accounts.ts'
import { readId } from '../platform/ids.ts'
import { movement } from '../testing/ledger.ts'
import { type Malipo, testMalipo } from '../testing/malipo.ts'
import { createPoster } from '../testing/poster.ts'

type Merchant = Awaited<ReturnType<Malipo['merchant']>>
interface Statement {
  opening: number
  closing: number
  lines: {
    at: string
    transactionId: string
    externalReference: string
    type: string
    amount: number
    balance: number
  }[]
}

const path = '/api/b2b/wallets/statement'

/** Moves money in and out of the merchant's KES wallet, one movement after another. */
async function move(malipo: Malipo, merchant: Merchant, amounts: readonly bigint[]): Promise<void> {
  const [wallet] = await malipo.ask<{ id: string }>(
    `select id from wallets where merchant_id = $1 and currency = 'KES'`,
    [readId('merchant', merchant.id)],
  )
  const id = wallet?.id ?? ''
  const fees = await createPlatformAccounts(malipo.ctx.db.write, 0).idOf({
    env: 'sandbox',
    kind: 'fees',
    currency: 'KES',
  })
  const poster = createPoster(malipo.ctx.db.write)
  for (const amount of amounts) {
    const sides =
      amount > 0n ? { debit_account: fees, credit_account: id } : { debit_account: id, credit_account: fees }
    const size = amount > 0n ? amount : -amount
    assert.equal(
      await poster.submit({ wallets: [id], movements: [movement({ kind: 'transfer', ...sides, amount: size })] }),
      undefined,
    )
  }
}

const read = async (merchant: Merchant, query: string) => {
  const { status, body, headers } = await merchant.call('GET', `${path}?${query}`)
  assert.equal(status, 200, JSON.stringify(body))
  return { ...(body['data'] as Statement), link: headers.get('link') }
}

test('a statement shows its opening, every line with its running balance, and its closing', async (t) => {
  const malipo = await testMalipo(t)
  const merchant = await malipo.merchant()
  await move(malipo, merchant, [50_25n, -20_00n])

  const { opening, lines, closing } = await read(merchant, 'currency=KES')

  assert.equal(opening, 0)
  assert.deepEqual(
    lines.map(({ type, amount, balance }) => [type, amount, balance]),
    [
      ['wallet_funded', 1_000_000, 1_000_000],
      ['test', 50.25, 1_000_050.25],
      ['test', -20, 1_000_030.25],
    ],
  )
  assert.equal(closing, 1_000_030.25)
  assert.match(lines[0]?.transactionId ?? '', /^txn_[0-9a-f]{32}$/)
  assert.equal(lines[0]?.externalReference, '')
})

test('pages follow without a gap: each opens with the closing of the previous one', async (t) => {
  const malipo = await testMalipo(t)
  const merchant = await malipo.merchant()
  await move(
    malipo,
    merchant,
    Array.from({ length: 249 }, (_, index) => BigInt(index + 1)),
  )

  const pages = [await read(merchant, 'currency=KES')]
  for (let link = pages.at(-1)?.link; link; link = pages.at(-1)?.link)
    pages.push(await read(merchant, new URL(link.slice(1, link.indexOf('>')), 'http://x').search.slice(1)))

  assert.deepEqual(
    pages.map(({ lines }) => lines.length),
    [100, 100, 50],
  )
  for (const [index, page] of pages.entries()) assert.equal(page.opening, pages[index - 1]?.closing ?? 0)
  assert.equal(pages.at(-1)?.closing, 1_000_000 + (249 * 250) / 2 / 100)
})

test('a day is included whole, and a wallet without lines in it keeps its balance', async (t) => {
  const malipo = await testMalipo(t)
  const merchant = await malipo.merchant()
  const today = new Date().toISOString().slice(0, 10)

  const during = await read(merchant, `currency=KES&country=KE&startDate=${today}&endDate=${today}`)
  const before = await read(merchant, 'currency=KES&endDate=2020-01-01')
  const after = await read(merchant, 'currency=KES&startDate=2090-01-01')

  assert.deepEqual([during.opening, during.lines.length, during.closing], [0, 1, 1_000_000])
  assert.deepEqual([before.opening, before.lines.length, before.closing], [0, 0, 0])
  assert.deepEqual([after.opening, after.lines.length, after.closing], [1_000_000, 0, 1_000_000])
})

test('a shared currency is read in the requested country, or the home country by default', async (t) => {
  const malipo = await testMalipo(t)
  const merchant = await malipo.merchant()

  assert.equal((await read(merchant, 'currency=XOF&country=CI')).closing, 5_000_000)
  assert.equal((await read(merchant, 'currency=XOF')).closing, 0)
  assert.equal((await read(merchant, 'currency=USD')).closing, 10_000)
})

test("a merchant cannot read another merchant's wallet, nor live read the sandbox's", async (t) => {
  const malipo = await testMalipo(t)
  const [mine, other] = [await malipo.merchant(), await malipo.merchant({ env: 'live' })]
  await move(malipo, mine, [5_00n])

  assert.equal((await read(other, 'currency=KES')).closing, 0)
  assert.equal((await read(mine, 'currency=KES')).closing, 1_000_005)
})

const refused: Record<string, [string, number, string]> = {
  'no currency': ['', 400, 'VALIDATION_ERROR'],
  'an unknown currency': ['currency=ABC', 422, 'UNSUPPORTED_CURRENCY'],
  'a day that is none': ['currency=KES&startDate=2026-02-30', 400, 'VALIDATION_ERROR'],
  'a start after the end': ['currency=KES&startDate=2026-02-02&endDate=2026-02-01', 400, 'VALIDATION_ERROR'],
  'a country that is none': ['currency=KES&country=Kenya', 400, 'VALIDATION_ERROR'],
  'a cursor that is none': ['currency=KES&cursor=x', 400, 'VALIDATION_ERROR'],
  'a parameter that is not known': ['currency=KES&page=2', 400, 'VALIDATION_ERROR'],
}

for (const [name, [query, status, code]] of Object.entries(refused)) {
  test(`a statement with ${name} is refused`, async (t) => {
    const malipo = await testMalipo(t)
    const merchant = await malipo.merchant()

    const answer = await merchant.call('GET', `${path}?${query}`)

    assert.deepEqual([answer.status, answer.body['errorCode']], [status, code])
  })
}
