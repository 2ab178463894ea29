import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import type { ApiResponse } from './malipo.ts'

interface Caller {
  call(method: string, path: string, body?: unknown): Promise<ApiResponse>
}

export interface SearchedRow {
  readonly transactionId: string
  readonly providerReceipt?: string
  readonly customer?: object
  readonly [field: string]: unknown
}

interface SearchedPage {
  readonly data: readonly SearchedRow[]
  readonly nextCursor: string
}

let numbers = Number.parseInt(randomBytes(2).toString('hex'), 16)
/** A number that no other payment of this file has. */
export const newPhone = () => {
  numbers += 1
  return `+2547120${String(numbers).padStart(5, '0')}`
}

export const idsOf = (rows: readonly SearchedRow[]) => rows.map(({ transactionId }) => transactionId)

export type SearchQuery = Readonly<Record<string, string | number>>

export const textOf = (query: SearchQuery) =>
  new URLSearchParams(Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)])))

export async function page({ call }: Caller, query: SearchQuery): Promise<SearchedPage> {
  const { status, body } = await call('GET', `/api/b2b/search/transactions?${textOf(query)}`)
  assert.equal(status, 200, JSON.stringify(body))
  return body as unknown as SearchedPage
}

export const search = async (caller: Caller, query: SearchQuery) => idsOf((await page(caller, query)).data)

/** Everything that the query finds, page by page. */
export async function walk(caller: Caller, query: SearchQuery, limit: number): Promise<SearchedRow[]> {
  const rows: SearchedRow[] = []
  for (let cursor = ''; ; ) {
    const { data, nextCursor } = await page(caller, { ...query, limit, ...(cursor !== '' && { cursor }) })
    rows.push(...data)
    if (nextCursor === '') return rows
    cursor = nextCursor
  }
}

async function post({ call }: Caller, path: string, body: object): Promise<string> {
  const made = await call('POST', `/api/b2b/fiat/${path}`, body)
  assert.equal(made.status, 200, JSON.stringify(made.body))
  return String(made.body['transactionId'])
}

interface PayoutOptions {
  readonly phone?: string
  readonly reference?: string
  readonly name?: string
}

export const payOut = (
  merchant: Caller,
  { phone = newPhone(), reference = randomUUID(), name = 'Amina' }: PayoutOptions = {},
) =>
  post(merchant, 'payout', {
    ...{ amount: 100, currency: 'KES', country: 'KE', destination: 'MoMo', externalReference: reference },
    payoutMethod: { accountName: name, accountNumber: phone },
  })

export const payOutToBank = (merchant: Caller, accountNumber: string, accountName: string) =>
  post(merchant, 'payout', {
    ...{ amount: 1000, currency: 'NGN', country: 'NG', destination: 'Bank Account', externalReference: randomUUID() },
    payoutMethod: { accountName, accountNumber, code: '044' },
  })

interface ChargeOptions {
  readonly phone: string
  readonly amount?: number
  readonly reference?: string
}

export const charge = (merchant: Caller, { phone, amount = 100, reference = randomUUID() }: ChargeOptions) =>
  post(merchant, 'deposit/momo', { amount, currency: 'KES', phoneNumber: phone, externalReference: reference })
