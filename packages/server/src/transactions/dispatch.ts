import assert from 'node:assert/strict'
import type { Cause } from '../events/emit.ts'
import { providerKeyOf, showId } from '../platform/ids.ts'
import type { Log } from '../platform/log.ts'
import type { Vault } from '../platform/seal.ts'
import type { AttemptRef, Connector, QueryOutcome, SubmitOutcome } from '../providers/contract.ts'
import type { Connectors } from '../providers/routing.ts'
import { sendWithinMs } from './accept.ts'
import type { Claimed } from './claim.ts'
import type { News } from './decide.ts'
import { openParty } from './party.ts'
import type { Settler } from './settle.ts'
import type { Attempt, Payment, Transaction } from './store.ts'

export interface Dispatcher {
  readonly vault: Vault
  readonly log: Log
  readonly connectors: Connectors
  readonly settler: Settler
}

/** What a customer gave for this one sending. */
export interface Codes {
  readonly otpCode?: string
  readonly voucherPin?: string
}

/** The longest a provider is waited for; after that it may still act, and is asked. */
export const submitMs = 35_000
const queryMs = 15_000

/**
 * Sends what was never sent and asks about what may have been, then has the outcome settled. No transaction is open
 * meanwhile. `elapsedMs` is this process's own watch, started before the claim: one that slept past its time to send does
 * not send.
 */
export async function dispatch(dispatcher: Dispatcher, claimed: Claimed, elapsedMs: () => number): Promise<void> {
  const { transaction, attempt } = claimed
  const { news, cause } = await work(dispatcher, claimed, elapsedMs)
  if (!news) return
  const { id: transaction_id, wallet_id } = transaction
  await dispatcher.settler.submit({ transaction_id, wallet_id, attempt: attempt.number, cause, news })
}

async function work(
  dispatcher: Dispatcher,
  claimed: Claimed,
  elapsedMs: () => number,
): Promise<{ news: News | undefined; cause: Cause }> {
  switch (claimed.todo) {
    case 'send':
      return { news: await send(dispatcher, claimed, elapsedMs), cause: 'attempt' }
    case 'ask':
      return { news: await ask(dispatcher, claimed), cause: 'query' }
    case 'end':
      return { news: { kind: 'too_late' }, cause: 'clock' }
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
  codes: Codes = {},
): Promise<News | undefined> {
  const connector = connectorOf(dispatcher, payment.transaction)
  if (!connector) return { kind: 'not_submitted', cause: 'closed', detail: 'the provider is not configured' }
  const submit = submission(dispatcher, connector, payment, codes)
  // Checked last, just before the first byte: whoever claims it after this time asks first, and finds nothing.
  if (elapsedMs() > sendWithinMs) {
    const transactionId = showId('transaction', payment.transaction.id)
    dispatcher.log.warn({ transactionId }, 'a payment was not sent: its time to be sent had passed')
    return undefined
  }
  return newsOfSubmit(await submit(AbortSignal.timeout(submitMs)))
}

function submission({ vault }: Dispatcher, connector: Connector, { transaction, attempt }: Payment, codes: Codes) {
  const party = openParty(vault, transaction)
  const ref = refOf(transaction, attempt.number)
  if (party.role === 'payee') {
    const { payouts } = connector
    assert(payouts, `${connector.id} pays nobody out`)
    return (signal: AbortSignal) => payouts.submit({ ...ref, to: party.to }, signal)
  }
  const { charges } = connector
  assert(charges, `${connector.id} charges nobody`)
  const { role: _, ...payer } = party
  return (signal: AbortSignal) => charges.submit({ ...ref, ...payer, ...codes }, signal)
}

function newsOfSubmit(outcome: SubmitOutcome): News {
  switch (outcome.certainty) {
    case 'accepted':
      return { kind: 'said', said: outcome.said }
    case 'definitely_failed':
      return { kind: 'said', said: { state: 'failed', failure: outcome.failure } }
    case 'definitely_not_submitted':
      return { kind: 'not_submitted', cause: outcome.cause, detail: outcome.detail }
    case 'unknown':
      return { kind: 'unknown', detail: `${outcome.cause}: ${outcome.detail}` }
  }
}

export async function ask(
  dispatcher: Dispatcher,
  payment: { readonly transaction: Transaction; readonly attempt: Pick<Attempt, 'number'> },
): Promise<News> {
  const connector = connectorOf(dispatcher, payment.transaction)
  const rail = payment.transaction.type === 'withdrew' ? connector?.payouts : connector?.charges
  if (!rail) return { kind: 'unclear', detail: 'the provider is not configured' }
  const ref = refOf(payment.transaction, payment.attempt.number)
  return newsOfQuery(await rail.query(ref, AbortSignal.timeout(queryMs)))
}

function newsOfQuery(outcome: QueryOutcome): News {
  if (outcome.found === 'yes') return { kind: 'said', said: outcome.said }
  return outcome.found === 'no' ? { kind: 'not_found' } : { kind: 'unclear', detail: outcome.detail }
}

/** The connector of a payment's current attempt. */
function connectorOf({ connectors }: Dispatcher, { env, provider }: Transaction): Connector | undefined {
  return connectors[env].get(provider)
}

/** What a provider is told of an attempt every time. */
function refOf({ id, country, currency, amount }: Transaction, attempt: number): AttemptRef {
  return { key: providerKeyOf(id, attempt), country, currency, amount }
}
