import assert from 'node:assert/strict'
import type { Decided } from '../platform/batch.ts'
import { type BatchTx, sql } from '../platform/db.ts'
import { available, balance, type Counters, counterNames, lockWallets, type Wallet } from './accounts.ts'
import type { Link, Transfer, Writer } from './chain.ts'
import { movementsOf } from './postings.ts'

/** Money to move: now, or reserved until a post or void of the same number. */
interface Move {
  readonly kind: 'hold' | 'transfer'
  readonly event: string
  readonly transaction_id: string
  readonly number: number
  readonly debit_account: string
  readonly credit_account: string
  readonly amount: bigint
  readonly currency: string
  /** The receivable account among the two, and the wallet whose debt it counts. */
  readonly debt?: { readonly wallet_id: string; readonly account: string }
}

/** The end of a hold. */
interface Ending {
  readonly kind: 'post' | 'void'
  readonly event: string
  readonly transaction_id: string
  readonly number: number
}

export type Movement = Move | Ending

export type Refusal = 'insufficient_funds' | 'hold_missing' | 'hold_ended' | 'number_used'

/** The ledger as one batch sees it: wallets are locked, everything else is decided in memory and written in one statement. */
export interface Books {
  readonly wallets: ReadonlyMap<string, Wallet>
  /** Applies all of these movements or none, and returns the reason for a refusal. */
  apply(linked: readonly Movement[]): Refusal | undefined
  /** Writes what was applied. The batch calls the returned callbacks when its outcome is known. */
  write(): Promise<Pick<Decided<never>, 'committed' | 'abandoned'>>
}

interface State {
  readonly tx: BatchTx
  readonly wallets: Map<string, Wallet>
  /** The holds that the batch may end, from the database or from the batch itself. */
  readonly holds: Map<string, Transfer>
  /** Keys of existing transfers, in the database or in this batch. */
  readonly taken: Set<string>
  readonly deltas: Map<string, Counters>
  readonly written: Transfer[]
  /** Wallets whose debt changed. */
  readonly indebted: Set<string>
}

const keyOf = (transactionId: string, number: number, phase: 0 | 1) => `${transactionId}|${number}|${phase}`
const isEnding = (movement: Movement): movement is Ending => movement.kind === 'post' || movement.kind === 'void'

/**
 * Opens the ledger for a batch that may make these movements. Holds are read before the wallets are locked, because they never
 * change; whether they have ended is read after, because the locks protect that.
 */
export async function openBooks(
  tx: BatchTx,
  writer: Writer,
  movements: readonly Movement[],
  walletIds: readonly string[],
): Promise<Books> {
  const endings = movements.filter(isEnding)
  const holds = await readPhase(tx, endings, 0)
  const held = holds.flatMap(({ wallet_id }) => wallet_id ?? [])
  const wallets = await lockWallets(tx, [...walletIds, ...held])
  assert.ok(
    [...walletIds, ...held].every((id) => wallets.has(id)),
    'a wallet of the batch is missing',
  )
  const ended = await readPhase(tx, endings, 1)
  const state: State = {
    tx,
    wallets,
    holds: new Map(holds.map((hold) => [keyOf(hold.transaction_id, hold.number, 0), hold])),
    taken: new Set(
      [...holds, ...ended].map(({ transaction_id, number, phase }) => keyOf(transaction_id, number, phase)),
    ),
    deltas: new Map(),
    written: [],
    indebted: new Set(),
  }
  return { wallets, apply: (linked) => applyLinked(state, linked), write: () => write(state, writer) }
}

/**
 * Each key includes the phase: the phase alone would select half of the table, and the planner finds that cheap while it is
 * empty.
 */
async function readPhase(tx: BatchTx, endings: readonly Ending[], phase: 0 | 1): Promise<Transfer[]> {
  if (endings.length === 0) return []
  const ids = endings.map((each) => each.transaction_id)
  return tx.query<Transfer>(sql`
    select t.*
    from unnest(${ids}::uuid[], ${endings.map((each) => each.number)}::smallint[],
      ${endings.map(() => phase)}::smallint[]) as wanted(transaction_id, number, phase)
    join transfers t using (transaction_id, number, phase)`)
}

function applyLinked(state: State, linked: readonly Movement[]): Refusal | undefined {
  const undo: (() => void)[] = []
  const applyOne = (movement: Movement) =>
    isEnding(movement) ? end(state, movement, undo) : move(state, movement, undo)
  let refusal: Refusal | undefined
  for (const movement of linked) refusal ??= applyOne(movement)
  for (const movement of collections(state, linked)) refusal ??= applyOne(movement)
  if (refusal !== undefined) for (const step of undo.reverse()) step()
  return refusal
}

/** The number of a debt collection within the transaction that credits the wallet; each transaction credits it once. */
const collectedNumber = 30

/** A wallet with a debt pays from every credit, in the same transaction. */
function collections({ wallets }: State, linked: readonly Movement[]): Movement[] {
  const credits = linked.flatMap((movement) => (movement.kind === 'transfer' ? [movement] : []))
  const byWallet = new Map(credits.map((credit) => [credit.credit_account, credit]))
  return [...byWallet].flatMap(([id, { transaction_id, currency }]) => {
    const wallet = wallets.get(id)
    const account = wallet?.receivable
    if (!wallet || wallet.owed === 0n || !account) return []
    const there = available(wallet)
    return movementsOf('debt_collected', {
      transaction_id,
      firstNumber: collectedNumber,
      sums: { owed: there < wallet.owed ? there : wallet.owed },
      accountOf: (role) => (role === 'wallet' ? id : account),
      currencies: { wallet: currency, payment: currency },
    }).map((movement) => ({ ...movement, debt: { wallet_id: id, account } }))
  })
}

function move(state: State, movement: Move, undo: (() => void)[]): Refusal | undefined {
  const { kind, debit_account, credit_account, amount } = movement
  assert.ok(!(state.wallets.has(debit_account) && state.wallets.has(credit_account)), 'a line belongs to one wallet')
  if (!take(state, keyOf(movement.transaction_id, movement.number, 0), undo)) return 'number_used'
  const place = kind === 'hold' ? 'pending' : 'posted'
  add(state, debit_account, `debits_${place}`, amount, undo)
  add(state, credit_account, `credits_${place}`, amount, undo)
  const wallet = state.wallets.get(debit_account)
  if (wallet && available(wallet) < 0n) return 'insufficient_funds'
  changeDebt(state, movement, undo)
  const key = keyOf(movement.transaction_id, movement.number, 0)
  state.holds.set(key, record(state, { ...movement, phase: 0 }, undo))
  undo.push(() => state.holds.delete(key))
  return undefined
}

/** A wallet's debt is the balance of its receivable account. */
function changeDebt({ wallets, indebted }: State, { debt, debit_account, amount }: Move, undo: (() => void)[]): void {
  if (!debt) return
  const wallet = wallets.get(debt.wallet_id)
  assert.ok(wallet, 'a debt belongs to a wallet of the batch')
  const [owed, receivable] = [wallet.owed, wallet.receivable]
  wallet.owed += debit_account === debt.account ? amount : -amount
  wallet.receivable = debt.account
  indebted.add(wallet.id)
  undo.push(() => {
    wallet.owed = owed
    wallet.receivable = receivable
  })
}

function end(state: State, ending: Ending, undo: (() => void)[]): Refusal | undefined {
  const { transaction_id, number, kind, event } = ending
  const hold = state.holds.get(keyOf(transaction_id, number, 0))
  if (hold?.kind !== 'hold') return 'hold_missing'
  if (!take(state, keyOf(transaction_id, number, 1), undo)) return 'hold_ended'
  for (const [account, side] of [
    [hold.debit_account, 'debits'],
    [hold.credit_account, 'credits'],
  ] as const) {
    add(state, account, `${side}_pending`, -hold.amount, undo)
    if (kind === 'post') add(state, account, `${side}_posted`, hold.amount, undo)
  }
  const { debit_account, credit_account, amount, currency } = hold
  record(
    state,
    { transaction_id, number, phase: 1, kind, event, debit_account, credit_account, amount, currency },
    undo,
  )
  return undefined
}

function take({ taken }: State, key: string, undo: (() => void)[]): boolean {
  if (taken.has(key)) return false
  taken.add(key)
  undo.push(() => taken.delete(key))
  return true
}

function add(state: State, account: string, counter: keyof Counters, amount: bigint, undo: (() => void)[]): void {
  const counters = state.wallets.get(account) ?? deltaOf(state, account)
  counters[counter] += amount
  undo.push(() => {
    counters[counter] -= amount
  })
}

function deltaOf({ deltas }: State, account: string): Counters {
  const known = deltas.get(account) ?? {
    debits_pending: 0n,
    debits_posted: 0n,
    credits_pending: 0n,
    credits_posted: 0n,
  }
  deltas.set(account, known)
  return known
}

type Unplaced = Omit<Transfer, 'wallet_id' | 'entry_at' | 'balance'>

/** Records the transfer; a movement of posted money becomes the next line of its wallet's statement. */
function record(state: State, transfer: Unplaced, undo: (() => void)[]): Transfer {
  const wallet = state.wallets.get(transfer.debit_account) ?? state.wallets.get(transfer.credit_account)
  const isLine = wallet !== undefined && (transfer.kind === 'post' || transfer.kind === 'transfer')
  const before = wallet?.entry_at ?? 0n
  if (isLine) wallet.entry_at = before >= state.tx.atUs ? before + 1n : state.tx.atUs
  const line = isLine ? { entry_at: wallet.entry_at, balance: balance(wallet) } : { entry_at: null, balance: null }
  const placed = { ...transfer, wallet_id: wallet?.id ?? null, ...line }
  state.written.push(placed)
  undo.push(() => {
    state.written.pop()
    if (isLine) wallet.entry_at = before
  })
  return placed
}

async function write(state: State, writer: Writer): Promise<Pick<Decided<never>, 'committed' | 'abandoned'>> {
  const { tx, written } = state
  if (written.length === 0) return {}
  const link = writer.next(tx, written)
  await writeRows(state, link)
  return {
    committed: () => writer.advance(link),
    abandoned: () => writer.abandon(),
  }
}

/** Writes everything a batch changes in the ledger, in one statement with a constant number of array parameters. */
async function writeRows({ tx, wallets, deltas, written, indebted }: State, link: Link): Promise<void> {
  const touched = new Set([...written.flatMap(({ wallet_id }) => wallet_id ?? []), ...indebted])
  const changed = [...wallets.values()].filter(({ id }) => touched.has(id))
  const moved = [...deltas].filter(([, counters]) => counterNames.some((name) => counters[name] !== 0n))
  const of = <Key extends keyof Transfer>(name: Key) => written.map((row) => row[name])
  const [changedCount] = await tx.query<{ count: number }>(sql`
    with changed as (
      update wallets as w
      set debits_pending = c.debits_pending, debits_posted = c.debits_posted,
        credits_pending = c.credits_pending, credits_posted = c.credits_posted, entry_at = c.entry_at, owed = c.owed,
        receivable = c.receivable
      from unnest(${changed.map(({ id }) => id)}::uuid[], ${changed.map((each) => each.debits_pending)}::bigint[],
        ${changed.map((each) => each.debits_posted)}::bigint[], ${changed.map((each) => each.credits_pending)}::bigint[],
        ${changed.map((each) => each.credits_posted)}::bigint[], ${changed.map((each) => each.entry_at)}::bigint[],
        ${changed.map((each) => each.owed)}::bigint[], ${changed.map((each) => each.receivable)}::uuid[])
        as c(id, debits_pending, debits_posted, credits_pending, credits_posted, entry_at, owed, receivable)
      where w.id = c.id
      returning w.id
    ), moved as (
      insert into account_deltas (batch, account_id, debits_pending, debits_posted, credits_pending, credits_posted)
      select ${link.batch}, d.*
      from unnest(${moved.map(([id]) => id)}::uuid[], ${moved.map(([, each]) => each.debits_pending)}::bigint[],
        ${moved.map(([, each]) => each.debits_posted)}::bigint[], ${moved.map(([, each]) => each.credits_pending)}::bigint[],
        ${moved.map(([, each]) => each.credits_posted)}::bigint[]) as d
    ), written as (
      insert into transfers (transaction_id, number, phase, kind, event, debit_account, credit_account, amount, currency,
        wallet_id, entry_at, balance, batch, position)
      select t.transaction_id, t.number, t.phase, t.kind, t.event, t.debit_account, t.credit_account, t.amount,
        t.currency, t.wallet_id, t.entry_at, t.balance, ${link.batch}, t.position
      from unnest(${of('transaction_id')}::uuid[], ${of('number')}::smallint[], ${of('phase')}::smallint[],
        ${of('kind')}::text[], ${of('event')}::text[], ${of('debit_account')}::uuid[], ${of('credit_account')}::uuid[],
        ${of('amount')}::bigint[], ${of('currency')}::text[], ${of('wallet_id')}::uuid[], ${of('entry_at')}::bigint[],
        ${of('balance')}::bigint[]) with ordinality
        as t(transaction_id, number, phase, kind, event, debit_account, credit_account, amount, currency, wallet_id,
          entry_at, balance, position)
    ), linked as (
      insert into ledger_batches (writer, number, batch, at, transfers, previous_hash, content_hash, hash)
      values (${link.writer}, ${link.number}, ${link.batch}, ${link.at}, ${link.transfers}, ${link.previous_hash},
        ${link.content_hash}, ${link.hash})
    )
    select count(*)::int as count from changed`)
  assert.equal(changedCount?.count, changed.length, 'a wallet of the batch was not updated')
}
