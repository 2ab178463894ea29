import type { IconName } from '../../ui/icons.tsx'
import { moneyText } from '../../ui/money.tsx'
import { fromMinor, sumOf } from './minor-units.ts'
import type { LedgerEntry, LoggedRequest, OnePayment } from './payment-queries.ts'
import type { WebhookRecord } from './webhook-records.ts'

export const lanes = ['API', 'Provider', 'Ledger', 'Webhooks'] as const
type Lane = (typeof lanes)[number]
export type Tone = 'plain' | 'ok' | 'fail' | 'doubt' | 'wait'

/** One thing that happened. */
export interface Step {
  readonly at: number
  readonly lane: Lane
  readonly icon: IconName
  readonly tone: Tone
  readonly fact: string
  readonly detail?: string | undefined
  /** Nothing is done until the next step: it is waited for. */
  readonly isWaiting: boolean
}

export interface Band {
  readonly from: number
  readonly to: number
}

interface Facts {
  readonly payment: OnePayment
  readonly entries: readonly LedgerEntry[]
  readonly requests: readonly LoggedRequest[]
  readonly webhooks: readonly WebhookRecord[]
}

/** Everything that is known of a payment, oldest first. */
export function stepsOf({ payment, entries, requests, webhooks }: Facts): Step[] {
  const steps = [
    ...requests.filter(({ method }) => method !== 'GET').map(requestStep),
    ...payment.timeline.map(timelineStep),
    ...entrySteps(entries),
    ...webhooks.map(webhookStep),
  ]
  return steps.sort((left, right) => left.at - right.at || lanes.indexOf(left.lane) - lanes.indexOf(right.lane))
}

type TimelineEntry = OnePayment['timeline'][number]

const stageLooks: Readonly<Record<string, Pick<Step, 'icon' | 'tone' | 'isWaiting'>>> = {
  AWAITING_APPROVAL: { icon: 'person', tone: 'wait', isWaiting: true },
  PROCESSING: { icon: 'operations', tone: 'plain', isWaiting: false },
  AWAITING_CUSTOMER: { icon: 'hourglass', tone: 'wait', isWaiting: true },
  UNCONFIRMED: { icon: 'doubt', tone: 'doubt', isWaiting: true },
  COMPLETED: { icon: 'done', tone: 'ok', isWaiting: false },
  FAILED: { icon: 'failed', tone: 'fail', isWaiting: false },
  EXPIRED: { icon: 'expired', tone: 'plain', isWaiting: false },
}

const plain = { icon: 'operations', tone: 'plain', isWaiting: false } as const

function timelineStep({ at, stage, message }: TimelineEntry, index: number): Step {
  const lane = index === 0 ? 'API' : 'Provider'
  return { at: Date.parse(at), lane, ...(stageLooks[stage] ?? plain), fact: message.replace(/\.$/, '') }
}

function requestStep({ at, method, path, status, durationMs, requestId, errorCode }: LoggedRequest): Step {
  const isRefused = status >= 400
  return {
    // The log has the time of the response.
    at: Date.parse(at) - durationMs,
    lane: 'API',
    icon: isRefused ? 'failed' : 'developers',
    tone: isRefused ? 'fail' : 'plain',
    fact: `${method} ${path}`,
    detail: `HTTP ${status}${errorCode === undefined ? '' : ` ${errorCode}`} in ${durationMs} ms, request ${requestId}`,
    isWaiting: false,
  }
}

/** Entries of one moment and one kind are one step. */
function entrySteps(entries: readonly LedgerEntry[]): Step[] {
  const groups = Map.groupBy(entries, ({ kind, at, event }) => `${kind} ${event} ${at}`)
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    return first ? [entryStep(first, group)] : []
  })
}

function entryStep({ kind, at }: LedgerEntry, group: readonly LedgerEntry[]): Step {
  const count = `${group.length} ${group.length === 1 ? 'entry' : 'entries'}`
  const ways = [...new Set(group.map(({ debit, credit }) => `${debit.name} to ${credit.name}`))].join(', ')
  const step = { at: Date.parse(at), lane: 'Ledger', isWaiting: false } as const
  if (kind === 'hold') return { ...step, icon: 'lock', tone: 'plain', fact: `${totalOf(group)} held`, detail: ways }
  if (kind === 'released')
    return { ...step, icon: 'lock', tone: 'plain', fact: `${totalOf(group)} released`, detail: 'The hold has ended.' }
  return { ...step, icon: 'ledger', tone: 'ok', fact: 'Booked', detail: `${count}, balanced: ${ways}` }
}

function totalOf(entries: readonly LedgerEntry[]): string {
  const outOfWallets = entries.filter(({ debit }) => debit.kind === 'wallet')
  const counted = outOfWallets.length > 0 ? outOfWallets : entries
  return [...Map.groupBy(counted, ({ currency }) => currency)]
    .map(([currency, some]) => {
      const minor = sumOf(
        some.map(({ amount }) => amount),
        currency,
      )
      return moneyText(fromMinor(minor, currency), currency)
    })
    .join(' and ')
}

function webhookStep({ createdAt, event, response, attempts, status }: WebhookRecord): Step {
  const tries = attempts === 1 ? '1 attempt' : `${attempts} attempts`
  const outcome = response.status === '' ? (response.error ?? 'not sent yet') : `HTTP ${response.status}`
  const tones = { CREATED: 'plain', FAILED: 'fail', SUCCESS: 'ok' } as const
  return {
    at: Date.parse(createdAt),
    lane: 'Webhooks',
    icon: 'webhook',
    tone: tones[status],
    fact: `Webhook ${event}: ${outcome}`,
    detail:
      attempts === 0
        ? undefined
        : `${tries}${response.durationMs === undefined ? '' : `, the last in ${response.durationMs} ms`}`,
    isWaiting: false,
  }
}

/** When the outcome was in doubt. */
export function doubtsOf({ timeline }: OnePayment, now = Date.now()): Band[] {
  return timeline.flatMap(({ at, stage }, index) => {
    const isStart = stage === 'UNCONFIRMED' && timeline[index - 1]?.stage !== 'UNCONFIRMED'
    if (!isStart) return []
    const end = timeline.slice(index).find((later) => later.stage !== 'UNCONFIRMED')
    return [{ from: Date.parse(at), to: end ? Date.parse(end.at) : now }]
  })
}
