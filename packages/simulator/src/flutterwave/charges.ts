import type { Call, Reply } from '../dialect.ts'
import type { Ending } from '../ends.ts'
import { isEnd, type Payment } from '../entries.ts'
import { findFault, type Subject } from '../faults.ts'
import { accept, conclude, type Draft } from '../life.ts'
import { brandOf, emptyAccountOtp, isRightOtp, isRightPin, issuerFailure, type Plan, planOf } from './cards.ts'
import { decrypt } from './cipher.ts'
import { type ChargeDetails, chargeDetails, flwRefOf, presentCharge } from './present.ts'
import {
  authorizationForms,
  cardForm,
  clientForm,
  countryOf,
  type Fields,
  findAmountProblem,
  findProblem,
  isFields,
  validateForm,
} from './read.ts'
import { closed, refuse, repeatedCharge, respond } from './words.ts'

const wrongValuesMax = 20

/** The first call of a card charge, or the second call with the customer's answer. */
export async function chargeCard(call: Call, key: string): Promise<Reply> {
  const body = openCard(call, key)
  const problem = findProblem(call.json, clientForm) ?? findCardProblem(body)
  if (body === undefined || problem !== undefined) return refuse(400, problem ?? undecryptable)
  const known = call.core.books.find('flutterwave', 'charge', String(body['tx_ref']).toLowerCase())
  if (isFields(body['authorization'])) return authorise(call, known, body)
  if (known) return isAsking(known) && isSameCard(known, body) ? ask(known) : refuse(400, repeatedCharge)
  return start(call, body)
}

/** The one-time code that ends a charge. */
export async function validateCharge(call: Call): Promise<Reply> {
  const { core, json } = call
  const problem = findProblem(json, validateForm)
  if (problem !== undefined) return refuse(400, problem)
  const { otp, flw_ref } = json as Fields
  const payment = core.books.findNamed('flutterwave', String(flw_ref))
  if (payment?.progress?.['step'] !== 'otp' || isEnd(payment.state)) return refuse(400, 'Transaction not found')
  const isEmpty = otp === emptyAccountOtp
  if (!isEmpty && !isRightOtp(chargeDetails(payment).values ?? 'published', String(otp)))
    return takeWrong(call, payment, 'Invalid OTP. Please try again')
  await decide(call, payment, isEmpty ? failed('Insufficient Funds') : undefined)
  return respond('Charge validated', { data: presentCharge(payment) })
}

/** The targets for faults in a card call, if it is readable. */
export function cardSubjects(call: Call, key: string): Subject[] {
  const body = openCard(call, key)
  if (body === undefined) return []
  const amount = String(body['amount'])
  return [{ key: String(body['tx_ref']).toLowerCase(), amount, operator: 'card', phone: maskOf(body) }]
}

export const isAuthorisation = (call: Call, key: string): boolean =>
  openCard(call, key)?.['authorization'] !== undefined

/** The issuer still waits for a value, and the provider has no transaction yet. */
export const isAsking = ({ progress, state }: Payment): boolean =>
  (progress?.['step'] === 'pin' || progress?.['step'] === 'address') && !isEnd(state)

function openCard({ json }: Call, key: string): Fields | undefined {
  const client = isFields(json) ? json['client'] : undefined
  const body = typeof client === 'string' ? decrypt(key, client) : undefined
  return isFields(body) ? body : undefined
}

const undecryptable = 'The client data could not be decrypted'

function findCardProblem(body: Fields | undefined): string | undefined {
  if (body === undefined) return undecryptable
  if (body['preauthorize'] === true) return 'Preauthorization is not enabled for this account'
  return findProblem(body, cardForm) ?? findAmountProblem(body)
}

async function start(call: Call, body: Fields): Promise<Reply> {
  const { core } = call
  const plan = planOf(String(body['card_number']), expiryOf(body), core.clock.now())
  if (plan === undefined) return refuse(400, 'card_number is invalid')
  const draft = draftOf(call, body, plan)
  const { key, amount, operator, account: phone } = draft
  const subjects = [{ key, amount, operator, phone }]
  const faults = core.faults.draw('payment', { provider: 'flutterwave', operation: 'charge', subjects })
  if (findFault(faults, 'operator_closed') || findFault(faults, 'operator_delayed')) return refuse(400, closed)
  const payment = await accept(core, { ...draft, faults })
  if (plan.asks === 'redirect') return redirect(payment)
  if (plan.asks !== 'nothing') return ask(payment)
  await conclude(core, payment)
  return ended(payment)
}

async function authorise(call: Call, known: Payment | undefined, body: Fields): Promise<Reply> {
  const given = body['authorization'] as Fields
  const problem = findAuthorizationProblem(given)
  if (problem !== undefined) return refuse(400, problem)
  if (known === undefined) return refuse(400, 'No charge with this tx_ref waits for authorization')
  if (!isAsking(known)) return refuse(400, repeatedCharge)
  if (!isSameCard(known, body)) return refuse(400, 'The payload is not the one this charge began with')
  const step = known.progress?.['step']
  if ((given['mode'] === 'pin') !== (step === 'pin')) return refuse(400, 'authorization.mode is invalid')
  if (step === 'address') {
    await decide(call, known)
    return ended(known)
  }
  const { values = 'published' } = chargeDetails(known)
  if (!isRightPin({ values, plannedOutcome: known.plannedOutcome }, String(given['pin'])))
    return takeWrong(call, known, 'Invalid PIN. Please try again')
  return afterPin(call, known)
}

async function afterPin(call: Call, payment: Payment): Promise<Reply> {
  if (payment.plannedOutcome.kind === 'fails') {
    await decide(call, payment)
    return ended(payment)
  }
  call.core.books.progress(payment, { step: 'otp' })
  return respond('Charge initiated', {
    data: presentCharge(payment),
    meta: { authorization: { mode: 'otp', endpoint: '/v3/validate-charge' } },
  })
}

function findAuthorizationProblem(given: Fields): string | undefined {
  const { mode } = given
  if (mode !== 'pin' && mode !== 'avs_noauth') return 'authorization.mode is invalid'
  const problem = findProblem(given, authorizationForms[mode])
  return problem === undefined ? undefined : `authorization.${problem}`
}

/** The payer may retry a wrong value, up to a limit. */
async function takeWrong(call: Call, payment: Payment, message: string): Promise<Reply> {
  const wrong = Number(payment.progress?.['wrong'] ?? 0) + 1
  call.core.books.progress(payment, { wrong })
  if (wrong < wrongValuesMax) return refuse(400, message)
  await decide(call, payment, failed('Too many attempts'))
  return ended(payment)
}

/** The last step is done. The payment ends here, unless a fault keeps it open without a further question. */
async function decide({ core }: Call, payment: Payment, ending?: Ending): Promise<void> {
  await conclude(core, payment, ending)
  if (!isEnd(payment.state)) core.books.progress(payment, { step: 'done' })
}

const failed = (issuerWords: string): Ending => ({ state: 'failed', failure: issuerFailure(issuerWords) })

const askedFields = { pin: ['pin'], address: ['city', 'address', 'state', 'country', 'zipcode'] } as const

function ask({ progress }: Payment): Reply {
  const isPin = progress?.['step'] === 'pin'
  const authorization = isPin
    ? { mode: 'pin', fields: askedFields.pin }
    : { mode: 'avs_noauth', fields: askedFields.address }
  return respond('Charge authorization data required', { meta: { authorization } })
}

function redirect(payment: Payment): Reply {
  const authorization = { mode: 'redirect', redirect: chargeDetails(payment).pageUrl }
  return respond('Charge initiated', { data: presentCharge(payment), meta: { authorization } })
}

function ended(payment: Payment): Reply {
  const data = presentCharge(payment)
  if (data['status'] === 'failed') return respond('Charge failed', { data })
  return respond(data['status'] === 'successful' ? 'Charge successful' : 'Charge initiated', { data })
}

function draftOf(call: Call, body: Fields, plan: Plan): Omit<Draft, 'faults'> {
  const id = call.core.numbers.next()
  const flwRef = flwRefOf(id)
  const currency = String(body['currency'] ?? 'NGN')
  const step = plan.asks === 'nothing' ? 'done' : plan.asks
  return {
    provider: 'flutterwave',
    operation: 'charge',
    key: String(body['tx_ref']).toLowerCase(),
    operator: 'card',
    country: countryOf(currency),
    currency,
    amount: String(body['amount']),
    account: maskOf(body),
    fingerprint: '',
    details: {
      ...detailsOf(body, id, plan),
      ...(step === 'redirect' && { pageUrl: pageUrl(call, flwRef) }),
    },
    plannedOutcome: plan.plannedOutcome,
    waitsFor: 'steps',
    names: [String(id), flwRef],
    progress: { step },
  }
}

function detailsOf(body: Fields, id: number, plan: Plan): Record<string, unknown> {
  const number = String(body['card_number'])
  const details: ChargeDetails = {
    id,
    kind: 'card',
    reference: String(body['tx_ref']),
    email: String(body['email']),
    values: plan.values,
    asks: plan.asks,
    card: {
      first_6digits: number.slice(0, 6),
      last_4digits: number.slice(-4),
      issuer: `${brandOf(number)} CREDIT`,
      country: 'NG',
      type: brandOf(number),
      expiry: expiryOf(body),
    },
    ...pick(body, { fullname: 'fullname', phone: 'phone_number', ip: 'client_ip' }),
    ...pick(body, { fingerprint: 'device_fingerprint', redirectUrl: 'redirect_url', meta: 'meta' }),
  }
  return { ...details }
}

export function pick(body: Fields, names: Readonly<Record<string, string>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(names).flatMap(([own, theirs]) => (body[theirs] === undefined ? [] : [[own, body[theirs]]])),
  )
}

const expiryOf = (body: Fields) => `${String(body['expiry_month'])}/${String(body['expiry_year'])}`

const maskOf = (body: Fields) => {
  const number = String(body['card_number'])
  return `${number.slice(0, 6)}******${number.slice(-4)}`
}

function isSameCard(payment: Payment, body: Fields): boolean {
  const { card } = chargeDetails(payment)
  const isSameMoney =
    payment.amount === String(body['amount']) && payment.currency === String(body['currency'] ?? 'NGN')
  return isSameMoney && payment.account === maskOf(body) && card?.expiry === expiryOf(body)
}

function pageUrl({ core, headers }: Call, flwRef: string): string {
  return `${core.tuning.publicUrl || `http://${headers.host}`}/flutterwave/bank-page/${flwRef}`
}
