import { randomUUID } from 'node:crypto'
import type { Callback, Letter } from './callbacks.ts'
import type { Core } from './core.ts'
import { type Failure, isEnd, type Payment, type Receipt, type Verdict } from './entries.ts'
import { findFault } from './faults.ts'
import { failureOf } from './outcomes.ts'

/** What a dialect knows of a payment it is about to take. */
export type Draft = Omit<
  Payment,
  'state' | 'acceptedAt' | 'settleMs' | 'failure' | 'receipt' | 'receipts' | 'endedAt' | 'told'
> & {
  /** From acceptance to outcome, where the dialect knows better than the settings. */
  readonly settleMs?: number
}

export type Ending = { readonly state: 'completed' } | { readonly state: 'failed'; readonly failure: Failure }

const payerWaitsMs = 15 * 60_000
const tellsForMs = 15 * 60_000
const delayedMs = 60 * 60_000
const answerWaitsMs = 5_000

/**
 * Takes a payment. From here on its key is known, a payout's money is set aside, and its end is on the clock. Resolves
 * when it may be answered, which is later only for `callback_before_response`.
 */
export async function accept(core: Core, draft: Draft): Promise<Payment> {
  const { min, max } = core.tuning.settleMs
  const settleMs = draft.settleMs ?? min + Math.floor(core.random.next() * (max - min + 1))
  const isDelayed = draft.operation === 'payout' && findFault(draft.faults, 'operator_delayed') !== undefined
  const state = isDelayed ? 'enqueued' : isStuck(draft) ? 'processing' : 'accepted'
  const payment: Payment = { ...draft, state, acceptedAt: core.clock.now(), settleMs }
  core.books.accept(payment)
  const isEarly = findFault(payment.faults, 'callback_before_response') !== undefined
  if (isEarly && !isStuck(payment) && payment.waitsFor === 'time') await conclude(core, payment)
  else schedule(core, payment)
  return payment
}

/**
 * Ends a payment inside the request that decides it, unless a fault keeps it open. Resolves when that request may be
 * answered.
 */
export async function conclude(core: Core, payment: Payment, ending?: Ending): Promise<void> {
  if (isStuck(payment)) return
  const callback = settle(core, payment, ending)
  const early = findFault(payment.faults, 'callback_before_response')
  if (callback && early) await core.callbacks.attempted(callback, early.delayMs ?? answerWaitsMs)
}

/** After a restart: puts everything unfinished back on the clock, and tells what was not heard. */
export function resume(core: Core): void {
  for (const payment of core.books.payments()) {
    const untold = (payment.receipts ?? []).filter(({ isTold, at }) => !isTold && isRecent(core, payment, at))
    for (const receipt of untold) tell(core, payment, receipt)
    if (!isEnd(payment.state)) schedule(core, payment)
    else {
      followUp(core, payment)
      if (payment.told !== payment.state && isRecent(core, payment, payment.endedAt)) tell(core, payment)
    }
  }
}

/** The provider would still be trying to tell. */
function isRecent({ clock, dialects }: Core, { provider }: Payment, at = 0): boolean {
  const pauses = dialects.get(provider)?.retryPausesMs
  return clock.now() - at < (pauses?.reduce((sum, pauseMs) => sum + pauseMs) ?? tellsForMs)
}

/** What the payer, or an operator in their name, makes of a payment that has not ended. */
export function act(core: Core, payment: Payment, ending: Ending): boolean {
  if (isEnd(payment.state)) return false
  finish(core, payment, ending)
  return true
}

/** The payer says yes on the provider's page; the account still decides whether that is enough. */
export function approve(core: Core, payment: Payment): void {
  if (!isEnd(payment.state) && !isStuck(payment)) finish(core, payment, endingOf(payment.verdict))
}

/** Lets go what waited for an operator that is well again. */
export function releaseEnqueued(core: Core, fault: string): void {
  for (const payment of core.books.payments())
    if (payment.state === 'enqueued' && payment.faults.some((drawn) => drawn.fault === fault)) dequeue(core, payment)
}

/** Money comes into an account of a charge: too little, too much, too late or again, as the payer likes. */
export function receive(core: Core, payment: Payment, { account, amount }: Pick<Receipt, 'account' | 'amount'>) {
  const receipt: Receipt = { id: String(core.numbers.next()), account, amount, at: core.clock.now() }
  core.books.receive(payment, receipt)
  tell(core, payment, receipt)
  return receipt
}

/** Sends the callback about where a payment stands now, or about a receipt, unless a fault keeps it back. */
export function tell(core: Core, payment: Payment, receipt?: Receipt): Callback | undefined {
  const dialect = core.dialects.get(payment.provider)
  if (dialect === undefined || core.tuning.callbackBase === '') return undefined
  if (findFault(payment.faults, 'callback_never')) return undefined
  const late = findFault(payment.faults, 'callback_late')
  const twice = findFault(payment.faults, 'callback_duplicate')
  const forged = findFault(payment.faults, 'callback_bad_signature')
  const { provider, operation, key, state } = payment
  const letter: Letter = {
    provider,
    operation,
    key,
    state,
    ...(receipt && { receipt: receipt.id }),
    url: `${core.tuning.callbackBase}/${provider}`,
    body: JSON.stringify(dialect.callbackBody(...distorted(payment, receipt))),
    dueAt: core.clock.now() + (late ? (late.delayMs ?? 60_000) : 0),
    forgedAttempts: forged ? (forged.count ?? Number.POSITIVE_INFINITY) : 0,
    ...orderOf(core, payment),
  }
  const first = core.callbacks.send(letter)
  for (let copy = 1; copy < (twice ? (twice.count ?? 2) : 1); copy++) core.callbacks.send(letter)
  return first
}

const isStuck = ({ verdict, faults }: Pick<Payment, 'verdict' | 'faults'>) =>
  verdict.kind === 'stays' || findFault(faults, 'stuck_pending') !== undefined

function schedule(core: Core, payment: Payment): void {
  if (payment.state === 'enqueued') {
    const { seconds } = findFault(payment.faults, 'operator_delayed') ?? {}
    core.clock.at(payment.acceptedAt + (seconds === undefined ? delayedMs : seconds * 1000), () =>
      dequeue(core, payment),
    )
  } else if (payment.waitsFor === 'payer') askPayer(core, payment)
  else if (payment.waitsFor === 'time' && !isStuck(payment))
    core.clock.at(payment.acceptedAt + payment.settleMs, () => settle(core, payment))
}

function dequeue(core: Core, payment: Payment): void {
  if (payment.state !== 'enqueued') return
  core.books.change(payment, { state: 'accepted', at: core.clock.now() })
  if (!isStuck(payment)) core.clock.at(core.clock.now() + payment.settleMs, () => settle(core, payment))
}

/** The page is ready a little later, and the payer does not have for ever. */
function askPayer(core: Core, payment: Payment): void {
  const { pageUrl } = payment.details
  core.clock.at(payment.acceptedAt + payment.settleMs, () => {
    if (payment.state !== 'accepted') return
    core.books.change(payment, {
      state: 'processing',
      at: core.clock.now(),
      ...(typeof pageUrl === 'string' && { authorizationUrl: pageUrl }),
    })
    tell(core, payment)
  })
  if (isStuck(payment)) return
  core.clock.at(payment.acceptedAt + payerWaitsMs, () =>
    act(core, payment, { state: 'failed', failure: failureOf('PAYMENT_NOT_APPROVED') }),
  )
}

function settle(core: Core, payment: Payment, ending = endingOf(payment.verdict)): Callback | undefined {
  if (isEnd(payment.state)) return undefined
  const flap = findFault(payment.faults, 'flap')
  const wrongly: Ending | undefined = flap && {
    state: 'failed',
    failure: failureOf(flap.code ?? 'UNSPECIFIED_FAILURE'),
  }
  return finish(core, payment, wrongly ?? ending)
}

const endingOf = (verdict: Verdict): Ending =>
  verdict.kind === 'fails' ? { state: 'failed', failure: verdict.failure } : { state: 'completed' }

function finish(core: Core, payment: Payment, ending: Ending): Callback | undefined {
  const at = core.clock.now()
  if (ending.state === 'completed') core.books.change(payment, { state: 'completed', at, receipt: receiptOf() })
  else core.books.change(payment, { state: 'failed', at, failure: ending.failure })
  followUp(core, payment)
  return tell(core, payment)
}

/** Ends that do not last: a failure that turns out to be a success, a success that is taken back. */
function followUp(core: Core, payment: Payment): void {
  const endedAt = payment.endedAt ?? core.clock.now()
  const flap = findFault(payment.faults, 'flap')
  const reversal = findFault(payment.faults, 'reversal_after_success')
  // An account that nobody paid into has nothing that could turn out to be a success.
  if (flap && payment.state === 'failed' && payment.waitsFor !== 'money')
    core.clock.at(endedAt + (flap.delayMs ?? 2_000), () => {
      if (payment.state === 'failed') finish(core, payment, { state: 'completed' })
    })
  if (reversal && payment.state === 'completed')
    core.clock.at(endedAt + (reversal.delayMs ?? 2_000), () => reverse(core, payment))
}

function reverse(core: Core, payment: Payment): void {
  if (payment.state !== 'completed') return
  const failure = { code: 'REVERSED', message: 'The operator took the payment back.' }
  core.books.change(payment, { state: 'reversed', at: core.clock.now(), failure })
  tell(core, payment)
}

/** Looks like an operator's receipt: ten letters and digits. */
const receiptOf = () => randomUUID().replaceAll('-', '').slice(0, 10).toUpperCase()

/** A callback about a receipt names a wrong amount of that receipt; any other, of the payment. */
function distorted(payment: Payment, receipt: Receipt | undefined): [Payment, Receipt | undefined] {
  const wrong = findFault(payment.faults, 'callback_wrong_amount')
  const stray = findFault(payment.faults, 'callback_unknown_reference')
  const known = { ...payment, ...(stray && { key: randomUUID() }) }
  if (wrong === undefined) return [known, receipt]
  const amount = wrong.amount ?? `1${(receipt ?? payment).amount}`
  if (receipt === undefined) return [{ ...known, amount }, undefined]
  const changed = { ...receipt, amount }
  const receipts = known.receipts?.map((each) => (each.id === receipt.id ? changed : each)) ?? []
  return [{ ...known, receipts }, changed]
}

/** The first callback of a payment lets another pass: its own next one if there will be one, else anybody's. */
function orderOf(core: Core, payment: Payment): Pick<Letter, 'after'> {
  const isReordered = findFault(payment.faults, 'callback_reorder') !== undefined
  if (!isReordered || core.callbacks.latestOf(payment.key) !== undefined) return {}
  const willSayMore =
    !isEnd(payment.state) ||
    (payment.state === 'failed' && findFault(payment.faults, 'flap') !== undefined) ||
    (payment.state === 'completed' && findFault(payment.faults, 'reversal_after_success') !== undefined)
  return { after: willSayMore ? 'payment' : 'provider' }
}
