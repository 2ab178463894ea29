import {
  archivedEvent,
  type Entry,
  type EntryPlace,
  platformEntries,
  walletEntries,
} from '../ledger/account-entries.ts'
import { type Db, type SnapshotDb, sql } from '../platform/db.ts'
import { showId } from '../platform/ids.ts'
import { type AccountRow, type AccountView, findAccount, sideOf } from './ledger-accounts.ts'
import { type OperatorContext, OperatorError, readScope } from './operator-context.ts'
import { shownMinor } from './wallets.ts'

export interface EntriesWanted {
  readonly limit: number
  /** The `next` of the page before. */
  readonly cursor?: string
}

export interface AccountEntries {
  readonly account: AccountView
  /** Newest first. */
  readonly entries: readonly EntryView[]
  /** Set when there may be more, even if this page is empty. */
  readonly next?: string
}

export interface EntryView {
  readonly at: string
  /** Missing in a line that sums up archived months, and where the payment is outside the reader's countries and currencies. */
  readonly transactionId?: string
  readonly externalReference?: string
  readonly event: string
  /** The number of the entry within its transaction. */
  readonly number: number
  readonly otherSide: string
  readonly debit?: string
  readonly credit?: string
  /** After the entry, on the account's side. */
  readonly balance: string
}

/** The posted entries of an account with the running balance. Entries and balance are of one snapshot. */
export async function accountEntries(
  context: OperatorContext,
  shownId: string,
  { limit, cursor }: EntriesWanted,
  db: SnapshotDb = context.db.write,
): Promise<AccountEntries> {
  return db.snapshot(async (tx) => {
    const { row, view } = await findAccount(context, tx, shownId)
    const from = cursor === undefined ? undefined : readCursor(context, row, cursor)
    const { entries, next } =
      row.kind === 'wallet'
        ? await walletEntries(tx, row.id, { from, limit })
        : await platformEntries(tx, row.id, { from: from ?? newest(row), limit })
    return {
      account: view,
      entries: (await withoutUnseen(context, tx, entries)).map((entry) => viewOf(row, entry)),
      ...(next && { next: cursorOf(context, row, next) }),
    }
  })
}

/** An account may have entries of payments that the reader may not see: their amounts make the balance, and stay without a name. */
async function withoutUnseen(context: OperatorContext, tx: Db, entries: readonly Entry[]): Promise<readonly Entry[]> {
  const scope = readScope(context, 'ledger:read')
  if (scope === null) return entries
  const ids = entries.flatMap(({ transaction_id }) => transaction_id ?? [])
  const unseen = await tx.query<{ id: string }>(sql`
    select id
    from transactions
    where id = any (${ids}::uuid[])
      and not is_in_scope(${scope}::jsonb, country, currency)`)
  const hidden = new Set(unseen.map(({ id }) => id))
  return entries.map((entry) =>
    hidden.has(entry.transaction_id ?? '') ? { ...entry, transaction_id: null, external_reference: null } : entry,
  )
}

const newest = ({ debits_posted, credits_posted }: AccountRow): EntryPlace => ({
  before: 9_223_372_036_854_775_807n,
  balance: debits_posted - credits_posted,
})

function viewOf({ kind, currency }: AccountRow, entry: Entry): EntryView {
  const { at, transaction_id, external_reference, event, number, other, is_debit, amount, balance } = entry
  const shown = (minor: bigint) => shownMinor(minor, currency)
  return {
    at: new Date(Number(at / 1000n)).toISOString(),
    ...(transaction_id !== null && { transactionId: showId('transaction', transaction_id) }),
    ...(external_reference !== null && { externalReference: external_reference }),
    event,
    number,
    otherSide: event === archivedEvent ? 'entries of archived months' : other,
    ...(is_debit ? { debit: shown(amount) } : { credit: shown(amount) }),
    balance: shown(sideOf(kind) === 'debit' ? balance : -balance),
  }
}

const cursorPurpose = 'ledger cursor'
const signed = ({ id }: AccountRow, { before, balance }: EntryPlace) => `${id} ${before} ${balance}`

/**
 * The balance is part of the cursor: to compute it again would mean to add up every later entry. It is signed, so that no link can
 * show a balance that the ledger did not have.
 */
function cursorOf({ vault }: OperatorContext, row: AccountRow, place: EntryPlace): string {
  return `${place.before}_${place.balance}_${vault.hash(signed(row, place), cursorPurpose)}`
}

function readCursor({ vault }: OperatorContext, row: AccountRow, cursor: string): EntryPlace {
  const [, before, balance, hash = ''] = /^(\d{1,19})_(-?\d{1,19})_(.+)$/.exec(cursor) ?? []
  const place = before !== undefined && balance !== undefined && { before: BigInt(before), balance: BigInt(balance) }
  if (!place || !vault.knows(hash) || !vault.matches(signed(row, place), cursorPurpose, hash))
    throw new OperatorError('the cursor is not of this account; use the next of the page before')
  return place
}
