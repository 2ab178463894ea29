import { createHash } from 'node:crypto'
import { type Db, type Owner, sql } from '../../platform/db.ts'
import type { Vault } from '../../platform/seal.ts'
import { type Counterparty, nameOf } from './counterparty.ts'
import { nameStarts } from './name-words.ts'
import type { BookedReceipt, KnownPayment, PendingAction, Transaction } from './store.ts'

/** One value that a payment can be found by. The database keeps a hash of it. */
export interface Lookup {
  readonly hash: bigint
  readonly transaction_id: string
  /** Merchants find their payments by names; staff do not. */
  readonly isOfName?: true
}

/** The same with the merchant that finds its payment by it. */
export interface OwnedLookup extends Lookup, Owner {}

/** Values that the database holds unsealed elsewhere, so that their hashes need no key. */
type PlainValue = 'reference' | 'receipt' | 'virtual account'

/** A hash of 8 bytes. Each kind has its own, so that a merchant cannot choose a reference that collides with a receipt. */
export function plainHash(kind: PlainValue, text: string): bigint {
  return createHash('sha256').update(`payment ${kind} ${text}`).digest().readBigInt64BE(0)
}

const numberPurpose = 'payment counterparty number'

/** The hashes of a number under every key, the newest first. */
export function numberHashes(vault: Vault, number: string): bigint[] {
  return vault.hashes(number, numberPurpose).map(shortened)
}

/** The first 8 bytes of a hash as the vault writes it, after the name of its key. */
const shortened = (hash: string) => Buffer.from(hash.slice(hash.indexOf('.') + 1), 'base64url').readBigInt64BE(0)

/** A number as it is indexed: without the blanks and marks that people add. A phone number keeps its plus. */
export function plainNumber(number: string): string {
  return number.replaceAll(/[\s()./-]/g, '').toUpperCase()
}

/** As it is indexed: providers and people differ in its case. */
export const plainReceipt = (receipt: string) => receipt.toUpperCase()

/** The phone or account number of the other side; undefined where there is none to search for. A card number is not stored. */
export function searchableNumber(counterparty: Counterparty): string | undefined {
  if (counterparty.role === 'payer') return plainNumber(counterparty.phone)
  if (counterparty.role !== 'payee') return undefined
  const { to } = counterparty
  if (to.kind === 'momo') return plainNumber(to.phone)
  return plainNumber(to.kind === 'till' ? to.tillNumber : to.accountNumber)
}

const namePurpose = 'payment counterparty name'

/** The hashes of the start of a name under every key, the newest first. */
export function nameHashes(vault: Vault, start: string): bigint[] {
  return vault.hashes(start, namePurpose).map(shortened)
}

/** The number of the counterparty first, then the starts of its name. */
export function counterpartyLookups(vault: Vault, transaction_id: string, counterparty: Counterparty | null): Lookup[] {
  if (!counterparty) return []
  const number = searchableNumber(counterparty)
  const numbers = number === undefined ? [] : [{ hash: shortened(vault.hash(number, numberPurpose)), transaction_id }]
  const names = nameStarts(nameOf(counterparty)).map((start) => ({
    hash: shortened(vault.hash(start, namePurpose)),
    transaction_id,
    isOfName: true as const,
  }))
  return [...numbers, ...names]
}

export const referenceLookup = ({
  id,
  external_reference,
}: Pick<Transaction, 'id' | 'external_reference'>): Lookup => ({
  hash: plainHash('reference', external_reference),
  transaction_id: id,
})

export function receiptLookups(transaction_id: string, receipts: readonly string[]): Lookup[] {
  const known = new Set(receipts.filter((receipt) => receipt !== '').map(plainReceipt))
  return [...known].map((receipt) => ({ hash: plainHash('receipt', receipt), transaction_id }))
}

export function accountLookups(transaction_id: string, action: PendingAction | null): Lookup[] {
  const account = openedAccount(action)
  return account === '' ? [] : [{ hash: plainHash('virtual account', plainNumber(account)), transaction_id }]
}

const openedAccount = (action: PendingAction | null) =>
  action?.kind === 'pay_to_account' ? action.account.accountNumber : ''

/** A payment before and after a change. */
interface Changed {
  readonly before: Pick<KnownPayment, 'transaction' | 'receipts'>
  readonly transaction: Transaction
  readonly receipts: readonly BookedReceipt[]
}

/** Writes what changes add, for staff and for the merchants. */
export async function insertAddedLookups(db: Db, changed: readonly Changed[]): Promise<void> {
  const added = changed.flatMap(addedLookups)
  await Promise.all([insertLookups(db, added), insertMerchantLookups(db, added)])
}

/** What a change adds. Most changes add nothing. */
function addedLookups({ before, transaction, receipts }: Changed): OwnedLookup[] {
  const { id, receipt, action, merchant_id, env } = transaction
  const isSameReceipt = receipt === before.transaction.receipt
  const isSameAccount = openedAccount(action) === openedAccount(before.transaction.action)
  const booked = receipts.slice(before.receipts.length).map(({ receipt_id }) => receipt_id)
  const added = [
    ...receiptLookups(id, isSameReceipt ? booked : [receipt, ...booked]),
    ...(isSameAccount ? [] : accountLookups(id, action)),
  ]
  return added.map((lookup) => ({ ...lookup, merchant_id, env }))
}

/** Writes what the merchants find their payments by. Repeating it changes nothing. */
export async function insertMerchantLookups(db: Db, lookups: readonly OwnedLookup[]): Promise<void> {
  if (lookups.length === 0) return
  const of = <Key extends keyof OwnedLookup>(name: Key) => lookups.map((lookup) => lookup[name])
  await db.query(sql`
    insert into merchant_lookups (merchant_id, env, hash, transaction_id)
    select merchant_id, env, hash, transaction_id
    from unnest(${of('merchant_id')}::uuid[], ${of('env')}::text[], ${of('hash')}::bigint[], ${of('transaction_id')}::uuid[])
      as l(merchant_id, env, hash, transaction_id)
    on conflict do nothing`)
}

/** Writes what staff find payments by, which is all but names. Repeating it changes nothing. */
export async function insertLookups(db: Db, found: readonly Lookup[]): Promise<void> {
  const lookups = found.filter(({ isOfName }) => !isOfName)
  if (lookups.length === 0) return
  await db.query(sql`
    insert into payment_lookups (hash, transaction_id)
    select hash, transaction_id
    from unnest(${lookups.map(({ hash }) => hash)}::bigint[], ${lookups.map((each) => each.transaction_id)}::uuid[])
      as l(hash, transaction_id)
    on conflict do nothing`)
}
