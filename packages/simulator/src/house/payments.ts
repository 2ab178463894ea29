import { createHash } from 'node:crypto'
import type { Core } from '../core.ts'
import type { Call, Reply } from '../dialect.ts'
import { type Account, isEnd, type Operation, type OrderOperation, type Payment, type Receipt } from '../entries.ts'
import { findFault, type Subject } from '../faults.ts'
import { accept, type Draft } from '../life.ts'
import { toUnits } from '../money.ts'
import { accountNumberOf } from '../numbers.ts'
import { failureOf, plannedOutcomeOf, preAuthorisationCode } from '../outcomes.ts'
import { isLagging, isUnseen, seenReceipts } from '../views.ts'
import {
  accountForm,
  chargeForm,
  destinationForms,
  type Fields,
  findAmountProblem,
  findKindProblem,
  findProblem,
  isFields,
  payoutForm,
} from './read.ts'
import { refuse } from './words.ts'

export const floatEmpty = { code: 'FLOAT_EMPTY', message: 'The float is too low.' }

export async function create(call: Call, operation: OrderOperation): Promise<Reply> {
  const { core, json } = call
  const problem = operation === 'charge' ? findChargeProblem(json) : findPayoutProblem(json)
  if (problem) return refuse(400, problem.code, problem.message)
  const draft = draftOf(operation, json as Fields)
  const known = core.books.find('house', operation, draft.key)
  if (known) return repeat(core, known, draft.fingerprint)
  const faults = core.faults.draw('payment', { provider: 'house', operation, subjects: subjectsOf(call, operation) })
  if (findFault(faults, 'operator_closed'))
    return refuse(409, 'OPERATOR_CLOSED', 'The operator does not accept payments now.')
  if (operation === 'charge' && findFault(faults, 'operator_delayed'))
    return refuse(409, 'OPERATOR_DELAYED', 'The operator does not accept charges now.')
  const isShort = findFault(faults, 'float_empty') || core.books.floats.available(draft) < toUnits(draft.amount)
  // Nothing is stored: once the float is filled, the same key may be sent again.
  if (operation === 'payout' && isShort)
    return { status: 200, body: { key: draft.key, state: 'failed', repeated: false, failure: floatEmpty } }
  const { key, accounts } = await accept(core, { ...draft, faults, ...(isAccount(json) && openAccount(call)) })
  return { status: 200, body: { key, state: 'accepted', repeated: false, ...presentAccount(accounts) } }
}

export function read({ core, parameters }: Call, operation: Operation): Reply {
  const payment = core.books.find('house', operation, (parameters['key'] ?? '').toLowerCase())
  if (payment === undefined || isUnseen(core, payment))
    return refuse(404, 'NOT_FOUND', `The ${operation} was not found.`)
  return { status: 200, body: present(asRead(core, payment)) }
}

/** The payment as reads and callbacks show it. */
export function present(payment: Payment): Record<string, unknown> {
  const { key, amount, currency, receipt, failure, returned, accounts, receipts = [] } = payment
  const state = stateText(payment)
  return {
    key,
    state,
    amount,
    currency,
    ...presentAccount(accounts),
    ...(accounts && { receipts: receipts.map(presentReceipt) }),
    ...(state === 'completed' && { receipt }),
    ...(state === 'failed' && { failure }),
    ...(state === 'reversed' && { failure, returned }),
  }
}

const presentReceipt = ({ id, amount, reversedAt }: Receipt) => {
  return { id, amount, ...(reversedAt !== undefined && { isReversed: true }) }
}

export function subjectsOf({ core, json, parameters }: Call, operation: Operation): Subject[] {
  const key = parameters['key']?.toLowerCase()
  const payment = key === undefined ? undefined : core.books.find('house', operation, key)
  if (payment) return [{ key: payment.key, phone: payment.account, amount: payment.amount, operator: payment.operator }]
  if (key !== undefined) return [{ key }]
  if (!isFields(json)) return []
  const to = isFields(json['to']) ? json['to'] : json
  return [
    {
      key: String(json['key']).toLowerCase(),
      phone: accountOf(to),
      amount: String(json['amount']),
      operator: String(to['operator'] ?? to['bankCode'] ?? to['kind']),
    },
  ]
}

function findChargeProblem(body: unknown) {
  return findProblem(body, isAccount(body) ? accountForm : chargeForm) ?? amountProblem(body)
}

/** Only charges into an account name their kind. */
const isAccount = (body: unknown) => isFields(body) && body['kind'] !== undefined

function openAccount({ core, json }: Call): Pick<Draft, 'accounts' | 'account' | 'waitsFor'> {
  const number = accountNumberOf(core.numbers.next())
  const expiresAt = core.clock.now() + Number((json as Fields)['lifeSeconds']) * 1000
  return { accounts: [{ number, bankName: 'House Bank', expiresAt }], account: number, waitsFor: 'money' }
}

function presentAccount([account]: readonly Account[] = []): Record<string, unknown> {
  if (account === undefined) return {}
  const { number, bankName, expiresAt } = account
  return { account: { number, bankName, expiresAt: new Date(expiresAt).toISOString() } }
}

function findPayoutProblem(body: unknown) {
  const to = isFields(body) ? body['to'] : undefined
  return findProblem(body, payoutForm) ?? findKindProblem(to, destinationForms, 'to.') ?? amountProblem(body)
}

const amountProblem = (body: unknown) =>
  isFields(body) ? findAmountProblem(String(body['amount']), String(body['currency'])) : undefined

/** The number whose end chooses the outcome. */
const accountOf = (to: Fields) => String(to['phone'] ?? to['accountNumber'] ?? to['tillNumber'] ?? '')

function draftOf(operation: OrderOperation, body: Fields): Omit<Draft, 'faults'> & { faults: [] } {
  const to = isFields(body['to']) ? body['to'] : body
  const isWrongCode = body['code'] !== undefined && body['code'] !== preAuthorisationCode
  const failure = failureOf('PAYMENT_NOT_APPROVED')
  return {
    provider: 'house',
    operation,
    key: String(body['key']).toLowerCase(),
    operator: String(to['operator'] ?? to['bankCode'] ?? to['kind']),
    country: String(body['country']),
    currency: String(body['currency']),
    amount: String(body['amount']),
    account: accountOf(to),
    fingerprint: fingerprintOf(body),
    details: {},
    plannedOutcome: isWrongCode ? { kind: 'fails', failure } : plannedOutcomeOf(operation, accountOf(to)),
    waitsFor: 'time',
    faults: [],
  }
}

/** The same fields in another order are the same request. */
export function fingerprintOf(body: Fields): string {
  const sorted = (value: unknown): unknown =>
    isFields(value)
      ? Object.entries(value)
          .map(([name, inner]) => [name, sorted(inner)] as const)
          .sort(([one], [other]) => (one < other ? -1 : 1))
      : value
  return createHash('sha256')
    .update(JSON.stringify(sorted(body)))
    .digest('base64url')
}

export function repeat(core: Core, known: Payment, fingerprint: string): Reply {
  if (known.fingerprint !== fingerprint) return refuse(409, 'KEY_REUSED', 'This key was used for another request.')
  const { key, state, failure, account } = present(asRead(core, known))
  const more = { ...(account !== undefined && { account }), ...(failure !== undefined && { failure }) }
  return { status: 200, body: { key, state, repeated: true, ...more } }
}

/** The payment as it was before its end while a fault delays the status. */
function asRead(core: Core, payment: Payment): Payment {
  const seen = payment.receipts && { receipts: seenReceipts(core, payment) }
  return { ...payment, ...seen, ...(isLagging(core, payment) && { state: 'accepted' as const }) }
}

const stateText = ({ state }: Payment) => (isEnd(state) ? state : 'accepted')
