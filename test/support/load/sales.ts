import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { until } from '../../../packages/server/src/dev-stack/until.ts'
import { cardBody, cards, codes } from '../../../packages/server/src/testing/charging.ts'
import type { Answer } from '../../../packages/server/src/testing/malipo.ts'
import type { CellMerchant } from '../cluster/cell.ts'
import type { Random } from '../cluster/random.ts'

/** What the customer has in mind, where a page of their bank or an account waits for them. */
type Mind = 'yes' | 'no' | 'late' | 'short' | 'over' | 'in parts'

/** Something a merchant sells, and what is known of its charge. */
export interface Sale {
  readonly merchant: CellMerchant
  readonly path: 'card' | 'bank-transfer'
  readonly body: { readonly externalReference: string; readonly amount: number; readonly currency: string }
  /** With the key it is sent under, if any. */
  readonly headers: Readonly<Record<string, string>>
  readonly mind: Mind
  /** As the API shows it, once the merchant was told. */
  id?: string
  /** Where the customer goes when it is too late. */
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

/** Sends the charge. Nothing when nobody answered. */
export async function ask(sale: Sale, url: string): Promise<Answer | undefined> {
  const { merchant, path, body, headers } = sale
  const answer = await merchant.call(url, 'POST', `/fiat/deposit/${path}`, body, headers).catch(() => undefined)
  const { transactionId } = (answer?.body['data'] ?? {}) as { transactionId?: string }
  if (transactionId !== undefined) sale.id = known(sale, transactionId)
  return answer
}

/** One reference is one charge, whatever happens. */
function known({ id, body }: Sale, told: string): string {
  assert.ok(id === undefined || id === told, `${body.externalReference} was ${id}, and is ${told}`)
  return told
}

/** Reads a charge by its reference. Nothing when there is none. */
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

/** What the customer answers to what the charge asks for, rightly or not. Nothing when it asks for nothing. */
export async function nextAnswer(sale: Sale, url: string, isRight = true): Promise<CustomerAnswer | undefined> {
  const found = await read(sale, url)
  const [type, right] = rightValues[found?.nextAction.type ?? ''] ?? []
  if (type === undefined) return undefined
  return { type, value: isRight || type === 'address' ? right : codes.wrongPin }
}

/** Passes on what the customer answers. Nothing when nobody answered. */
export function authorise({ merchant, id }: Sale, url: string, answer: CustomerAnswer): Promise<Answer | undefined> {
  return merchant.call(url, 'POST', `/fiat/deposit/${id}/authorise`, answer).catch(() => undefined)
}

type Pay = (sale: Sale, amount: number, account: string) => Promise<void>

/** What becomes of sales whose merchant may have been left without an answer; counts what they are told. */
export function openTill(url: string, pay: Pay) {
  const told = new Map<string, number>()
  const note = (what: string, answer: Answer | undefined) => {
    const heading = `${what} ${answer?.status}`
    told.set(heading, (told.get(heading) ?? 0) + 1)
  }

  const goOn = async (sale: Sale) => {
    if (sale.path === 'card') await goOnByCard(sale)
    else await goOnByTransfer(sale)
  }

  /** A charge that is there is not made again; one that is not is made now. */
  const goOnByCard = async (sale: Sale) => {
    const found = await read(sale, url)
    const again = await ask(sale, url)
    note(found ? 'card again' : 'card anew', again)
    const hasKey = Object.keys(sale.headers).length > 0
    if (!found || hasKey) assert.equal(again?.status, 200, JSON.stringify(again?.body))
    else assert.deepEqual([again?.status, again?.body['errorCode']], [409, 'E-API-D.S-28'])
    for (let steps = 0; steps < 3; steps += 1) {
      const answer = await nextAnswer(sale, url)
      if (!answer) break
      const said = await authorise(sale, url, answer)
      note(`answer ${answer.type}`, said)
      if (said?.status !== 200) break
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

  /** The same is sent until there is an account, or until it is known that the first was told of it. */
  const goOnByTransfer = async (sale: Sale) => {
    const answer = await until(`an account for ${sale.body.externalReference}`, async () => {
      const said = await ask(sale, url)
      note('transfer again', said)
      return said?.status === 503 ? undefined : said
    })
    const found = await read(sale, url)
    assert.ok(found)
    assert.ok(answer.status === 200 || answer.body['errorCode'] === 'E-API-D.S-28', JSON.stringify(answer.body))
    const account = found.virtualAccount?.accountNumber
    if (account !== undefined) await transfer(sale, account, pay)
  }
  return { goOn, told }
}

/** The customer pays into the account, as they have in mind. */
async function transfer(sale: Sale, account: string, pay: Pay): Promise<void> {
  const { mind, body } = sale
  const half = Math.floor(body.amount / 2)
  if (mind === 'late') sale.place = { account }
  if (mind === 'yes') await pay(sale, body.amount, account)
  if (mind === 'over') await pay(sale, body.amount + 1.5, account)
  if (mind === 'short' || mind === 'in parts') await pay(sale, half, account)
  if (mind === 'in parts') await pay(sale, body.amount - half, account)
}

/** The customer says yes or no on the page of their bank. */
export async function press(page: string, action: 'approve' | 'decline'): Promise<void> {
  const body = new URLSearchParams({ action })
  const { status } = await fetch(page, { method: 'POST', redirect: 'manual', body })
  assert.ok(status === 303 || status === 200, `the page answered ${status}`)
}
