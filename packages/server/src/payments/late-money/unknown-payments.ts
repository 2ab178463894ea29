import type { PlatformAccounts } from '../../ledger/accounts.ts'
import { openBooks } from '../../ledger/books.ts'
import { createWriter, type Writer } from '../../ledger/chain.ts'
import { type LedgerEvent, movementsOf } from '../../ledger/postings.ts'
import type { Currency } from '../../money/currencies.ts'
import { type Batcher, createBatcher, type Decided } from '../../platform/batch.ts'
import { type BatchTx, type Environment, sql, type WriteDb } from '../../platform/db.ts'
import { newTransactionId } from '../../platform/ids.ts'
import type { SuspenseCase } from './suspense-cases.ts'

/** What a provider confirms to have collected under an unknown key: the total less what it took back. */
export interface ConfirmedMoney {
  readonly env: Environment
  readonly provider: string
  readonly key: string
  readonly country: string
  readonly currency: Currency
  readonly amount: bigint
  /** The provider's own fee in total, where the provider reports it. */
  readonly fee: bigint
}

export interface Booked {
  /** Missing when the provider holds no money and never did. */
  readonly caseId?: string
  /** `contradicted`: the case was cleared, and the provider now confirms another amount. Nothing was booked. */
  readonly change: 'opened' | 'changed' | 'none' | 'contradicted'
}

export type UnknownPayments = Batcher<ConfirmedMoney, Booked>

interface Options {
  readonly db: WriteDb
  readonly cell: number
  readonly accounts: PlatformAccounts
}

/**
 * Keeps the case of an unknown payment, and its money in suspense, at what the provider confirms. Each key has one case: the
 * database refuses a second, so it does not matter how often or to which process the money is reported.
 */
export function createUnknownPayments(options: Options): UnknownPayments {
  const writer = createWriter()
  return createBatcher({
    db: options.db,
    decide: (tx, [confirmed]) =>
      confirmed ? book(options, writer, tx, confirmed) : Promise.resolve({ results: [] as Booked[] }),
    keyOf: ({ key }) => key,
    sizeMax: 1,
  })
}

async function book(
  options: Options,
  writer: Writer,
  tx: BatchTx,
  confirmed: ConfirmedMoney,
): Promise<Decided<Booked>> {
  const { amount } = confirmed
  const opened = amount > 0n ? await open(tx, options.cell, confirmed) : undefined
  if (opened !== undefined) {
    const written = await post(options, writer, tx, { id: opened, confirmed, difference: amount })
    return { results: [{ caseId: opened, change: 'opened' }], ...written }
  }
  const found = await lockCase(tx, confirmed)
  if (!found) return { results: [{ change: 'none' }] }
  const change = changeOf(found, confirmed)
  if (change !== 'changed') return { results: [{ caseId: found.id, change }] }
  await changeCase(tx, found.id, amount)
  const written = await post(options, writer, tx, { id: found.id, confirmed, difference: amount - found.amount })
  return { results: [{ caseId: found.id, change }], ...written }
}

/** A person's decision stays. The provider may report money returned through it as taken back. */
function changeOf(found: SuspenseCase, { amount, currency }: ConfirmedMoney): Exclude<Booked['change'], 'opened'> {
  const isSameCurrency = found.currency === currency
  if (found.amount === amount && (isSameCurrency || amount === 0n)) return 'none'
  if (found.cleared_by === null) return isSameCurrency ? 'changed' : 'contradicted'
  return found.outcome === 'returned' && amount === 0n ? 'none' : 'contradicted'
}

/** Opens the case unless one exists, and waits for another process that is opening it. */
async function open(tx: BatchTx, cell: number, confirmed: ConfirmedMoney): Promise<string | undefined> {
  const { env, provider, key, country, currency, amount } = confirmed
  const [row] = await tx.query<{ id: string }>(sql`
    insert into suspense_cases (id, env, kind, provider, provider_key, country, currency, amount, opened_at, updated_at)
    values (${newTransactionId(Number(tx.atUs / 1000n), cell)}, ${env}, 'unknown_payment', ${provider}, ${key}, ${country},
      ${currency}, ${amount}, record_time(), record_time())
    on conflict (env, provider, provider_key) where kind = 'unknown_payment' do nothing
    returning id`)
  return row?.id
}

async function lockCase(tx: BatchTx, { env, provider, key }: ConfirmedMoney): Promise<SuspenseCase | undefined> {
  const [found] = await tx.query<SuspenseCase>(sql`
    select *
    from suspense_cases
    where (env, provider, provider_key, kind) = (${env}, ${provider}, ${key}, 'unknown_payment')
    for update`)
  return found
}

/** A case whose money the provider took back closes by itself, and opens again if the money comes back. */
async function changeCase(tx: BatchTx, id: string, amount: bigint): Promise<void> {
  await tx.query(sql`
    update suspense_cases
    set amount = ${amount}, updated_at = record_time(),
      closed_at = case when ${amount}::bigint = 0 then record_time() end,
      outcome = case when ${amount}::bigint = 0 then 'resolved' end
    where id = ${id}`)
}

interface Order {
  readonly id: string
  readonly confirmed: ConfirmedMoney
  /** What goes into suspense; negative when it goes out. */
  readonly difference: bigint
}

/** Books under the id of the case. Each posting has the next number, which the lock on the case protects. */
async function post(
  { accounts }: Options,
  writer: Writer,
  tx: BatchTx,
  { id, confirmed, difference }: Order,
): Promise<Omit<Decided<never>, 'results'>> {
  const { env, currency, provider, country, fee } = confirmed
  const [float, suspense, cost] = await Promise.all([
    accounts.idOf({ env, kind: 'float', currency, provider, country }),
    accounts.idOf({ env, kind: 'suspense', currency }),
    accounts.idOf({ env, kind: 'cost', currency }),
  ])
  const [before] = await tx.query<{ next: number; fee: bigint }>(sql`
    select coalesce(max(number) + 1, 0)::int as next,
      coalesce(sum(amount) filter (where event = 'provider_fee_reported'), 0)::bigint as fee
    from transfers
    where transaction_id = ${id}`)
  const { next = 0, fee: feeBefore = 0n } = before ?? {}
  const movements = (event: LedgerEvent, firstNumber: number, sums: { received?: bigint; fee?: bigint }) =>
    movementsOf(event, {
      ...{ transaction_id: id, firstNumber, sums },
      accountOf: (role) => ({ float, suspense, cost })[role as 'float' | 'suspense' | 'cost'],
      currencies: { wallet: currency, payment: currency },
    })
  const books = await openBooks(tx, writer, [], [])
  const moved =
    difference > 0n
      ? movements('late_money_held', next, { received: difference })
      : movements('late_money_released', next, { received: -difference })
  const refusal = books.apply([
    ...moved,
    ...(fee > feeBefore ? movements('provider_fee_reported', next + 1, { fee: fee - feeBefore }) : []),
  ])
  if (refusal) throw new Error(`the ledger refuses money of an unknown payment: ${refusal}`)
  return books.write()
}
