import { setTimeout as pause } from 'node:timers/promises'
import { providerKeyOf, showId } from '../../../packages/server/src/platform/ids.ts'
import { cards, codes } from '../../../packages/server/src/testing/charging.ts'
import { idIn, insist, type Market, note, type Ordered, type Request } from './market.ts'

/** Kinds of requests, with their pace and their flow. */
export const requests = {
  payout: { everyMs: 250, run: payOut },
  bulk: { everyMs: 1200, run: payMany },
  till: { everyMs: 900, run: payTill },
  momo: { everyMs: 350, run: chargePhone },
  wave: { everyMs: 700, run: chargeByPage },
  card: { everyMs: 350, run: chargeCard },
  transfer: { everyMs: 600, run: chargeByTransfer },
} as const satisfies Record<Request, { readonly everyMs: number; readonly run: (market: Market) => Promise<void> }>

const endings = { payout: ['089', '099', '109', '119'], charge: ['019', '029', '039', '049'] } as const
const stuckEnding = '129'

/** One in ten has a number that fails. */
function phoneOf({ random }: Market, kind: keyof typeof endings, ending?: string): string {
  const ordinary =
    random.below(10) === 0 ? random.pick<string>(endings[kind]) : `${random.below(10)}0${random.below(9)}`
  return `+2547${10 + random.below(19)}${String(random.below(1000)).padStart(3, '0')}${ending ?? ordinary}`
}

const common = ({ amount, reference }: Ordered, currency: string) => ({
  amount,
  currency,
  externalReference: reference,
})

function payoutBody(order: Ordered, phone: string): object {
  const payoutMethod = { accountName: 'Juma', accountNumber: phone, code: 'MPESA_KE' }
  return { ...common(order, 'KES'), country: 'KE', destination: 'MoMo', payoutMethod }
}

async function payOut(market: Market): Promise<void> {
  const isStuck = market.random.below(12) === 0
  const order = note(market, 'payout', isStuck ? { isStuck } : {})
  const phone = phoneOf(market, 'payout', isStuck ? stuckEnding : undefined)
  order.id = idIn(await insist(market, order.merchant, '/fiat/payout', payoutBody(order, phone)))
}

const manyAre = 4

/** Retried under its key until every item is accepted. */
async function payMany(market: Market): Promise<void> {
  const merchant = market.random.pick(market.merchants)
  const orders = Array.from({ length: manyAre }, () => note(market, 'bulk', { merchant }))
  const payouts = orders.map((order) => payoutBody(order, phoneOf(market, 'payout')))
  const resultsOf = ({ body }: { body: Record<string, unknown> }) =>
    body['data'] as { success: boolean; transactionId?: string }[]
  const isDone = (response: { body: Record<string, unknown> }) => resultsOf(response).every(({ success }) => success)
  const response = await insist(market, merchant, '/fiat/payouts/bulk', { payouts }, { isDone })
  for (const [index, { transactionId }] of resultsOf(response).entries()) {
    const order = orders[index]
    if (order) order.id = idIn({ ...response, body: { transactionId } })
  }
}

/** The lane of tills is paused meanwhile, so that every second one can be cancelled. */
async function payTill(market: Market): Promise<void> {
  const order = note(market, 'till')
  const payoutMethod = { accountName: 'Duka', accountNumber: '5432100' }
  const body = { ...common(order, 'KES'), country: 'KE', destination: 'Till', payoutMethod }
  order.id = idIn(await insist(market, order.merchant, '/fiat/payout', body))
  if (market.random.below(2) === 0) return
  const path = `/fiat/payout/${showId('transaction', order.id)}/cancel`
  const { status, body: reply } = await insist(market, order.merchant, path, undefined)
  if (status === 200) order.isCancelled = true
  else throw new Error(`not cancelled: ${status} ${JSON.stringify(reply)}`)
}

async function chargePhone(market: Market): Promise<void> {
  const order = note(market, 'momo')
  const body = { ...common(order, 'KES'), phoneNumber: phoneOf(market, 'charge'), momoOperatorId: 'MPESA_KE' }
  order.id = idIn(await insist(market, order.merchant, '/fiat/deposit/momo', body))
}

const keyOf = (id: string) => providerKeyOf(id, 1)
/** A customer whose payment the provider does not know, or has ended, does nothing more. */
const ifThere = (acting: Promise<void>) => acting.catch(() => undefined)

async function chargeByPage(market: Market): Promise<void> {
  const order = note(market, 'wave')
  const urls = { successRedirectUrl: 'https://shop.example/yes', failureRedirectUrl: 'https://shop.example/no' }
  const payer = { phoneNumber: '+2250534567789', momoOperatorId: 'WAVE_CI' }
  const body = { ...common(order, 'XOF'), ...payer, ...urls }
  order.id = idIn(await insist(market, order.merchant, '/fiat/deposit/momo', body))
  await ifThere(market.simulator.approve(keyOf(order.id)))
}

const customer = { email: 'amina@example.com', firstName: 'Amina', lastName: 'Otieno', ipAddress: '102.89.23.10' }
const address = { street1: '1 Market Street', city: 'Lagos', state: 'LA', zip: '100001', country: 'NG' }
const nextYear = String(new Date().getUTCFullYear() + 1)
const ordinaryCards = [cards.succeeds, cards.asksPin, cards.asksPin, cards.asksAddress, cards.declined] as const
const answers = { PIN: ['pin', codes.pin], OTP: ['otp', codes.otp], ADDRESS: ['address', address] } as const

async function chargeCard(market: Market): Promise<void> {
  const order = note(market, 'card')
  const number = market.random.pick(ordinaryCards)
  const cardDetails = { number, cvv: codes.cvv, expMonth: '09', expYear: nextYear }
  const body = { ...common(order, 'NGN'), ...customer, cardDetails, successRedirectUrl: 'https://shop.example/paid' }
  order.id = idIn(await insist(market, order.merchant, '/fiat/deposit/card', body))
  for (let asked = await nextQuestion(market, order, ''); asked; asked = await nextQuestion(market, order, asked))
    await answerQuestion(market, order, asked)
}

type Question = keyof typeof answers

const customerMs = 5000
const pollEveryMs = 200

/** The customer's next question. A customer who waits too long for it leaves. */
async function nextQuestion(market: Market, order: Ordered, before: string): Promise<Question | undefined> {
  const { random, urls } = market
  const deadline = performance.now() + customerMs
  while (performance.now() < deadline) {
    const path = `/transactions/${order.reference}`
    const found = await order.merchant.call(random.pick(urls), 'GET', path).catch(() => undefined)
    const { status, nextAction } = (found?.body['data'] ?? {}) as { status?: string; nextAction?: { type: string } }
    const type = nextAction?.type ?? ''
    if (status === 'PENDING' && type !== before && type in answers) return type as Question
    if (status !== undefined && status !== 'PENDING') return undefined
    await pause(pollEveryMs)
  }
  return undefined
}

/** Retries only briefly: the charge may be with its lane by now, and then it expires. */
async function answerQuestion(market: Market, order: Ordered, question: Question): Promise<void> {
  const [type, value] = answers[question]
  const path = `/fiat/deposit/${showId('transaction', order.id ?? '')}/authorise`
  await insist(market, order.merchant, path, { type, value }, { within: customerMs }).catch(() => undefined)
}

/** Most pay in two parts, and one in twenty only the first. */
async function chargeByTransfer(market: Market): Promise<void> {
  const order = note(market, 'transfer')
  const body = { ...common(order, 'NGN'), email: customer.email }
  const response = await insist(market, order.merchant, '/fiat/deposit/bank-transfer', body)
  order.id = idIn(response)
  const { virtualAccount } = response.body['data'] as { virtualAccount: { accountNumber: string } }
  const pay = (sum: number) => market.simulator.pay(key, `${sum}.00`, virtualAccount.accountNumber)
  const first = market.random.below(order.amount - 1) + 1
  const key = keyOf(order.id)
  await ifThere(pay(first))
  if (market.random.below(20) > 0) await ifThere(pay(order.amount - first))
}
