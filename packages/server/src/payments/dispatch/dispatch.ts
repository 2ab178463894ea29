import assert from 'node:assert/strict'
import type { Cause } from '../../events/emit.ts'
import { startWatch } from '../../platform/clock.ts'
import type { Tx, WriteDb } from '../../platform/db.ts'
import { reach } from '../../platform/failpoints.ts'
import { providerKeyOf, showId } from '../../platform/ids.ts'
import type { Log } from '../../platform/log.ts'
import type { Vault } from '../../platform/seal.ts'
import type {
  AttemptRef,
  CardChargeAttempt,
  Connector,
  CustomerAnswer,
  ProviderStatus,
  QueryOutcome,
  SubmitOutcome,
} from '../../providers/contract.ts'
import type { Connectors } from '../../providers/routing.ts'
import { movedOf } from '../late-money/late-money.ts'
import { openCounterparty } from '../model/counterparty.ts'
import { isOutgoing } from '../model/outgoing.ts'
import { isFinal } from '../model/state.ts'
import { type Attempt, type Payment, type PendingAction, putQuestion, type Transaction } from '../model/store.ts'
import { refundFacts } from '../refunds/refund-facts.ts'
import { isContrary } from '../resolve/decide-late.ts'
import { isUnbooked } from '../resolve/decide-received.ts'
import type { Observation } from '../resolve/decision.ts'
import type { ResolveResult, Resolver } from '../resolve/resolve.ts'
import { timing } from '../resolve/timing.ts'
import type { Claimed } from './claim.ts'
import { keepContinuation } from './continuations.ts'
import { type LaneHealth, type Reply, replyOf, replyToQuery } from './lane-health.ts'
import { railOf } from './operation.ts'

export interface Dispatcher {
  readonly db: { readonly write: WriteDb }
  readonly vault: Vault
  readonly log: Log
  readonly connectors: Connectors
  readonly health: LaneHealth
  readonly resolver: Resolver
}

/** What the customer gave for this one send. It is never stored. */
export interface Given {
  readonly codes?: Codes
  readonly card?: GivenCard
}

export interface Codes {
  readonly otpCode?: string
  readonly voucherPin?: string
}

export type GivenCard = Omit<CardChargeAttempt, keyof AttemptRef | 'customer'>

const questionsMax = 3

/**
 * Sends what was never sent, queries what may have been sent, and resolves the outcome. No transaction is open meanwhile.
 * `elapsedMs` is this process's own clock, started before the claim: a process that slept past its send deadline does not send.
 */
export async function dispatch(dispatcher: Dispatcher, claimed: Claimed, elapsedMs: () => number): Promise<void> {
  const { transaction, attempt } = claimed
  const { sent, cause } = await work(dispatcher, claimed, elapsedMs)
  if (sent) await resolveSent(dispatcher, { transaction, attempt }, sent, cause)
  reach('dispatch.resolved')
}

/** Resolves the observation and stores the continuation, if there is one. */
export async function resolveSent(
  dispatcher: Dispatcher,
  payment: Claimable,
  { continuation, ...observed }: Sent,
  cause: Cause,
): Promise<Transaction | undefined> {
  const { transaction, attempt } = payment
  const { id: transaction_id } = transaction
  const alongside =
    continuation === undefined ? {} : { alongside: keeping(dispatcher.vault, transaction_id, continuation) }
  const resolution = { transaction_id, attempt: attempt.number, cause, ...observed, ...alongside }
  const result = await dispatcher.resolver.submit(resolution)
  await followUp(dispatcher, attempt.number, result, observed.observation)
  return result?.transaction
}

/** The result of a send or a query may contradict an end that came meanwhile. Then the provider is queried again. */
export async function followUp(
  dispatcher: Dispatcher,
  number: number,
  result: ResolveResult | undefined,
  observation: Observation,
): Promise<void> {
  if (observation.kind !== 'reported' || !result) return
  if (!isContraryTo(result, number, observation.providerStatus)) return
  const { provider } = result.attempts.find((each) => each.number === number) ?? result.transaction
  const isAnswered = await askWhatIsTrue(dispatcher, { ...result.transaction, provider }, number)
  if (isAnswered) return
  const { id: transaction_id } = result.transaction
  const unasked = { kind: 'contradicted', reported: observation.providerStatus.state } as const
  await dispatcher.resolver.submit({ transaction_id, attempt: number, cause: 'query', observation: unasked })
}

/**
 * A provider that contradicts the end of a payment, or reports on an abandoned attempt, is queried before its report is booked.
 * False when it does not respond, or when other processes keep querying.
 */
export async function askWhatIsTrue(
  dispatcher: Dispatcher,
  transaction: Transaction,
  number: number,
): Promise<boolean> {
  const { id: transaction_id } = transaction
  for (let tries = 0; tries < questionsMax; tries += 1) {
    const question = await putQuestion(dispatcher.db.write, transaction_id, number)
    const { observation } = await queryProvider(dispatcher, { transaction, attempt: { number } })
    if (observation.kind !== 'reported') return false
    const common = { transaction_id, attempt: number, cause: 'query' } as const
    const result = await dispatcher.resolver.submit({ ...common, observation, question })
    // Not booked: another process started a later query, and may never get its response.
    const { providerStatus } = observation
    if (!result || !isContraryTo(result, number, providerStatus)) return true
  }
  return false
}

/** Whether a report differs from the books: on receipts, or on an attempt that has ended. */
export function isContraryTo(
  { transaction, attempts, receipts }: ResolveResult,
  number: number,
  providerStatus: ProviderStatus,
): boolean {
  const attempt = attempts.find((each) => each.number === number)
  const isCurrent = number === transaction.attempt
  if (attempt && providerStatus.state === 'received')
    return isCurrent && isUnbooked({ transaction, attempt, receipts }, providerStatus.receipts)
  if (!attempt || (isCurrent && !isFinal(transaction.state))) return false
  const others = attempts.filter((each) => each !== attempt)
  const movedElsewhere = others.reduce((sum, other) => sum + movedOf(transaction, other), 0n)
  return isContrary({ transaction, attempt, movedElsewhere }, providerStatus)
}

const keeping = (vault: Vault, id: string, continuation: string) => (tx: Tx) =>
  keepContinuation(vault, tx, id, continuation)

/** A payment and one of its attempts. */
interface Claimable {
  readonly transaction: Transaction
  readonly attempt: Pick<Attempt, 'number'>
}

async function work(
  dispatcher: Dispatcher,
  claimed: Claimed,
  elapsedMs: () => number,
): Promise<{ sent: Sent | undefined; cause: Cause }> {
  switch (claimed.todo) {
    case 'send':
      return { sent: await send(dispatcher, claimed, elapsedMs), cause: 'attempt' }
    case 'ask':
      return {
        sent: { ...(await queryProvider(dispatcher, claimed)), claimedUntil: claimed.transaction.wake_at },
        cause: 'query',
      }
    case 'end':
      return {
        sent: { observation: { kind: isOutgoing(claimed.transaction) ? 'paid_before' : 'too_late' } },
        cause: 'clock',
      }
  }
}

/**
 * Sends a payment that this process may send since its clock started. `given` is what the request had and no table stores.
 * Undefined when the send deadline has passed.
 */
export async function send(
  dispatcher: Dispatcher,
  payment: Payment,
  elapsedMs: () => number,
  given: Given = {},
): Promise<Sent | undefined> {
  const connector = connectorOf(dispatcher, payment.transaction)
  if (!connector) return { observation: notConfigured }
  const submit = await submission(dispatcher, connector, payment, given)
  reach('send.due')
  // Checked last, just before the first byte: a process that claims the payment after this time queries first and finds nothing.
  if (elapsedMs() > timing.sendDeadlineMs) {
    const transactionId = showId('transaction', payment.transaction.id)
    dispatcher.log.warn({ transactionId }, 'payment not sent: its send deadline passed')
    return undefined
  }
  reach('send.first_byte')
  const outcome = await submit(AbortSignal.timeout(timing.submitTimeoutMs))
  reach('send.responded')
  await noteReply(dispatcher, payment.transaction, replyOf(outcome))
  return sentOf(outcome)
}

/** The customer's answer, the question it answers, and what the connector needs to pass it on. */
export interface Answering {
  readonly action: PendingAction
  readonly answer: CustomerAnswer
  readonly continuation: string
}

/** Sends a customer's answer for a payment that was claimed for it when the clock started. */
export async function sendAnswer(
  dispatcher: Dispatcher,
  { transaction, attempt }: Payment,
  { action, answer, continuation }: Answering,
  elapsedMs: () => number,
): Promise<Sent> {
  const cards = connectorOf(dispatcher, transaction)?.cardCharges
  const unsent = (detail: string): Sent => ({ observation: { kind: 'answer_unsent', action, detail } })
  if (!cards) return unsent('the provider is not configured')
  if (elapsedMs() > timing.sendDeadlineMs) return unsent('its send deadline passed')
  const ref = refOf(transaction, attempt.number)
  reach('authorise.first_byte')
  const outcome = await cards.authorise(ref, answer, continuation, AbortSignal.timeout(timing.submitTimeoutMs))
  reach('authorise.responded')
  await noteReply(dispatcher, transaction, replyOf(outcome))
  if (outcome.certainty === 'wrong_value') return { observation: { kind: 'answer_refused', action } }
  return outcome.certainty === 'definitely_not_submitted' ? unsent(outcome.detail) : sentOf(outcome)
}

const notConfigured = { kind: 'not_submitted', cause: 'closed', detail: 'the provider is not configured' } as const

/** The result of a send or a query, and what the connector needs to continue. */
export interface Sent {
  readonly observation: Observation
  readonly continuation?: string
  /** Only for a query. */
  readonly queriedMsAgo?: () => number
  /** Only for a lane's query. */
  readonly claimedUntil?: Date | null
}

type Submit = (signal: AbortSignal) => Promise<SubmitOutcome>

async function submission(
  { db, vault }: Dispatcher,
  connector: Connector,
  { transaction, attempt }: Payment,
  given: Given,
): Promise<Submit> {
  const counterparty = openCounterparty(vault, transaction)
  const ref = { ...refOf(transaction, attempt.number), ...scenarioFor(transaction, attempt) }
  const lifeSeconds = accountSeconds(transaction, attempt)
  const { id, payouts, refunds, momoCharges, cardCharges, transferCharges } = connector
  if (transaction.type === 'refund') {
    assert(refunds, `${id} makes no refunds`)
    const facts = await refundFacts(db.write, transaction)
    return (signal) => refunds.submit({ ...ref, ...facts, isFirstSend: attempt.sends === 1 }, signal)
  }
  switch (counterparty.role) {
    case 'payee':
      assert(payouts, `${id} makes no payouts`)
      return (signal) => payouts.submit({ ...ref, to: counterparty.to }, signal)
    case 'payer': {
      assert(momoCharges, `${id} makes no mobile money charges`)
      const { role: _, ...payer } = counterparty
      return (signal) => momoCharges.submit({ ...ref, ...payer, ...given.codes }, signal)
    }
    case 'cardholder': {
      const { card } = given
      assert(cardCharges && card, `${id} makes no card charges, or the card is missing`)
      const { role: _, card: __, ...customer } = counterparty
      return (signal) => cardCharges.submit({ ...ref, ...card, customer }, signal)
    }
    case 'depositor':
      assert(transferCharges, `${id} opens no accounts`)
      return (signal) => transferCharges.submit({ ...ref, email: counterparty.email, lifeSeconds }, signal)
  }
}

/** A scenario applies only to the first send, so that a payment that is sent again can end. */
function scenarioFor(
  { scenario, merchant_id }: Transaction,
  { sends }: Attempt,
): Pick<AttemptRef, 'scenario' | 'owner'> {
  return scenario !== null && sends === 1 ? { scenario, owner: merchant_id } : {}
}

/** Until the charge is two hours old, whenever it is sent. */
function accountSeconds({ created_at }: Transaction, { send_deadline }: Attempt): number {
  const ageMs = (send_deadline?.getTime() ?? 0) - timing.sendDeadlineMs - created_at.getTime()
  return Math.round(Math.max(timing.accountOpenMs - Math.max(ageMs, 0), timing.accountOpenMinMs) / 1000)
}

function sentOf(outcome: SubmitOutcome): Sent {
  switch (outcome.certainty) {
    case 'accepted':
      return reportedBy(outcome)
    case 'definitely_failed':
      return { observation: { kind: 'reported', providerStatus: { state: 'failed', failure: outcome.failure } } }
    case 'definitely_not_submitted':
      return { observation: { kind: 'not_submitted', cause: outcome.cause, detail: outcome.detail } }
    case 'unknown':
      return { observation: unknownObservation(outcome) }
  }
}

function unknownObservation({ cause, detail, failure }: Extract<SubmitOutcome, { certainty: 'unknown' }>): Observation {
  return { kind: 'unknown', detail: `${cause}: ${detail}`, ...(failure && { failure }) }
}

type Query = (signal: AbortSignal) => Promise<QueryOutcome>

/** Asks about a payment. The query of a refund also needs the charge. Undefined when the provider is not configured. */
async function queryOf(dispatcher: Dispatcher, { transaction, attempt }: Claimable): Promise<Query | undefined> {
  const connector = connectorOf(dispatcher, transaction)
  const ref = refOf(transaction, attempt.number)
  if (transaction.type !== 'refund') {
    const rail = connector && railOf(connector, transaction)
    return rail && ((signal) => rail.query(ref, signal))
  }
  const refunds = connector?.refunds
  const facts = refunds && (await refundFacts(dispatcher.db.write, transaction))
  return facts && ((signal) => refunds.query({ ...ref, ...facts, isFirstSend: false }, signal))
}

export async function queryProvider(dispatcher: Dispatcher, { transaction, attempt }: Claimable): Promise<Sent> {
  const query = await queryOf(dispatcher, { transaction, attempt })
  if (!query) return { observation: { kind: 'unclear', detail: 'the provider is not configured' } }
  const queriedMsAgo = startWatch()
  reach('query.first_byte')
  const outcome = await query(AbortSignal.timeout(timing.queryTimeoutMs))
  reach('query.responded')
  await noteReply(dispatcher, transaction, replyToQuery(outcome))
  return { ...answered(outcome), queriedMsAgo }
}

function answered(outcome: QueryOutcome): Sent {
  switch (outcome.found) {
    case 'yes':
      return reportedBy(outcome)
    case 'no':
      return { observation: { kind: 'not_found' } }
    case 'unclear':
      return { observation: { kind: 'unclear', detail: outcome.detail } }
  }
}

function reportedBy({
  providerStatus,
  continuation,
}: {
  readonly providerStatus: ProviderStatus
  readonly continuation?: string
}): Sent {
  return { observation: { kind: 'reported', providerStatus }, ...(continuation !== undefined && { continuation }) }
}

async function noteReply(
  { health }: Dispatcher,
  { env, provider }: Transaction,
  reply: Reply | undefined,
): Promise<void> {
  if (reply) await health.note(env, provider, reply)
}

/** The connector of a payment's current attempt. */
function connectorOf(
  { connectors }: Pick<Dispatcher, 'connectors'>,
  { env, provider }: Transaction,
): Connector | undefined {
  return connectors[env].get(provider)
}

/** What every request to a provider carries about an attempt. */
function refOf({ id, country, currency, amount }: Transaction, attempt: number): AttemptRef {
  return { key: providerKeyOf(id, attempt), country, currency, amount }
}
