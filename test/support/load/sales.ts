import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { until } from '../../../packages/server/src/dev-stack/until.ts'
import { cardBody, cards, codes } from '../../../packages/server/src/testing/charging.ts'
import type { ApiResponse } from '../../../packages/server/src/testing/malipo.ts'
import type { CellMerchant } from '../cluster/cell.ts'
import type { Random } from '../cluster/random.ts'

/** What the customer does where a bank page or an account waits for them. */
type Mind = 'yes' | 'no' | 'late' | 'short' | 'over' | 'in parts'

/** A sale of a merchant, and its charge. */
export interface Sale {
  readonly merchant: CellMerchant
  readonly path: 'card' | 'bank-transfer'
  readonly body: { readonly externalReference: string; readonly amount: number; readonly currency: string }
  /** Includes the idempotency key, if any. */
  readonly headers: Readonly<Record<string, string>>
  readonly mind: Mind
  /** Shown id, once the merchant has a response. */
  id?: string
  /** Where a late customer goes. */
  place?: { readonly page: string } | { readonly account: string }
}

/** A transaction as a merchant reads it. */
interface Read {
  readonly transactionId: string
  readonly status: string
  readonly nextAction: { readonly type: string; readonly redirectUrl?: string }
  readonly virtualAccount?: { readonly accountNumber: string }
}

const address = { street1: '1 Market Street', city: 'Lagos', state: 'LA', zip: '100001', country: 'NG' }
const rightValues: Readonly<Record<string, readonly [string, unknown]>> = {
  PIN: ['pin', codes.pin],
  OTP: ['otp', codes.otp],
  ADDRESS: ['address', address],
}

function makeSale(random: Random, merchant: CellMerchant, path: Sale['path'], body: object, minds: Mind[]): Sale {
  const reference = randomUUID()
  return {
    merchant,
    path,
    body: { amount: 100 + random.below(5000), currency: 'NGN', ...body, externalReference: reference },
    headers: random.below(2) === 0 ? { 'idempotency-key': reference } : {},
    mind: random.pick(minds),
  }
}

export function sellByCard(random: Random, merchant: CellMerchant, number: string): Sale {
  const { amount: _, ...body } = cardBody(number)
  return makeSale(random, merchant, 'card', body, ['yes', 'yes', 'no', 'late'])
}

export function sellByTransfer(random: Random, merchant: CellMerchant): Sale {
  const body = { email: 'amina@example.com', currency: random.pick(['NGN', 'NGN', 'KES']) }
  const minds: Mind[] = ['yes', 'yes', 'no', 'late', 'short', 'over', 'in parts']
  return makeSale(random, merchant, 'bank-transfer', body, minds)
}

export const anyCard = (random: Random) => random.pick(Object.values(cards))

/** Sends the charge. Undefined without a response. */
export async function ask(sale: Sale, url: string): Promise<ApiResponse | undefined> {
  const { merchant, path, body, headers } = sale
  const response = await merchant.call(url, 'POST', `/fiat/deposit/${path}`, body, headers).catch(() => undefined)
  const { transactionId } = (response?.body['data'] ?? {}) as { transactionId?: string }
  if (transactionId !== undefined) sale.id = known(sale, transactionId)
  return response
}

/** One reference is one charge, always. */
function known({ id, body }: Sale, given: string): string {
  assert.ok(id === undefined || id === given, `${body.externalReference} was ${id} and is now ${given}`)
  return given
}

/** Reads a charge by its reference. Undefined when there is none. */
export async function read(sale: Sale, url: string): Promise<Read | undefined> {
  const { status, body } = await sale.merchant.call(url, 'GET', `/transactions/${sale.body.externalReference}`)
  assert.ok(status === 200 || (status === 404 && sale.id === undefined), `${status}: ${JSON.stringify(body)}`)
  if (status === 404) return undefined
  const found = body['data'] as Read
  sale.id = known(sale, found.transactionId)
  return found
}

interface CustomerAnswer {
  readonly type: string
  readonly value: unknown
}

/** The customer's answer to the charge's question, right or wrong. Undefined when it asks nothing. */
export async function nextAnswer(sale: Sale, url: string, isRight = true): Promise<CustomerAnswer | undefined> {
  const found = await read(sale, url)
  const [type, right] = rightValues[found?.nextAction.type ?? ''] ?? []
  if (type === undefined) return undefined
  return { type, value: isRight || type === 'address' ? right : codes.wrongPin }
}

/** Passes on the customer's answer. Undefined without a response. */
export function authorise(
  { merchant, id }: Sale,
  url: string,
  answer: CustomerAnswer,
): Promise<ApiResponse | undefined> {
  return merchant.call(url, 'POST', `/fiat/deposit/${id}/authorise`, answer).catch(() => undefined)
}

type Pay = (sale: Sale, amount: number, account: string) => Promise<void>

/** Continues sales whose merchant may have no response, and counts the responses. */
export function openTill(url: string, pay: Pay) {
  const counts = new Map<string, number>()
  const note = (what: string, response: ApiResponse | undefined) => {
    const heading = `${what} ${response?.status}`
    counts.set(heading, (counts.get(heading) ?? 0) + 1)
  }

  const continueSales = async (sale: Sale) => {
    if (sale.path === 'card') await continueCard(sale)
    else await continueTransfer(sale)
  }

  /** An existing charge is not made again; a missing one is made now. */
  const continueCard = async (sale: Sale) => {
    const found = await read(sale, url)
    const again = await ask(sale, url)
    note(found ? 'repeated card charge' : 'new card charge', again)
    const hasKey = Object.keys(sale.headers).length > 0
    if (!found || hasKey) assert.equal(again?.status, 200, JSON.stringify(again?.body))
    else assert.deepEqual([again?.status, again?.body['errorCode']], [409, 'E-API-D.S-28'])
    for (let steps = 0; steps < 3; steps += 1) {
      const answer = await nextAnswer(sale, url)
      if (!answer) break
      const response = await authorise(sale, url, answer)
      note(`answer ${answer.type}`, response)
      if (response?.status !== 200) break
    }
    await goToPage(sale)
  }

  const goToPage = async (sale: Sale) => {
    const found = await read(sale, url)
    const page = found?.nextAction.redirectUrl
    if (found?.status !== 'PENDING' || page === undefined) return
    if (sale.mind === 'late') sale.place = { page }
    else await press(page, sale.mind === 'yes' ? 'approve' : 'decline')
  }

  /** Repeats the request until there is an account, or until the service refuses it as a duplicate reference. */
  const continueTransfer = async (sale: Sale) => {
    const opened = await until(`an account for ${sale.body.externalReference}`, async () => {
      const response = await ask(sale, url)
      note('repeated transfer charge', response)
      return response?.status === 503 ? undefined : response
    })
    const found = await read(sale, url)
    assert.ok(found)
    assert.ok(opened.status === 200 || opened.body['errorCode'] === 'E-API-D.S-28', JSON.stringify(opened.body))
    const account = found.virtualAccount?.accountNumber
    if (account !== undefined) await transfer(sale, account, pay)
  }
  return { continueSales, counts }
}

/** The customer pays into the account, as planned. */
async function transfer(sale: Sale, account: string, pay: Pay): Promise<void> {
  const { mind, body } = sale
  const half = Math.floor(body.amount / 2)
  if (mind === 'late') sale.place = { account }
  if (mind === 'yes') await pay(sale, body.amount, account)
  if (mind === 'over') await pay(sale, body.amount + 1.5, account)
  if (mind === 'short' || mind === 'in parts') await pay(sale, half, account)
  if (mind === 'in parts') await pay(sale, body.amount - half, account)
}

/** The customer approves or declines on the bank's page. */
export async function press(page: string, action: 'approve' | 'decline'): Promise<void> {
  const body = new URLSearchParams({ action })
  const { status } = await fetch(page, { method: 'POST', redirect: 'manual', body })
  assert.ok(status === 303 || status === 200, `the page returned ${status}`)
}
