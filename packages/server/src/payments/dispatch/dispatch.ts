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
  QueryOutcome,
  Said,
  SubmitOutcome,
} from '../../providers/contract.ts'
import type { Connectors } from '../../providers/routing.ts'
import { accountMinMs, accountMs, sendWithinMs } from '../accept/accept.ts'
import { movedOf } from '../late-money/late-money.ts'
import { openParty } from '../model/counterparty.ts'
import { isFinal } from '../model/state.ts'
import { type Attempt, type Payment, type PendingAction, putQuestion, type Transaction } from '../model/store.ts'
import { isContrary } from '../resolve/decide-late.ts'
import { isUnbooked } from '../resolve/decide-received.ts'
import type { News } from '../resolve/decision.ts'
import type { Settler, Standing } from '../resolve/resolve.ts'
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
  readonly settler: Settler
}

/** What a customer gave for this one sending, and is kept nowhere. */
export interface Given {
  readonly codes?: Codes
  readonly card?: GivenCard
}

export interface Codes {
  readonly otpCode?: string
  readonly voucherPin?: string
}

export type GivenCard = Omit<CardChargeAttempt, keyof AttemptRef | 'customer'>

/** The longest a provider is waited for; after that it may still act, and is asked. */
export const submitMs = 35_000
const queryMs = 15_000
const questionsMax = 3

/**
 * Sends what was never sent and asks about what may have been, then has the outcome settled. No transaction is open
 * meanwhile. `elapsedMs` is this process's own watch, started before the claim: one that slept past its time to send does
 * not send.
 */
export async function dispatch(dispatcher: Dispatcher, claimed: Claimed, elapsedMs: () => number): Promise<void> {
  const { transaction, attempt } = claimed
  const { sent, cause } = await work(dispatcher, claimed, elapsedMs)
  if (sent) await settleSent(dispatcher, { transaction, attempt }, sent, cause)
  reach('dispatch.settled')
}

/** Has what was learned settled, and keeps what is needed to go on with it. */
export async function settleSent(
  dispatcher: Dispatcher,
  payment: Claimable,
  { continuation, ...observed }: Sent,
  cause: Cause,
): Promise<Transaction | undefined> {
  const { transaction, attempt } = payment
  const { id: transaction_id } = transaction
  const alongside =
    continuation === undefined ? {} : { alongside: keeping(dispatcher.vault, transaction_id, continuation) }
  const settlement = { transaction_id, attempt: attempt.number, cause, ...observed, ...alongside }
  const standing = await dispatcher.settler.submit(settlement)
  await followUp(dispatcher, attempt.number, standing, observed.news)
  return standing?.transaction
}

/** What a sending or a question brought may contradict an end that came meanwhile; then it is found out what is true. */
export async function followUp(
  dispatcher: Dispatcher,
  number: number,
  standing: Standing | undefined,
  news: News,
): Promise<void> {
  if (news.kind !== 'said' || !standing) return
  if (!isContraryTo(standing, number, news.said)) return
  const { provider } = standing.attempts.find((each) => each.number === number) ?? standing.transaction
  const isAnswered = await askWhatIsTrue(dispatcher, { ...standing.transaction, provider }, number)
  if (isAnswered) return
  const { id: transaction_id } = standing.transaction
  const unasked = { kind: 'contradicted', reported: news.said.state } as const
  await dispatcher.settler.submit({ transaction_id, attempt: number, cause: 'query', news: unasked })
}

/**
 * A provider that contradicts the end of a payment, or speaks of an attempt that was given up, is asked before it is believed.
 * False when it does not answer, or others ask all the time.
 */
export async function askWhatIsTrue(
  dispatcher: Dispatcher,
  transaction: Transaction,
  number: number,
): Promise<boolean> {
  const { id: transaction_id } = transaction
  for (let tries = 0; tries < questionsMax; tries += 1) {
    const question = await putQuestion(dispatcher.db.write, transaction_id, number)
    const { news } = await ask(dispatcher, { transaction, attempt: { number } })
    if (news.kind !== 'said') return false
    const common = { transaction_id, attempt: number, cause: 'query' } as const
    const standing = await dispatcher.settler.submit({ ...common, news, question })
    // Not taken: somebody else put a later question, and may never hear the answer.
    const { said } = news
    if (!standing || !isContraryTo(standing, number, said)) return true
  }
  return false
}

/** Whether a report differs from the books: on receipts, or on an attempt that is over. */
export function isContraryTo({ transaction, attempts, receipts }: Standing, number: number, said: Said): boolean {
  const attempt = attempts.find((each) => each.number === number)
  const isCurrent = number === transaction.attempt
  if (attempt && said.state === 'received')
    return isCurrent && isUnbooked({ transaction, attempt, receipts }, said.receipts)
  if (!attempt || (isCurrent && !isFinal(transaction.state))) return false
  const others = attempts.filter((each) => each !== attempt)
  const movedElsewhere = others.reduce((sum, other) => sum + movedOf(transaction, other), 0n)
  return isContrary({ transaction, attempt, movedElsewhere }, said)
}

const keeping = (vault: Vault, id: string, continuation: string) => (tx: Tx) =>
  keepContinuation(vault, tx, id, continuation)

/** A payment, and which of its attempts is meant. */
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
      return { sent: await ask(dispatcher, claimed), cause: 'query' }
    case 'end':
      return {
        sent: { news: { kind: claimed.transaction.type === 'withdrew' ? 'paid_before' : 'too_late' } },
        cause: 'clock',
      }
  }
}

/**
 * Sends a payment that this process is entitled to send since its watch was started, with what the request that made it may have
 * had and nobody keeps. Nothing when it came too late.
 */
export async function send(
  dispatcher: Dispatcher,
  payment: Payment,
  elapsedMs: () => number,
  given: Given = {},
): Promise<Sent | undefined> {
  const connector = connectorOf(dispatcher, payment.transaction)
  if (!connector) return { news: notConfigured }
  const submit = submission(dispatcher, connector, payment, given)
  reach('send.due')
  // Checked last, just before the first byte: whoever claims it after this time asks first, and finds nothing.
  if (elapsedMs() > sendWithinMs) {
    const transactionId = showId('transaction', payment.transaction.id)
    dispatcher.log.warn({ transactionId }, 'a payment was not sent: its time to be sent had passed')
    return undefined
  }
  reach('send.first_byte')
  const outcome = await submit(AbortSignal.timeout(submitMs))
  reach('send.answered')
  await noteReply(dispatcher, payment.transaction, replyOf(outcome))
  return sentOf(outcome)
}

/** What a customer answered to what was asked of them, and what the connector needs to pass it on. */
export interface Answering {
  readonly action: PendingAction
  readonly answer: CustomerAnswer
  readonly continuation: string
}

/** Passes on what a customer answered, for a payment that was claimed for it since the watch was started. */
export async function sendAnswer(
  dispatcher: Dispatcher,
  { transaction, attempt }: Payment,
  { action, answer, continuation }: Answering,
  elapsedMs: () => number,
): Promise<Sent> {
  const cards = connectorOf(dispatcher, transaction)?.cardCharges
  const unsent = (detail: string): Sent => ({ news: { kind: 'answer_unsent', action, detail } })
  if (!cards) return unsent('the provider is not configured')
  if (elapsedMs() > sendWithinMs) return unsent('its time to be sent had passed')
  const ref = refOf(transaction, attempt.number)
  reach('authorise.first_byte')
  const outcome = await cards.authorise(ref, answer, continuation, AbortSignal.timeout(submitMs))
  reach('authorise.answered')
  await noteReply(dispatcher, transaction, replyOf(outcome))
  if (outcome.certainty === 'wrong_value') return { news: { kind: 'answer_refused', action } }
  return outcome.certainty === 'definitely_not_submitted' ? unsent(outcome.detail) : sentOf(outcome)
}

const notConfigured = { kind: 'not_submitted', cause: 'closed', detail: 'the provider is not configured' } as const

/** What came of a sending or a question, and what the connector needs to go on with it. */
export interface Sent {
  readonly news: News
  readonly continuation?: string
  /** Of a question. */
  readonly askedMsAgo?: () => number
}

type Submit = (signal: AbortSignal) => Promise<SubmitOutcome>

function submission(
  { vault }: Dispatcher,
  connector: Connector,
  { transaction, attempt }: Payment,
  given: Given,
): Submit {
  const party = openParty(vault, transaction)
  const ref = { ...refOf(transaction, attempt.number), ...playedTo(transaction, attempt) }
  const lifeSeconds = accountSeconds(transaction, attempt)
  const { id, payouts, momoCharges, cardCharges, transferCharges } = connector
  switch (party.role) {
    case 'payee':
      assert(payouts, `${id} pays nobody out`)
      return (signal) => payouts.submit({ ...ref, to: party.to }, signal)
    case 'payer': {
      assert(momoCharges, `${id} charges no phones`)
      const { role: _, ...payer } = party
      return (signal) => momoCharges.submit({ ...ref, ...payer, ...given.codes }, signal)
    }
    case 'cardholder': {
      const { card } = given
      assert(cardCharges && card, `${id} charges no cards, or the card is not here`)
      const { role: _, card: __, ...customer } = party
      return (signal) => cardCharges.submit({ ...ref, ...card, customer }, signal)
    }
    case 'depositor':
      assert(transferCharges, `${id} opens no accounts`)
      return (signal) => transferCharges.submit({ ...ref, email: party.email, lifeSeconds }, signal)
  }
}

/** What is played to a payment is played to its first sending: what is sent again is to have an end. */
function playedTo({ scenario, merchant_id }: Transaction, { sends }: Attempt): Pick<AttemptRef, 'scenario' | 'owner'> {
  return scenario !== null && sends === 1 ? { scenario, owner: merchant_id } : {}
}

/** Until the charge is two hours old, whenever it is sent. */
function accountSeconds({ created_at }: Transaction, { send_by }: Attempt): number {
  const ageMs = (send_by?.getTime() ?? 0) - sendWithinMs - created_at.getTime()
  return Math.round(Math.max(accountMs - Math.max(ageMs, 0), accountMinMs) / 1000)
}

function sentOf(outcome: SubmitOutcome): Sent {
  switch (outcome.certainty) {
    case 'accepted':
      return told(outcome)
    case 'definitely_failed':
      return { news: { kind: 'said', said: { state: 'failed', failure: outcome.failure } } }
    case 'definitely_not_submitted':
      return { news: { kind: 'not_submitted', cause: outcome.cause, detail: outcome.detail } }
    case 'unknown':
      return { news: unknownNews(outcome) }
  }
}

function unknownNews({ cause, detail, failure }: Extract<SubmitOutcome, { certainty: 'unknown' }>): News {
  return { kind: 'unknown', detail: `${cause}: ${detail}`, ...(failure && { failure }) }
}

export async function ask(dispatcher: Dispatcher, { transaction, attempt }: Claimable): Promise<Sent> {
  const connector = connectorOf(dispatcher, transaction)
  const rail = connector && railOf(connector, transaction)
  if (!rail) return { news: { kind: 'unclear', detail: 'the provider is not configured' } }
  const askedMsAgo = startWatch()
  reach('ask.first_byte')
  const outcome = await rail.query(refOf(transaction, attempt.number), AbortSignal.timeout(queryMs))
  reach('ask.answered')
  await noteReply(dispatcher, transaction, replyToQuery(outcome))
  return { ...answered(outcome), askedMsAgo }
}

function answered(outcome: QueryOutcome): Sent {
  switch (outcome.found) {
    case 'yes':
      return told(outcome)
    case 'no':
      return { news: { kind: 'not_found' } }
    case 'unclear':
      return { news: { kind: 'unclear', detail: outcome.detail } }
  }
}

function told({ said, continuation }: { readonly said: Said; readonly continuation?: string }): Sent {
  return { news: { kind: 'said', said }, ...(continuation !== undefined && { continuation }) }
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

/** What a provider is told of an attempt every time. */
function refOf({ id, country, currency, amount }: Transaction, attempt: number): AttemptRef {
  return { key: providerKeyOf(id, attempt), country, currency, amount }
}
