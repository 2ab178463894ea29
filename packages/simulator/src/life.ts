import type { Callback } from './callbacks.ts'
import type { Core } from './core.ts'
import { type Ending, finish, followUp, followUpReceipt, momentOf } from './ends.ts'
import { isEnd, type Payment, type PlannedOutcome } from './entries.ts'
import { findFault } from './faults.ts'
import { handsetPrompt } from './handsets.ts'
import { failureOf } from './outcomes.ts'
import { sendCallback } from './send-callback.ts'

/** What a dialect knows about a payment before it accepts it. */
export type Draft = Omit<
  Payment,
  | 'state'
  | 'acceptedAt'
  | 'settleMs'
  | 'failure'
  | 'receipt'
  | 'receipts'
  | 'endedAt'
  | 'endedMoment'
  | 'aheadMs'
  | 'returned'
  | 'reversals'
  | 'deliveredState'
> & {
  /** From acceptance to outcome, when the dialect overrides the settings. */
  readonly settleMs?: number
}

const payerWaitsMs = 15 * 60_000
const callbacksForMs = 15 * 60_000
const delayedMs = 60 * 60_000
const responseWaitsMs = 5_000

/**
 * Accepts a payment. From now on its key is known, the money of a payout or refund is reserved, and its end is on the clock. Resolves
 * when the response may be sent, which is later only for `callback_before_response`.
 */
export async function accept(core: Core, ordered: Draft): Promise<Payment> {
  const draft = forHandset(core, ordered)
  const { min, max } = core.tuning.settleMs
  const settleMs = draft.settleMs ?? min + Math.floor(core.random.next() * (max - min + 1))
  const isDelayed = draft.operation !== 'charge' && findFault(draft.faults, 'operator_delayed') !== undefined
  const state = isDelayed ? 'enqueued' : isStuck(draft) ? 'processing' : 'accepted'
  const payment: Payment = { ...draft, state, acceptedAt: core.clock.now(), settleMs }
  core.books.accept(payment)
  const isEarly = findFault(payment.faults, 'callback_before_response') !== undefined
  if (isEarly && !isStuck(payment) && payment.waitsFor === 'time') await conclude(core, payment)
  else schedule(core, payment)
  return payment
}

/** A prompt of a phone that a person plays waits for that person. */
function forHandset({ handsets }: Core, draft: Draft): Draft {
  const isPrompt = draft.operation === 'charge' && draft.waitsFor === 'time'
  if (!isPrompt || !handsets.isTaken(draft.account)) return draft
  return { ...draft, plannedOutcome: { kind: 'stays' }, faults: [...draft.faults, handsetPrompt] }
}

/**
 * Ends a payment inside the request that decides it, unless a fault keeps it open. Resolves when the response to that
 * request may be sent.
 */
export async function conclude(core: Core, payment: Payment, ending?: Ending): Promise<void> {
  if (isStuck(payment)) return
  const callback = settle(core, payment, ending)
  const early = findFault(payment.faults, 'callback_before_response')
  if (callback && early) await core.callbacks.attempted(callback, early.delayMs ?? responseWaitsMs)
}

/** After a restart: schedules every open payment again and sends callbacks that were not delivered. */
export function resume(core: Core): void {
  for (const payment of core.books.payments()) {
    resumeReceipts(core, payment)
    if (!isEnd(payment.state)) schedule(core, payment)
    else {
      followUp(core, payment)
      if (payment.deliveredState !== payment.state && isRecent(core, payment, payment.endedAt))
        sendCallback(core, payment)
    }
  }
}

function resumeReceipts(core: Core, payment: Payment): void {
  for (const receipt of payment.receipts ?? []) {
    const { isDelivered, at, reversedAt = at, moment } = receipt
    followUpReceipt(core, payment, receipt, moment + reversedAt - at)
    if (!isDelivered && isRecent(core, payment, reversedAt)) sendCallback(core, payment, receipt)
  }
}

/** The provider would still be retrying the callback. */
function isRecent({ clock, dialects }: Core, { provider }: Payment, at = 0): boolean {
  const pauses = dialects.get(provider)?.retryPausesMs
  return clock.now() - at < (pauses?.reduce((sum, pauseMs) => sum + pauseMs) ?? callbacksForMs)
}

/** The decision of the payer, or of an operator on their behalf, on an open payment. */
export function act(core: Core, payment: Payment, ending: Ending, moment?: number): boolean {
  if (isEnd(payment.state)) return false
  finish(core, payment, ending, moment)
  return true
}

/** The payer approves on the provider's page. The account still decides whether the payment succeeds. */
export function approve(core: Core, payment: Payment): void {
  if (!isStuck(payment)) settle(core, payment)
}

/** Releases the payouts and refunds that waited for an operator that has recovered. */
export function releaseEnqueued(core: Core, fault: string): void {
  for (const payment of core.books.payments())
    if (payment.state === 'enqueued' && payment.faults.some((drawn) => drawn.fault === fault)) dequeue(core, payment)
}

const isStuck = ({ plannedOutcome, faults }: Pick<Payment, 'plannedOutcome' | 'faults'>) =>
  plannedOutcome.kind === 'stays' ||
  findFault(faults, 'stuck_pending') !== undefined ||
  findFault(faults, 'prompt_expires') !== undefined

const notApproved: Ending = { state: 'failed', failure: failureOf('PAYMENT_NOT_APPROVED') }

function schedule(core: Core, payment: Payment): void {
  const { waitsFor, faults } = payment
  const prompt = findFault(faults, 'prompt_expires')
  if (payment.state === 'enqueued') scheduleQueued(core, payment)
  else if (waitsFor === 'payer') askPayer(core, payment)
  else if (waitsFor === 'money') scheduleAccount(core, payment)
  else if (waitsFor === 'time' && !isStuck(payment)) scheduleEnd(core, payment, payment.acceptedAt)
  if (prompt && waitsFor !== 'money') expirePrompt(core, payment, prompt.delayMs)
}

function scheduleQueued(core: Core, payment: Payment): void {
  const { seconds } = findFault(payment.faults, 'operator_delayed') ?? {}
  const delayMs = seconds === undefined ? delayedMs : seconds * 1000
  core.plans.at(payment, payment.acceptedAt + delayMs, (moment) => dequeue(core, payment, moment))
}

function scheduleEnd(core: Core, payment: Payment, from: number): void {
  core.plans.at(payment, from + payment.settleMs, (moment) => settle(core, payment, undefined, moment))
}

/** A charge whose money comes late fails first. */
function scheduleAccount(core: Core, payment: Payment): void {
  if (!findFault(payment.faults, 'late_receipt')) return
  core.plans.at(payment, payment.acceptedAt + payment.settleMs, (moment) => {
    if (payment.receipts === undefined) act(core, payment, notApproved, moment)
  })
}

/** The payer does not respond in time. */
function expirePrompt(core: Core, payment: Payment, lifeMs = payerWaitsMs): void {
  core.plans.at(payment, payment.acceptedAt + lifeMs, (moment) => act(core, payment, notApproved, moment))
}

function dequeue(core: Core, payment: Payment, moment = momentOf(core, payment)): void {
  if (payment.state !== 'enqueued') return
  core.books.change(payment, { state: 'accepted', at: core.clock.now(), moment })
  if (!isStuck(payment)) scheduleEnd(core, payment, moment)
}

/** The page is ready a little later, and the payer has limited time. */
function askPayer(core: Core, payment: Payment): void {
  const { pageUrl } = payment.details
  core.plans.at(payment, payment.acceptedAt + payment.settleMs, (moment) => {
    if (payment.state !== 'accepted') return
    core.books.change(payment, {
      state: 'processing',
      at: core.clock.now(),
      moment,
      ...(typeof pageUrl === 'string' && { authorizationUrl: pageUrl }),
    })
    sendCallback(core, payment)
  })
  if (!isStuck(payment)) expirePrompt(core, payment)
}

function settle(
  core: Core,
  payment: Payment,
  ending = endingOf(payment.plannedOutcome),
  moment?: number,
): Callback | undefined {
  if (isEnd(payment.state)) return undefined
  const flap = findFault(payment.faults, 'flap')
  const wrongly: Ending | undefined = flap && {
    state: 'failed',
    failure: failureOf(flap.code ?? 'UNSPECIFIED_FAILURE'),
  }
  return finish(core, payment, wrongly ?? ending, moment)
}

const endingOf = (plannedOutcome: PlannedOutcome): Ending =>
  plannedOutcome.kind === 'fails' ? { state: 'failed', failure: plannedOutcome.failure } : { state: 'completed' }
