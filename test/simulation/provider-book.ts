import type {
  AttemptRef,
  CustomerAction,
  Failure,
  ProviderStatus,
  Receipt,
  SubmitOutcome,
} from '../../packages/server/src/providers/contract.ts'
import type { RefundAttempt } from '../../packages/server/src/providers/refund-contract.ts'
import type { Random } from '../support/cluster/random.ts'
import type { Schedule } from './schedule.ts'

export type Rail = 'payout' | 'momo' | 'card' | 'transfer' | 'refund'

/** What a provider knows under one key. */
export interface Entry {
  readonly key: string
  readonly provider: string
  readonly rail: Rail
  /** Of a refund: the key of its charge. */
  readonly charge: string | undefined
  readonly asked: bigint
  readonly currency: AttemptRef['currency']
  readonly fate: Fate
  /** Before this it reports the key as unknown. */
  readonly knownAt: number
  readonly takenAt: number
  state: 'pending' | 'waiting' | 'successful' | 'failed' | 'reversed'
  question: CustomerAction | undefined
  wrongAnswers: number
  /** Amount moved at its success, of which there is at most one, and receipts into its account. */
  moved: bigint
  /** How much of it was returned. */
  returned: bigint
  readonly fee: bigint
  receipts: Receipt[]
  /** It reported the failure at least once, so that the failure may be believed. */
  hasReportedFailure: boolean
  /** It reported the request as not accepted, or as unfunded, and paid anyway. */
  isDenied: boolean
  /** Counts its reports, and how far they were acknowledged. */
  observation: number
  heard: number
}

type Fate =
  | 'success'
  | 'failure'
  | 'failure, then success'
  | 'success, then reversal'
  | 'reversal in parts'
  | 'reversal, then won'
  | 'another amount'
  | 'unfunded'
  | 'unfunded, then success'

/** A callback in transit. */
export interface Callback {
  readonly provider: string
  readonly key: string
  readonly providerStatus: ProviderStatus
  /** Number of the report; missing when it is forged. */
  readonly observation: number
}

/** Longest transit of a request, and longest time until a provider finds a request it accepted. */
export const networkMs = 30_000
const indexMs = 20_000
/** From the last moment of sending. */
export const notFoundWindowMs = networkMs + indexMs + 1000
/** A prompt without the customer's answer expires after this. */
const promptMs = 30 * 60_000

type Notify = (entry: Entry) => void

export const failure: Failure = { code: 'UNSPECIFIED_FAILURE', message: 'The operator gave no reason.' }
const fates: readonly Fate[] = [
  ...Array<Fate>(14).fill('success'),
  ...Array<Fate>(5).fill('failure'),
  'failure, then success',
  'success, then reversal',
  'reversal in parts',
  'reversal, then won',
  'another amount',
  'unfunded',
  'unfunded, then success',
]

/** The providers' own books: what each accepted, moved, and has to report. */
export interface ProviderBooks {
  readonly entries: ReadonlyMap<string, Entry>
  readonly callbacks: Callback[]
  take(provider: string, rail: Rail, attempt: AttemptRef, question: CustomerAction | undefined): SubmitOutcome
  /** Without a key, a repeated request refunds once more. */
  refund(provider: string, attempt: RefundAttempt, way: { readonly isKeyed: boolean }): SubmitOutcome
  /** Requests that a provider must never get. */
  readonly complaints: string[]
  find(key: string): Entry | undefined
  /** One step towards its fate. */
  progress(entry: Entry): void
  answer(entry: Entry, isRight: boolean): 'right' | 'wrong' | 'not asked'
  receive(entry: Entry, amount: bigint): void
  /** Reports its status once more. */
  repeat(entry: Entry): void
  /** A callback that the provider never sent, as an attacker might forge it. */
  forge(entry: Entry): void
}

export function createProviderBooks(schedule: Schedule): ProviderBooks {
  const { random } = schedule
  const entries = new Map<string, Entry>()
  const callbacks: Callback[] = []
  const complaints: string[] = []
  const notify = (entry: Entry) => {
    entry.observation += 1
    callbacks.push({
      provider: entry.provider,
      key: entry.key,
      providerStatus: providerStatusOf(entry),
      observation: entry.observation,
    })
  }
  const open = (...given: Given) => {
    const entry = entryOf(schedule, ...given)
    entries.set(entry.key, entry)
    return entry
  }
  const accept = (...given: Given): SubmitOutcome => {
    const cause = refusalOf(schedule)
    const [, rail] = given
    // Now and then a provider is wrong about itself.
    if (cause && schedule.hasChance(0.05)) open(...given).isDenied = true
    if (cause) return { certainty: 'definitely_not_submitted', cause, detail: 'not now' }
    const entry = open(...given)
    return rail !== 'transfer' && random() < 0.05 ? refuse(entry) : welcome(entry, random, notify)
  }
  return {
    entries,
    callbacks,
    complaints,
    refund: (provider, attempt, { isKeyed }) => {
      const known = entries.get(attempt.key)
      return known && isKeyed
        ? takeAgain(schedule, known)
        : refundOnce({ entries, complaints, accept }, provider, attempt)
    },
    find: (key) => {
      const entry = entries.get(key)
      if (entry && isUnanswered(entry) && schedule.nowMs() > entry.takenAt + promptMs) giveUp(entry)
      return entry && entry.knownAt <= schedule.nowMs() ? entry : undefined
    },
    take: (provider, rail, attempt, question) => {
      const known = entries.get(attempt.key)
      if (known) return takeAgain(schedule, known)
      return accept(provider, rail, attempt, question)
    },
    progress: (entry) => {
      if (step(entry)) notify(entry)
    },
    repeat: notify,
    answer: (entry, isRight) => answerQuestion(entry, isRight, notify),
    receive: (entry, amount) => {
      entry.receipts.push({ id: `${entry.key}-${entry.receipts.length}`, amount, currency: entry.currency })
      notify(entry)
    },
    forge: ({ provider, key, asked: amount, currency }) =>
      callbacks.push({
        provider,
        key,
        providerStatus: { state: 'successful', settled: { amount, currency } },
        observation: 0,
      }),
  }
}

interface RefundBooks {
  readonly entries: ReadonlyMap<string, Entry>
  readonly complaints: string[]
  accept(...given: Given): SubmitOutcome
}

/** Refunds if enough is left of the charge. A second refund at once is wrong where one at a time is taken. */
function refundOnce(
  { entries, complaints, accept }: RefundBooks,
  provider: string,
  attempt: RefundAttempt,
): SubmitOutcome {
  const { key, charge, amount } = attempt
  const before = [...entries.values()].filter((entry) => entry.charge === charge.key)
  const open = before.find(({ state, key: other }) => state === 'pending' && other !== key)
  if (open && provider !== 'house') complaints.push(`${provider} got refund ${key} while ${open.key} is open`)
  const collected = entries.get(charge.key)
  const left = (collected ? netOf(collected) : 0n) + before.reduce((sum, entry) => sum + reservedOf(entry), 0n)
  if (amount > left) return { certainty: 'definitely_failed', failure }
  // A repeated request is under another key than any that the service has stored.
  const own = entries.has(key) ? { ...attempt, key: `${key.slice(0, -2)}f${before.length % 10}` } : attempt
  return accept(provider, 'refund', own, undefined)
}

type Given = [
  provider: string,
  rail: Rail,
  attempt: AttemptRef & { readonly charge?: { readonly key: string } },
  question: CustomerAction | undefined,
]

function entryOf(schedule: Schedule, ...[provider, rail, { key, amount, currency, charge }, question]: Given): Entry {
  const { random } = schedule
  const lagMs = schedule.isFaulty && random() < 0.3 ? random.below(indexMs) : 0
  return {
    key,
    provider,
    rail,
    charge: charge?.key,
    asked: amount,
    currency,
    fate: random.pick(fates),
    knownAt: schedule.nowMs() + lagMs,
    takenAt: schedule.nowMs(),
    state: question ? 'waiting' : 'pending',
    question,
    wrongAnswers: 0,
    moved: 0n,
    returned: 0n,
    fee: random() < 0.3 ? 3n : 0n,
    receipts: [],
    hasReportedFailure: false,
    isDenied: false,
    observation: 0,
    heard: 0,
  }
}

function refusalOf(schedule: Schedule) {
  if (!schedule.hasChance(0.06)) return undefined
  return schedule.random.pick(['float_exhausted', 'rate_limited', 'closed', 'rejected'] as const)
}

/** Some end at once. */
function welcome(entry: Entry, random: Random, notify: Notify): SubmitOutcome {
  if (!entry.question && random() < 0.2 && step(entry)) notify(entry)
  return { certainty: 'accepted', providerStatus: providerStatusOf(entry), ...continuationOf(entry) }
}

function refuse(entry: Entry): SubmitOutcome {
  Object.assign(entry, { state: 'failed', hasReportedFailure: true, fate: 'failure', question: undefined })
  return { certainty: 'definitely_failed', failure }
}

/** The same key moves nothing again. Providers report that differently, and may even refuse it. */
function takeAgain({ random }: Schedule, known: Entry): SubmitOutcome {
  const way = random()
  if (way < 0.15) return { certainty: 'definitely_failed', failure }
  if (way < 0.5) return { certainty: 'unknown', cause: 'repeated', detail: 'had it before' }
  return { certainty: 'accepted', providerStatus: providerStatusOf(known), ...continuationOf(known) }
}

export const continuationOf = ({ key, rail, question }: Entry) =>
  rail === 'card' && question ? { continuation: `${key} ${question.kind}` } : {}

/** Its status report for an entry as it is now. */
export function providerStatusOf(entry: Entry): ProviderStatus {
  const { state, question, receipts, currency, fee } = entry
  if (receipts.length > 0) return { state: 'received', receipts: [...receipts] }
  if (state === 'failed' || (state === 'reversed' && entry.returned === entry.moved)) entry.hasReportedFailure = true
  switch (state) {
    case 'pending':
      return { state: 'submitted' }
    case 'waiting':
      return question ? { state: 'waiting', action: question } : { state: 'submitted' }
    case 'successful':
      return {
        state: 'successful',
        settled: { amount: entry.moved, currency, ...(fee > 0n && { fee }), receipt: entry.key.slice(0, 8) },
      }
    case 'failed':
      return { state: 'failed', failure, ...(isUnfunded(entry) && { isOurShortfall: true }) }
    case 'reversed':
      return {
        state: 'reversed',
        failure: { code: 'REVERSED', message: 'The provider took the payment back.' },
        ...(entry.returned < entry.moved && { returned: entry.returned }),
      }
  }
}

/** True when something changed. */
function step(entry: Entry): boolean {
  const { state, fate } = entry
  if (entry.rail === 'transfer') return takeReceipt(entry)
  if (state === 'pending') return conclude(entry)
  if (state === 'failed' && fate.endsWith(', then success')) {
    if (isUnfunded(entry)) entry.isDenied = true
    succeed(entry)
    return true
  }
  if (isReversible(entry)) return reverse(entry)
  if (state !== 'waiting' || (entry.question?.kind !== 'redirect' && entry.question?.kind !== 'pin_prompt'))
    return false
  entry.question = undefined
  entry.state = 'pending'
  return conclude(entry)
}

const isUnanswered = ({ state, question }: Entry) =>
  state === 'waiting' && (question?.kind === 'redirect' || question?.kind === 'pin_prompt')

function giveUp(entry: Entry): void {
  Object.assign(entry, { state: 'failed', fate: 'failure', question: undefined })
}

/** It ended because our float was short: the payout is to be paid under another key. */
const isUnfunded = ({ rail, fate }: Entry) => isOut(rail) && fate.startsWith('unfunded')

/** Whether money leaves by it. */
export const isOut = (rail: Rail) => rail === 'payout' || rail === 'refund'

/** Whether its provider has yet to take it back, or to pay it again. */
export const isReversible = ({ state, fate, moved, returned }: Entry) =>
  /reversal/.test(fate) &&
  (state === 'successful' || (state === 'reversed' && (fate === 'reversal, then won' || returned < moved)))

/** Reverses all of it at once, or in two parts, or pays it again; then no more. */
function reverse(entry: Entry): boolean {
  const { fate, state, moved, returned } = entry
  if (state === 'reversed' && fate === 'reversal, then won') {
    Object.assign(entry, { state: 'successful', returned: 0n, fate: 'success' })
    return true
  }
  entry.state = 'reversed'
  entry.returned = fate === 'reversal in parts' && returned === 0n ? moved / 3n : moved
  return true
}

/** The bank reverses the newest transfer into an account. */
function takeReceipt(entry: Entry): boolean {
  const last = entry.receipts.at(-1)
  if (entry.fate !== 'success, then reversal' || !last || last.isReversed) return false
  entry.receipts = [...entry.receipts.slice(0, -1), { ...last, isReversed: true }]
  return true
}

/** Ends an entry; `failure, then success` reports failure now, and succeeds some time later. */
function conclude(entry: Entry): boolean {
  const { fate } = entry
  if (fate.startsWith('failure') || fate.startsWith('unfunded')) entry.state = 'failed'
  else succeed(entry)
  return true
}

function succeed(entry: Entry): void {
  entry.state = 'successful'
  entry.moved = entry.fate === 'another amount' ? entry.asked - 1n : entry.asked
}

function answerQuestion(entry: Entry, isRight: boolean, notify: Notify): 'right' | 'wrong' | 'not asked' {
  if (entry.state !== 'waiting' || !entry.question) return 'not asked'
  if (!isRight) {
    entry.wrongAnswers += 1
    return 'wrong'
  }
  if (entry.question.kind === 'pin') {
    entry.question = { kind: 'otp' }
    return 'right'
  }
  entry.question = undefined
  entry.state = 'pending'
  notify(entry)
  return 'right'
}

/** What a refund took or may still take of its charge. */
const reservedOf = (entry: Entry) => (entry.state === 'pending' ? -entry.asked : netOf(entry))

/** Net amount it moved, as the service should know it: positive when our float there grew. */
export function netOf({ rail, state, moved, returned, receipts, asked }: Entry): bigint {
  if (rail === 'transfer') return receipts.reduce((sum, { amount, isReversed }) => sum + (isReversed ? 0n : amount), 0n)
  if (state !== 'successful' && state !== 'reversed') return 0n
  return (isOut(rail) ? -1n : 1n) * ((moved === 0n ? asked : moved) - returned)
}
