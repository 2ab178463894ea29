import { TimeoutError } from './errors.ts'
import type { Operations, Schemas } from './generated/api.ts'
import { type List, listOf } from './lists.ts'
import { pause } from './retries.ts'
import type { CallOptions, Transport } from './transport.ts'

/** `successful` and `failed` are final. The API uses upper and lower case; the SDK always uses lower case. */
export type Status = 'pending' | 'successful' | 'failed'

export type WithStatus<Raw> = Omit<Raw, 'status' | 'chargeStatus'> & { status: Status }

/** A transaction as listed. */
export type Transaction = WithStatus<Schemas['Transaction']>

/** What happened to a transaction and what happens next, in plain words. */
export type Explanation = Schemas['Explanation']

/** The account that a bank transfer charge is paid into. Its amount is a number, as everywhere in the SDK. */
export type VirtualAccount = Omit<Schemas['VirtualAccount'], 'amount'> & { amount: number }

/** A transaction with its whole history. */
export type TransactionDetails = Omit<WithStatus<Schemas['OneTransaction']>, 'virtualAccount'> & {
  virtualAccount?: VirtualAccount
}

type ListQuery = NonNullable<Operations['getTransactions']['query']>

/** Selects transactions; default: all. Days are YYYY-MM-DD in UTC, both inclusive. */
export interface TransactionFilter extends Omit<ListQuery, 'limit' | 'transactionId' | 'type'> {
  readonly type?: 'deposit' | 'withdrew' | (string & {}) | undefined
  /** Only transactions older than this one. */
  readonly after?: string | undefined
}

export interface WaitOptions {
  /** The condition to wait for; default: `final`. A final status always ends the wait. */
  readonly until?: 'final' | ((transaction: TransactionDetails) => boolean) | undefined
  /** Default: two minutes. */
  readonly timeoutMs?: number | undefined
  readonly signal?: AbortSignal | undefined
}

export interface Transactions {
  /** All transactions, newest first; pages are read as needed. */
  list(filter?: TransactionFilter, options?: CallOptions): List<Transaction>
  /** By its id or its external reference. */
  get(idOrReference: string, options?: CallOptions): Promise<TransactionDetails>
  /** Polls at growing intervals until the payment is final. Webhooks are faster, and cost nothing while nothing changes. */
  waitFor(idOrReference: string, options?: WaitOptions): Promise<TransactionDetails>
}

const pageItems = 10

export function transactionsOf({ call }: Transport): Transactions {
  const get: Transactions['get'] = async (idOrReference, options) => {
    const { body } = await call('getTransactionsTransactionId', { path: { transactionId: idOrReference } }, options)
    return detailsOf(body.data)
  }
  return {
    get,
    list: ({ after, ...filter } = {}, options) =>
      listOf(async (cursor: string | undefined) => {
        const query = { ...filter, limit: pageItems, transactionId: cursor ?? after }
        const { body, headers } = await call('getTransactions', { query }, options)
        const last = body.data.length === pageItems ? body.data.at(-1)?.transactionId : undefined
        return { items: body.data.map(withStatus), next: headers.get('x-continue-after') ?? last }
      }),
    waitFor: (idOrReference, options) => waitFor(get, idOrReference, options),
  }
}

const firstWaitMs = 250
const mostWaitMs = 5000

async function waitFor(
  get: Transactions['get'],
  idOrReference: string,
  { until = 'final', timeoutMs = 120_000, signal }: WaitOptions = {},
): Promise<TransactionDetails> {
  let stage: string | undefined
  const end = new AbortController()
  const timer = setTimeout(() => end.abort(stillPending(idOrReference, stage, timeoutMs)), timeoutMs)
  const abort = () => end.abort(signal?.reason)
  signal?.addEventListener('abort', abort, { once: true })
  if (signal?.aborted) abort()
  try {
    for (let waitMs = firstWaitMs; ; waitMs = Math.min(mostWaitMs, waitMs * 1.5)) {
      const transaction = await get(idOrReference, { signal: end.signal })
      if (isReached(transaction, until)) return transaction
      stage = transaction.stage
      await pause(waitMs * (0.8 + Math.random() * 0.4), end.signal)
    }
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
  }
}

function isReached(transaction: TransactionDetails, until: NonNullable<WaitOptions['until']>): boolean {
  return transaction.status !== 'pending' || (until !== 'final' && until(transaction))
}

function stillPending(idOrReference: string, stage: string | undefined, timeoutMs: number): TimeoutError {
  const where = stage === undefined ? 'could not be read' : `is still pending (${stage})`
  return new TimeoutError(
    `${idOrReference} ${where} after ${timeoutMs} ms. The payment continues: wait for its webhook, or read it again later.`,
    { requestId: '' },
  )
}

/** With or without its history. */
export function detailsOf<Raw extends Schemas['FoundTransaction']>({ virtualAccount, ...raw }: Raw) {
  return { ...withStatus(raw), ...(virtualAccount && { virtualAccount: accountOf(virtualAccount) }) }
}

export function accountOf(account: Schemas['VirtualAccount']): VirtualAccount {
  return { ...account, amount: Number(account.amount) }
}

export function withStatus<Raw extends { status: string; chargeStatus: string }>(raw: Raw): WithStatus<Raw> {
  const { status, chargeStatus: _, ...rest } = raw
  return { ...rest, status: statusOf(status) }
}

export const statusOf = (word: string) => word.toLowerCase() as Status
