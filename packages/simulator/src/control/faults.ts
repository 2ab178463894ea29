import type { Core } from '../core.ts'
import { type Fault, type FaultOrder, modes } from '../faults.ts'
import { releaseEnqueued } from '../life.ts'
import { complain } from './complain.ts'
import { isPayable } from './payer.ts'
import type { ControlCall } from './routes.ts'

const operations = [
  '*',
  'charge',
  'authorise',
  'payout',
  'refund',
  'charge_status',
  'payout_status',
  'refund_status',
  'resend_callback',
  'cancel',
  'balances',
  'toolkit',
  'resolve',
  'rates',
  'page',
]

type Fields = Readonly<Record<string, unknown>>
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isText = (value: unknown) => typeof value === 'string'
const isNumber = (min: number, max: number) => (value: unknown) =>
  typeof value === 'number' && value >= min && value <= max
const isWhole = (min: number, max: number) => (value: unknown) => isNumber(min, max)(value) && Number.isInteger(value)

const forms: Readonly<Record<string, (value: unknown) => boolean>> = {
  provider: isText,
  operation: (value) => operations.includes(value as string),
  mode: (value) => isText(value) && Object.hasOwn(modes, value as string),
  match: (value) => isFields(value) && Object.keys(value).every(isMatchable) && Object.values(value).every(isText),
  times: isWhole(1, 1_000_000_000),
  probability: isNumber(0, 1),
  delayMs: isWhole(0, 1_000_000_000),
  seconds: isNumber(0, 1_000_000),
  status: isWhole(200, 599),
  body: () => true,
  moment: (value) => value === 'before' || value === 'after',
  count: isWhole(1, 1_000),
  amount: isText,
  code: isText,
  owner: isText,
}

const isMatchable = (name: string) => ['key', 'phone', 'amount', 'operator'].includes(name)

/** Checks every field: a test with an invalid fault would prove nothing. */
export function addFault({ core, json }: ControlCall) {
  if (!isFields(json)) return complain(400, 'The body must be a JSON object.')
  const order: Fields = { operation: '*', ...json, ...(json['operation'] === 'deposit' && { operation: 'charge' }) }
  const missing = ['provider', 'mode'].find((name) => order[name] === undefined)
  if (missing !== undefined) return complain(400, `${missing} is missing.`)
  const bad = Object.entries(order).find(([name, value]) => !(Object.hasOwn(forms, name) && forms[name]?.(value)))
  if (bad) return complain(400, `${bad[0]} is unknown or has an invalid value.`)
  const provider = String(order['provider'])
  if (provider !== '*' && !core.dialects.has(provider))
    return complain(400, `${provider} is not a configured provider.`)
  const impossible = findImpossible(core, provider, order)
  if (impossible !== undefined) return complain(400, impossible)
  return { status: 201, body: { id: core.faults.add(order as unknown as FaultOrder).id } }
}

/** Why the provider cannot show this fault. */
function findImpossible({ dialects }: Core, provider: string, { mode, amount }: Fields): string | undefined {
  const { hasAccounts, showsReturned } = dialects.get(provider) ?? {}
  const needsAccount = mode === 'bank_under_payment' || mode === 'late_receipt'
  if (needsAccount && provider !== '*' && !hasAccounts)
    return `${String(mode)} needs virtual accounts, which ${provider} does not have.`
  if (mode === 'reversal_after_success' && amount !== undefined && !showsReturned)
    return `${provider} does not report the reversed amount, so only a full reversal is possible.`
  const isPaid = needsAccount || mode === 'reversal_after_success'
  return !isPaid || amount === undefined || isPayable(amount)
    ? undefined
    : 'amount must be a decimal string, greater than zero.'
}

export function listFaults({ core }: ControlCall) {
  return { status: 200, body: { items: core.faults.list().map(present) } }
}

export function removeFault({ core, names }: ControlCall) {
  const fault = core.faults.remove(names[0] ?? '')
  if (fault === undefined) return complain(404, 'Fault not found.')
  releaseEnqueued(core, fault.id)
  return { status: 200, body: { removed: 1 } }
}

export function removeFaults({ core }: ControlCall) {
  const removed = core.faults.clear()
  for (const { id, mode } of removed) if (mode === 'operator_delayed') releaseEnqueued(core, id)
  return { status: 200, body: { removed: removed.length } }
}

const present = ({ left, ...fault }: Fault) => ({ ...fault, left: Number.isFinite(left) ? left : null })
