/** Each kind of activity as calls of the API, and how it ends at the provider. */
import { setTimeout as pause } from 'node:timers/promises'
import { until } from '../../packages/server/src/dev-stack/until.ts'
import type { Activity, Card } from './plan.ts'
import { keyOf } from './shop.ts'
import { act, type Stage } from './stage.ts'

export interface Started {
  /** Resolves when the provider has it. Before that the clock must not move far: its deadline would pass. */
  sent(): Promise<unknown>
  /** Has the customer, the provider or the approver do what ends it. */
  finish(): Promise<void>
  /** Resolves when the shop knows the end. */
  ended(): Promise<unknown>
}

type Of<Kind extends Activity['kind']> = Extract<Activity, { readonly kind: Kind }>

export function playActivity(stage: Stage, activity: Activity): Promise<Started> {
  switch (activity.kind) {
    case 'momo':
      return chargePhone(stage, activity)
    case 'card':
      return chargeCard(stage, activity)
    case 'transfer':
      return chargeByTransfer(stage, activity)
    case 'payout':
      return payOut(stage, activity)
    case 'refund':
      return refund(stage, activity)
    case 'conversion':
      return convert(stage, activity)
    case 'chargeback':
      return chargeBack(stage, activity)
  }
}

const instant: Started = { sent: async () => undefined, finish: async () => undefined, ended: async () => undefined }

async function chargePhone(stage: Stage, { reference, market, payer, amount, failure }: Of<'momo'>): Promise<Started> {
  const body = { amount, currency: market.currency, phoneNumber: payer.phone, externalReference: reference }
  const { transactionId } = await stage.shop.send('POST', '/fiat/deposit/momo', body)
  return endingBy(stage, String(transactionId), failure)
}

function endingBy({ simulator, receiver }: Stage, id: string, failure: string | undefined): Started {
  const key = keyOf(id)
  return {
    sent: () => until(`the provider to get ${key}`, async () => (await simulator.requests(key)).length > 0),
    finish: () => act(simulator, key, failure),
    ended: () => receiver.ended(id),
  }
}

/** Cards of the sandbox. */
const numbers: Readonly<Record<Card, string>> = {
  succeeds: '4242424242424242',
  asksPin: '5531886652142950',
  declined: '4000000000000002',
  noFunds: '4000000000009995',
}

async function chargeCard(stage: Stage, { reference, currency, payer, amount, card }: Of<'card'>): Promise<Started> {
  const { firstName, lastName, email } = payer
  const { data } = await stage.shop.send('POST', '/fiat/deposit/card', {
    ...{ amount, currency, email, firstName, lastName, externalReference: reference },
    ipAddress: `102.${stage.chance.between(1, 250)}.${stage.chance.between(1, 250)}.${stage.chance.between(1, 250)}`,
    cardDetails: { number: numbers[card], cvv: '739', expMonth: '09', expYear: '2032' },
  })
  const id = (data as { transactionId: string }).transactionId
  if (card !== 'asksPin') return endingBy(stage, id, card === 'succeeds' ? undefined : 'declined')
  const answer = (type: string, value: string) =>
    stage.shop.send('POST', `/fiat/deposit/${id}/authorise`, { type, value })
  return {
    ...instant,
    finish: async () => {
      await answer('pin', '1234')
      await stage.clock.forward(stage.chance.between(4_000, 9_000))
      await answer('otp', '123456')
    },
    ended: () => stage.receiver.ended(id),
  }
}

async function chargeByTransfer(stage: Stage, { reference, payer, amount, paid }: Of<'transfer'>): Promise<Started> {
  const body = { amount, currency: 'NGN', email: payer.email, externalReference: reference }
  const { data } = await stage.shop.send('POST', '/fiat/deposit/bank-transfer', body)
  const id = (data as { transactionId: string }).transactionId
  return {
    ...instant,
    finish: () => stage.simulator.pay(keyOf(id), paid.toFixed(2)),
    ended: async () => (paid < amount ? undefined : stage.receiver.ended(id)),
  }
}

export function payoutBody({ reference, market, payee, amount, bank }: Omit<Of<'payout'>, 'kind' | 'failure'>) {
  const { country, currency } = market
  const accountName = `${payee.firstName} ${payee.lastName}`
  const digits = payee.phone.slice(-9)
  const to =
    bank === undefined
      ? { destination: 'MoMo', payoutMethod: { accountName, accountNumber: payee.phone } }
      : { destination: 'Bank Account', payoutMethod: { accountName, accountNumber: `0${digits}`, code: bank } }
  return { amount, currency, country, externalReference: reference, ...to }
}

async function payOut(stage: Stage, activity: Of<'payout'>): Promise<Started> {
  const { transactionId } = await stage.shop.send('POST', '/fiat/payout', payoutBody(activity))
  const id = String(transactionId)
  const { sent, finish, ended } = endingBy(stage, id, activity.failure)
  if (!activity.isApproved) return { sent, finish, ended }
  return {
    ...instant,
    finish: async () => {
      await stage.clock.forward(stage.chance.between(4, 25) * 60_000)
      await stage.shop.asPerson('approver', 'POST', `/approvals/${id}/approve`, { reason: 'invoice checked' })
      await finish()
    },
    ended,
  }
}

async function refund(stage: Stage, { reference, of, amount, reason }: Of<'refund'>): Promise<Started> {
  const body = { externalReference: reference, amount, reason }
  const { transactionId } = await stage.shop.send('POST', `/transactions/${of}/refunds`, body)
  return endingBy(stage, String(transactionId), undefined)
}

/** After the clock moved, the worker must get new rates first. Without NATS it cannot be asked to, and the demo has no conversions. */
async function convert(stage: Stage, { reference, from, to, amount }: Of<'conversion'>): Promise<Started> {
  const { refreshRates } = stage
  if (!refreshRates) return instant
  refreshRates()
  const body = { externalReference: reference, fromCurrency: from, toCurrency: to, amount }
  const isConverted = async () => {
    try {
      await stage.shop.send('POST', '/conversions', body)
      return true
    } catch (error) {
      if (!/FX_RATE_UNAVAILABLE/.test((error as Error).message)) throw error
      refreshRates()
      await pause(200)
      return false
    }
  }
  return { ...instant, finish: async () => void (await until(`a rate for ${reference}`, isConverted)) }
}

/** The card's bank takes the money back. */
async function chargeBack(stage: Stage, { of }: Of<'chargeback'>): Promise<Started> {
  const { data } = await stage.shop.send('GET', `/transactions/${of}`)
  const id = (data as { transactionId: string }).transactionId
  return { ...instant, finish: () => stage.simulator.reverse(keyOf(id)) }
}
