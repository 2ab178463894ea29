import { randomUUID } from 'node:crypto'
import { codes, keyOf } from '../../packages/server/src/testing/charging.ts'
import type { Random } from '../support/cluster/random.ts'
import type { SimulatorControl } from '../support/cluster/simulator-control.ts'
import type { Client, ClientRequest } from './client.ts'
import type { Merchant } from './merchants.ts'
import * as requests from './request-bodies.ts'

/** What the load works with. */
export interface Floor {
  readonly client: Client
  readonly random: Random
  readonly merchants: readonly Merchant[]
  readonly simulatorControl: () => SimulatorControl
}

/** An action of a merchant, in one or more requests. */
type Flow = (floor: Floor, merchant: Merchant) => Promise<unknown>

const send = ({ client }: Floor, kind: string, merchant: Merchant, path: string, body: object) =>
  client.ask(kind, merchant, { method: 'POST', path, body, key: randomUUID() })
const read = ({ client }: Floor, kind: string, merchant: Merchant, path: string) =>
  client.ask(kind, merchant, { method: 'GET', path, patienceMs: 15_000 })

const payMomo: Flow = (floor, merchant) =>
  send(floor, 'payout by mobile money', merchant, '/fiat/payout', requests.momoPayout(floor.random))
const payBank: Flow = (floor, merchant) =>
  send(floor, 'payout by bank', merchant, '/fiat/payout', requests.bankPayout(floor.random))
const payAcross: Flow = (floor, merchant) =>
  send(floor, 'payout across currencies', merchant, '/fiat/payout', requests.exchangedPayout(floor.random))
const payTooMuch: Flow = (floor, merchant) =>
  send(floor, 'payout beyond the wallet', merchant, '/fiat/payout', requests.overspentPayout(floor.random))
const chargePhone: Flow = (floor, merchant) =>
  send(floor, 'charge by mobile money', merchant, '/fiat/deposit/momo', requests.momoCharge(floor.random))

/** Ten at once: one repeats another's reference, and one is invalid. */
const payMany: Flow = (floor, merchant) => {
  const payouts: object[] = Array.from({ length: 9 }, () => requests.momoPayout(floor.random))
  payouts[8] = { ...payouts[8], amount: -1 }
  return send(floor, 'bulk payout', merchant, '/fiat/payouts/bulk', { payouts: [...payouts, payouts[0]] })
}

/** Cancelled right after acceptance, or by reference just before it: in time while the provider is down. */
const payAndCancel: Flow = async (floor, merchant) => {
  const request = requests.momoPayout(floor.random)
  const paying = send(floor, 'payout to be cancelled', merchant, '/fiat/payout', request)
  if (floor.random.below(3) > 0) await paying
  else await new Promise((resolve) => setTimeout(resolve, 30 + floor.random.below(300)))
  await send(floor, 'cancel', merchant, `/fiat/payout/${request.externalReference}/cancel`, {})
  await paying
}

interface ChargeData {
  readonly transactionId: string
  readonly virtualAccount?: { readonly accountNumber: string }
  readonly status: string
  readonly nextAction?: { readonly type: string }
}

const dataOf = ({ response }: ClientRequest) => (response['data'] ?? response) as unknown as ChargeData

const address = { street1: '1 Moi Avenue', city: 'Nairobi', state: 'Nairobi', zip: '00100', country: 'KE' }

/** Completes every step that the card asks for. */
const chargeCard: Flow = async (floor, merchant) => {
  const started = await send(floor, 'charge by card', merchant, '/fiat/deposit/card', requests.cardCharge(floor.random))
  if (started.outcome !== 'done') return
  const { transactionId } = dataOf(started)
  let last = dataOf(started)
  for (let step = 0; step < 8 && last.status === 'PENDING'; step += 1) {
    await answerStep(floor, merchant, transactionId, last.nextAction?.type ?? 'NONE')
    await new Promise((resolve) => setTimeout(resolve, 400))
    const seen = await read(floor, 'read of a charge', merchant, `/transactions/${transactionId}`)
    if (seen.outcome !== 'done') return
    last = dataOf(seen)
  }
}

async function answerStep(floor: Floor, merchant: Merchant, id: string, type: string): Promise<void> {
  const { random } = floor
  const answer = {
    PIN: { type: 'pin', value: random.below(6) === 0 ? codes.wrongPin : codes.pin },
    OTP: { type: 'otp', value: random.below(6) === 0 ? codes.wrongOtp : codes.otp },
    ADDRESS: { type: 'address', value: address },
  }[type]
  if (answer) await send(floor, 'authorise', merchant, `/fiat/deposit/${id}/authorise`, answer)
  if (type === 'REDIRECT') await act(() => floor.simulatorControl().approve(keyOf(id)))
}

/** Customers pay the exact amount, in two parts, too much, twice, or not at all. */
const chargeByTransfer: Flow = async (floor, merchant) => {
  const { random } = floor
  const request = requests.transferCharge(random)
  const opened = await send(floor, 'charge by bank transfer', merchant, '/fiat/deposit/bank-transfer', request)
  if (opened.outcome !== 'done') return
  const { amount } = request
  const short = 1 + random.below(amount - 1)
  const parts = random.pick([[amount], [amount], [short, amount - short], [short], [amount + 50], [amount, amount], []])
  const { transactionId, virtualAccount } = dataOf(opened)
  for (const part of parts) {
    await act(() =>
      floor.simulatorControl().pay(keyOf(transactionId), String(part), virtualAccount?.accountNumber ?? ''),
    )
    await new Promise((resolve) => setTimeout(resolve, random.below(1500)))
  }
}

/** Refunds a charge of the last minutes, whatever became of it; now and then twice at once. */
const refundCharge: Flow = async (floor, merchant) => {
  const { client, random } = floor
  const charges = client.record
    .slice(-400)
    .filter((sent) => sent.merchant === merchant && sent.kind.startsWith('charge by') && sent.outcome === 'done')
  if (charges.length === 0) return
  const { amount, externalReference } = random.pick(charges).body as { amount: number; externalReference: string }
  const path = `/transactions/${externalReference}/refunds`
  const times = random.below(4) === 0 ? 2 : 1
  await Promise.all(
    Array.from({ length: times }, () => send(floor, 'refund', merchant, path, requests.refund(random, amount))),
  )
}

const convert: Flow = (floor, merchant) =>
  send(floor, 'conversion', merchant, '/conversions', requests.conversion(floor.random))

/** Customers do not retry: a provider that is down is not paid. Its books show what it took without a response. */
const act = (work: () => Promise<void>) => work().catch(() => undefined)

const keepBeneficiary: Flow = async (floor, merchant) => {
  const { client, random } = floor
  const made = await send(floor, 'create beneficiary', merchant, '/external-accounts', requests.beneficiary(random))
  await read(floor, 'list of beneficiaries', merchant, '/external-accounts?limit=20')
  const { id } = (made.response['data'] ?? {}) as { id?: string }
  if (id === undefined) return
  const choice = random.below(3)
  if (choice === 0) {
    const { amount, externalReference } = requests.momoPayout(random)
    await send(floor, 'payout to beneficiary', merchant, '/fiat/payout', {
      amount,
      externalReference,
      externalAccountId: id,
    })
  } else if (choice === 1)
    await client.ask('delete beneficiary', merchant, {
      method: 'DELETE',
      path: `/external-accounts/${id}`,
      key: randomUUID(),
    })
}

const look: Flow = async (floor, merchant) => {
  const { client, random } = floor
  const own = client.record.slice(-200).filter((sent) => sent.merchant === merchant && sent.outcome === 'done')
  const references = own.map(({ body }) => (body as { externalReference?: string } | undefined)?.externalReference)
  const known = references.filter((reference) => reference !== undefined)
  if (known.length > 0) await read(floor, 'read', merchant, `/transactions/${random.pick(known)}`)
}
const list: Flow = (floor, merchant) => read(floor, 'list', merchant, '/transactions')
const state: Flow = (floor, merchant) => read(floor, 'statement', merchant, '/wallets/statement?currency=KES')

/** Weight of each flow, in percent. */
export const flows: readonly (readonly [number, Flow])[] = [
  [16, payMomo],
  [6, refundCharge],
  [3, convert],
  [7, payBank],
  [7, payAcross],
  [2, payMany],
  [4, payAndCancel],
  [2, payTooMuch],
  [18, chargePhone],
  [8, chargeCard],
  [6, chargeByTransfer],
  [5, keepBeneficiary],
  [9, look],
  [4, list],
  [3, state],
]
