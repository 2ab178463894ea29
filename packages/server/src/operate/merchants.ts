import assert from 'node:assert/strict'
import { ensureWallets } from '../ledger/accounts.ts'
import { openBooks } from '../ledger/books.ts'
import { movementsOf } from '../ledger/postings.ts'
import { createMerchant } from '../merchants/create.ts'
import { sandboxFunds } from '../merchants/sandbox-funds.ts'
import { find, list, type Merchant, setFrozen } from '../merchants/store.ts'
import { exponentOf } from '../money/currencies.ts'
import { wakeHeld } from '../payments/dispatch/lanes.ts'
import type { BatchTx, Db } from '../platform/db.ts'
import { newId, newTransactionId, readId, showId } from '../platform/ids.ts'
import { audited, type OperatorContext, OperatorError } from './operator-context.ts'

export interface MerchantOrder {
  readonly name: string
  readonly email: string
  readonly firstName: string
  readonly lastName: string
  readonly country: string
}

export interface MerchantView {
  readonly id: string
  readonly name: string
  readonly email: string
  readonly country: string
  readonly state: 'active' | 'frozen'
  readonly createdAt: string
}

/** Creates a merchant and fills its sandbox wallets, by postings from treasury like any other money. */
export async function create(context: OperatorContext, order: MerchantOrder): Promise<MerchantView> {
  refuseUnusable(order)
  const treasuries = await treasuriesOf(context)
  return audited(context, async (tx) => {
    const id = newId(Number(tx.atUs / 1000n), context.cell)
    await createMerchant(tx, context.vault, {
      id,
      name: order.name,
      email: order.email,
      first_name: order.firstName,
      last_name: order.lastName,
      home_country: order.country,
    })
    const written = await fillSandbox(context, tx, id, treasuries)
    const entry = { action: 'merchant.create', merchant_id: id, subject: showId('merchant', id), detail: { ...order } }
    return { result: view(await existing(tx, id)), entry, written }
  })
}

/** The sandbox treasury account of each currency. */
async function treasuriesOf({ platformAccounts }: OperatorContext): Promise<Map<string, string>> {
  const currencies = [...new Set(sandboxFunds.map(({ currency }) => currency))]
  const idOf = (currency: string) => platformAccounts.idOf({ env: 'sandbox', kind: 'treasury', currency })
  return new Map(await Promise.all(currencies.map(async (currency) => [currency, await idOf(currency)] as const)))
}

async function fillSandbox(
  context: OperatorContext,
  tx: BatchTx,
  merchantId: string,
  treasuries: ReadonlyMap<string, string>,
) {
  const scopes = sandboxFunds.map(({ currency, country }) => ({
    merchant_id: merchantId,
    env: 'sandbox' as const,
    currency,
    country,
  }))
  const wallets = await ensureWallets(tx, context.cell, scopes)
  const transaction_id = newTransactionId(Number(tx.atUs / 1000n), context.cell)
  const movements = sandboxFunds.flatMap(({ currency, units }, index) =>
    movementsOf('wallet_funded', {
      transaction_id,
      firstNumber: index,
      sums: { amount: units * 10n ** BigInt(exponentOf(currency)) },
      accountOf: (role) => (role === 'wallet' ? wallets[index] : treasuries.get(currency)) ?? '',
      currencies: { wallet: currency, payment: currency },
    }),
  )
  const books = await openBooks(tx, context.writer, movements, wallets)
  assert.equal(books.apply(movements), undefined)
  return books.write()
}

export async function page(
  context: OperatorContext,
  { after, limit }: { after?: string; limit: number },
): Promise<MerchantView[]> {
  const merchants = await list(context.db.write, { after: after === undefined ? undefined : merchantId(after), limit })
  return merchants.map(view)
}

/** A frozen merchant's requests are still accepted and its books stay correct, but nothing is sent to a provider for it. */
export function freeze(context: OperatorContext, shownId: string, reason: string): Promise<MerchantView> {
  return changeFrozen(context, merchantId(shownId), { isFrozen: true, reason })
}

/** Held payments continue at once. */
export function unfreeze(context: OperatorContext, shownId: string, reason: string): Promise<MerchantView> {
  return changeFrozen(context, merchantId(shownId), { isFrozen: false, reason })
}

async function changeFrozen(
  context: OperatorContext,
  id: string,
  { isFrozen, reason }: { isFrozen: boolean; reason: string },
): Promise<MerchantView> {
  const { merchant, woken } = await audited(context, async (tx) => {
    const before = await find(tx, id)
    const isChanged = await setFrozen(tx, id, { isFrozen })
    const merchant = view(await existing(tx, id))
    if (!isChanged) throw new OperatorError(`${merchant.id} is ${isFrozen ? 'frozen already' : 'not frozen'}`)
    const woken = isFrozen ? [] : await wakeHeld(tx, { merchant_id: id })
    const action = isFrozen ? 'merchant.freeze' : 'merchant.unfreeze'
    const entry = { action, merchant_id: id, subject: merchant.id, reason }
    return { result: { merchant, woken }, entry, ground: before?.frozen_at }
  })
  for (const { lane } of woken) context.wakeups.wake(lane)
  return merchant
}

/** Parses a merchant id as people write it. */
export function merchantId(shownId: string): string {
  const id = readId('merchant', shownId)
  if (id === undefined) throw new OperatorError(`${shownId} is not a merchant id; they look like mer_0193…`)
  return id
}

/** The merchant, or an error that names the id. */
export async function existing(db: Db, id: string): Promise<Merchant> {
  const merchant = await find(db, id)
  if (!merchant) throw new OperatorError(`no merchant has the id ${showId('merchant', id)}`)
  return merchant
}

function refuseUnusable({ name, email, country }: MerchantOrder): void {
  if (name.trim() === '' || name.length > 200) throw new OperatorError('the name must have 1 to 200 characters')
  if (!/^[^\s@]+@[^\s@]+$/.test(email)) throw new OperatorError(`${email} is not an e-mail address`)
  if (!/^[A-Z]{2}$/.test(country)) throw new OperatorError(`${country} is not a two-letter country code such as KE`)
}

export function view(merchant: Merchant): MerchantView {
  return {
    id: showId('merchant', merchant.id),
    name: merchant.name,
    email: merchant.email,
    country: merchant.home_country,
    state: merchant.frozen_at ? 'frozen' : 'active',
    createdAt: merchant.created_at.toISOString(),
  }
}
