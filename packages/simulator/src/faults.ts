import { randomUUID } from 'node:crypto'
import type { Random } from './random.ts'

/**
 * Every fault and its scope: one HTTP request, or a payment for its whole life. A payment draws its faults when it is
 * accepted, so a fault set later does not affect it.
 */
export const modes = {
  latency: 'request',
  drop_before_processing: 'request',
  drop_after_processing: 'request',
  half_response: 'request',
  http_status: 'request',
  html_503: 'request',
  malformed_json: 'request',
  token_expired: 'request',
  account_not_allowed: 'request',
  rate_limited: 'request',
  unknown_words: 'request',
  callback_never: 'payment',
  callback_late: 'payment',
  callback_duplicate: 'payment',
  callback_before_response: 'payment',
  callback_bad_signature: 'payment',
  callback_wrong_amount: 'payment',
  callback_unknown_reference: 'payment',
  callback_reorder: 'payment',
  status_lags_callback: 'payment',
  not_found_window: 'payment',
  flap: 'payment',
  stuck_pending: 'payment',
  operator_delayed: 'payment',
  operator_closed: 'payment',
  float_empty: 'payment',
  reversal_after_success: 'payment',
  chargeback_won: 'payment',
  late_receipt: 'payment',
  prompt_expires: 'payment',
  bank_under_payment: 'payment',
  refund_named_payout: 'payment',
  refund_without_comments: 'payment',
} as const satisfies Record<string, 'request' | 'payment'>

export type Mode = keyof typeof modes

interface FaultParameters {
  readonly delayMs?: number
  readonly seconds?: number
  readonly status?: number
  readonly body?: unknown
  /** Whether the replacement response comes before the request is processed, or after. */
  readonly moment?: 'before' | 'after'
  readonly count?: number
  readonly amount?: string
  readonly code?: string
  /** The owner of the payment it strikes. Time can pass for one owner's payments alone. */
  readonly owner?: string
}

/** A fault that has struck. It is stored with the payment, also in the journal. */
export interface DrawnFault extends FaultParameters {
  readonly fault: string
  readonly mode: Mode
}

/** A possible target of a fault. A bulk request has several. */
export interface Subject {
  readonly key?: string
  readonly phone?: string
  readonly amount?: string
  readonly operator?: string
}

export interface FaultOrder extends FaultParameters {
  readonly provider: string
  readonly operation: string
  readonly match?: Subject
  readonly mode: Mode
  readonly times?: number
  readonly probability?: number
}

export interface Fault extends FaultOrder {
  readonly id: string
  /** How many more times it strikes. Infinity when unlimited. */
  left: number
  struck: number
}

interface Target {
  readonly provider: string
  readonly operation: string
  readonly subjects: readonly Subject[]
}

export interface Faults {
  add(order: FaultOrder): Fault
  list(): Fault[]
  remove(id: string): Fault | undefined
  clear(): Fault[]
  /** Draws the faults that strike this target and uses them up. */
  draw(scope: 'request' | 'payment', target: Target): DrawnFault[]
  /** Checks without using up a fault, for what a provider reports about its own state. */
  isActive(mode: Mode, target: Target): boolean
}

export function startFaults(random: Random): Faults {
  const active = new Map<string, Fault>()

  const draw = (scope: 'request' | 'payment', target: Target): DrawnFault[] => {
    if (active.size === 0) return []
    const drawn = [...active.values()].filter(
      (fault) => modes[fault.mode] === scope && fault.left > 0 && aimsAt(fault, target) && strikes(fault),
    )
    for (const fault of drawn) {
      fault.left--
      fault.struck++
    }
    return drawn.map(drawnFrom)
  }

  const strikes = ({ probability = 1 }: Fault) => probability >= 1 || random.next() < probability

  const add = (order: FaultOrder) => {
    const fault = { ...order, id: randomUUID(), left: order.times ?? Number.POSITIVE_INFINITY, struck: 0 }
    active.set(fault.id, fault)
    return fault
  }

  const remove = (id: string) => {
    const fault = active.get(id)
    active.delete(id)
    return fault
  }

  return {
    add,
    draw,
    remove,
    list: () => [...active.values()],
    clear: () => [...active.keys()].flatMap((id) => remove(id) ?? []),
    isActive: (mode, target) =>
      [...active.values()].some((fault) => fault.mode === mode && fault.left > 0 && aimsAt(fault, target)),
  }
}

export function findFault(faults: readonly DrawnFault[], mode: Mode): DrawnFault | undefined {
  return faults.find((fault) => fault.mode === mode)
}

function aimsAt(fault: Fault, { provider, operation, subjects }: Target): boolean {
  const isHere = isAny(fault.provider, provider) && isAny(fault.operation, operation)
  const { match } = fault
  return isHere && (match === undefined || subjects.some((subject) => fits(match, subject)))
}

const isAny = (wanted: string, actual: string) => wanted === '*' || wanted === actual

const fits = (match: Subject, subject: Subject) =>
  (match.key === undefined || match.key === subject.key) &&
  (match.phone === undefined || digits(match.phone) === digits(subject.phone)) &&
  (match.amount === undefined || match.amount === subject.amount) &&
  (match.operator === undefined || match.operator === subject.operator)

/** One dialect writes phones with a plus, another without. A test need not care. */
const digits = (phone: string | undefined) => phone?.replace(/^\+/, '')

function drawnFrom({
  id,
  mode,
  delayMs,
  seconds,
  status,
  body,
  moment,
  count,
  amount,
  code,
  owner,
}: Fault): DrawnFault {
  const parameters = { delayMs, seconds, status, body, moment, count, amount, code, owner }
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined)
  return { fault: id, mode, ...(Object.fromEntries(given) as FaultParameters) }
}
