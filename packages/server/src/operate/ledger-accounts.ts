import type { Counters, PlatformKind } from '../ledger/accounts.ts'
import { platformBalances } from '../ledger/deltas.ts'
import { mayRead } from '../people/principal.ts'
import { type Db, type Environment, sql } from '../platform/db.ts'
import { readId, showId } from '../platform/ids.ts'
import { existing, merchantId } from './merchants.ts'
import { type OperatorContext, OperatorError, readScope } from './operator-context.ts'
import { shownMinor } from './wallets.ts'

/** The kinds of accounts in the order in which a trial balance lists them. */
export const accountKinds = [
  'wallet',
  'float',
  'treasury',
  'clearing',
  'fx_position',
  'fx_income',
  'fees',
  'cost',
  'suspense',
  'receivable',
] as const satisfies readonly ('wallet' | PlatformKind)[]
type AccountKind = (typeof accountKinds)[number]

/** Everything that was ever posted, by currency and kind of account. Debits are positive, so the balances of a currency sum to 0. */
export interface TrialBalance {
  readonly env: Environment
  readonly at: string
  /** Whether the sum of every currency is 0. */
  readonly isBalanced: boolean
  readonly accounts: number
  readonly currencies: readonly CurrencyBalance[]
}

interface CurrencyBalance {
  readonly currency: string
  readonly kinds: readonly KindBalance[]
  readonly debits: string
  readonly credits: string
  /** Debits less credits. */
  readonly sum: string
  readonly isBalanced: boolean
}

interface KindBalance {
  readonly kind: AccountKind
  readonly accounts: number
  readonly debits: string
  readonly credits: string
  /** Debits less credits. */
  readonly balance: string
  /** Debits that holds reserve. */
  readonly held: string
}

interface Sums extends Counters {
  readonly kind: AccountKind
  readonly currency: string
  readonly country: string
  readonly accounts: number
}

/**
 * Wallets and platform accounts are read in one snapshot, so that no batch is half in it. Only all accounts of a currency sum to 0, so
 * a currency is shown to readers who may see each of them.
 */
export async function trialBalance(
  context: OperatorContext,
  { env }: { readonly env: Environment },
): Promise<TrialBalance> {
  const { at, sums } = await context.db.write.snapshot(async (tx) => {
    const [clock] = await tx.query<{ at: Date }>(sql`select record_time() as at`)
    const wallets = await tx.query<Sums>(sql`
      select 'wallet' as kind, currency, country, count(*)::int as accounts, sum(debits_pending)::bigint as debits_pending,
        sum(debits_posted)::bigint as debits_posted, sum(credits_pending)::bigint as credits_pending,
        sum(credits_posted)::bigint as credits_posted
      from wallets
      where env = ${env}
      group by currency, country`)
    const platform = (await platformBalances(tx)).filter((account) => account.env === env)
    return {
      at: clock?.at ?? new Date(),
      sums: [...wallets, ...platform.map((account): Sums => ({ ...account, accounts: 1 }))],
    }
  })
  const isSeen = (account: Sums) => mayRead(context.principal, 'ledger:read', placeOf(account))
  const shown = [...Map.groupBy(sums, ({ currency }) => currency)].filter(([, same]) => same.every(isSeen))
  const currencies = shown
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([currency, same]) => currencyBalance(currency, same))
  return {
    env,
    at: at.toISOString(),
    isBalanced: currencies.every(({ isBalanced }) => isBalanced),
    accounts: shown.flatMap(([, same]) => same).reduce((sum, { accounts }) => sum + accounts, 0),
    currencies,
  }
}

function currencyBalance(currency: string, sums: readonly Sums[]): CurrencyBalance {
  const shown = (minor: bigint) => shownMinor(minor, currency)
  const add = (some: readonly Sums[], name: keyof Counters) => some.reduce((total, each) => total + each[name], 0n)
  const kinds = accountKinds.flatMap((kind) => {
    const same = sums.filter((each) => each.kind === kind)
    if (same.length === 0) return []
    const [debits, credits] = [add(same, 'debits_posted'), add(same, 'credits_posted')]
    return {
      kind,
      accounts: same.reduce((total, { accounts }) => total + accounts, 0),
      debits: shown(debits),
      credits: shown(credits),
      balance: shown(debits - credits),
      held: shown(add(same, 'debits_pending')),
    }
  })
  const [debits, credits] = [add(sums, 'debits_posted'), add(sums, 'credits_posted')]
  return {
    currency,
    kinds,
    debits: shown(debits),
    credits: shown(credits),
    sum: shown(debits - credits),
    isBalanced: debits === credits,
  }
}

export interface AccountsWanted {
  readonly env: Environment
  readonly currency?: string
  readonly kind?: AccountKind
  /** Only wallets of this merchant. */
  readonly merchant?: string
  readonly limit: number
  /** Continues behind this account: the `next` of the page before. */
  readonly after?: string
}

export interface AccountPage {
  /** The oldest account first. */
  readonly accounts: readonly AccountView[]
  readonly next?: string
}

export interface AccountView {
  readonly account: string
  readonly kind: AccountKind
  readonly name: string
  readonly env: Environment
  readonly currency: string
  readonly country?: string
  readonly provider?: string
  readonly merchant?: { readonly id: string; readonly name: string }
  readonly debits: string
  readonly credits: string
  /** The side that increases the balance: credit for a wallet, debit for all other accounts. */
  readonly side: 'debit' | 'credit'
  readonly balance: string
  /** What holds reserve of a wallet. */
  readonly held: string
}

/** An account with its counters of now. */
export interface AccountRow extends Counters {
  readonly id: string
  readonly env: Environment
  readonly kind: AccountKind
  readonly provider: string
  readonly country: string
  readonly currency: string
}

const firstId = '00000000-0000-0000-0000-000000000000'

export async function listAccounts(context: OperatorContext, wanted: AccountsWanted): Promise<AccountPage> {
  const { limit } = wanted
  const after = wanted.after === undefined ? firstId : accountId(wanted.after)
  const merchant_id = wanted.merchant === undefined ? undefined : merchantId(wanted.merchant)
  return context.db.write.snapshot(async (tx) => {
    if (merchant_id !== undefined) await existing(tx, merchant_id)
    const rows = [
      ...(await walletsAfter(context, tx, { ...wanted, merchant_id, after })),
      ...(merchant_id === undefined ? await platformAfter(context, tx, { ...wanted, after }) : []),
    ].sort((left, right) => (left.id < right.id ? -1 : 1))
    const page = rows.slice(0, limit)
    const last = page.at(-1)
    return {
      accounts: await viewsOf(tx, page),
      ...(rows.length > limit && last && { next: showId('account', last.id) }),
    }
  })
}

type Wanted = Omit<AccountsWanted, 'after' | 'merchant'> & { readonly after: string }

async function walletsAfter(
  context: OperatorContext,
  db: Db,
  { env, currency, kind, after, limit, merchant_id }: Wanted & { readonly merchant_id: string | undefined },
): Promise<AccountRow[]> {
  if (kind !== undefined && kind !== 'wallet') return []
  return db.query<AccountRow>(sql`
    select id, env, 'wallet' as kind, '' as provider, country, currency, debits_pending, debits_posted, credits_pending,
      credits_posted
    from wallets
    where id > ${after}
      and env = ${env}
      and currency = coalesce(${currency ?? null}::text, currency)
      and merchant_id = coalesce(${merchant_id ?? null}::uuid, merchant_id)
      and is_in_scope(${readScope(context, 'ledger:read')}::jsonb, country, currency)
    order by id
    limit ${limit + 1}`)
}

async function platformAfter(
  { principal }: OperatorContext,
  db: Db,
  { env, currency, kind, after, limit }: Wanted,
): Promise<AccountRow[]> {
  const found = await platformBalances(db)
  return found
    .filter((account) => account.env === env && account.id > after)
    .filter((account) => currency === undefined || account.currency === currency)
    .filter((account) => kind === undefined || account.kind === kind)
    .filter((account) => mayRead(principal, 'ledger:read', placeOf(account)))
    .map((account) => ({ ...account, env }))
    .sort((left, right) => (left.id < right.id ? -1 : 1))
    .slice(0, limit + 1)
}

const placeOf = ({ country, currency }: Pick<AccountRow, 'country' | 'currency'>) => ({
  country: country === '' ? undefined : country,
  currency,
})

interface Naming {
  readonly id: string
  readonly name: string
  readonly merchant_id: string | null
  readonly merchant_name: string | null
}

async function viewsOf(db: Db, rows: readonly AccountRow[]): Promise<AccountView[]> {
  const names = await db.query<Naming>(sql`
    select a.id, name_of_account(a.id) as name, m.id as merchant_id, m.name as merchant_name
    from unnest(${rows.map(({ id }) => id)}::uuid[]) as a(id)
    left join platform_accounts p on p.id = a.id
    left join wallets w on w.id = coalesce(p.wallet_id, a.id)
    left join merchants m on m.id = w.merchant_id`)
  const nameOf = new Map(names.map((naming) => [naming.id, naming]))
  return rows.map((row) => viewOf(row, nameOf.get(row.id)))
}

function viewOf(row: AccountRow, naming: Naming | undefined): AccountView {
  const { id, env, kind, provider, country, currency, debits_posted, credits_posted, debits_pending } = row
  const shown = (minor: bigint) => shownMinor(minor, currency)
  const side = sideOf(kind)
  const balance = debits_posted - credits_posted
  return {
    account: showId('account', id),
    kind,
    name: naming?.name ?? '',
    env,
    currency,
    ...(country !== '' && { country }),
    ...(provider !== '' && { provider }),
    ...(naming?.merchant_id && {
      merchant: { id: showId('merchant', naming.merchant_id), name: naming.merchant_name ?? '' },
    }),
    debits: shown(debits_posted),
    credits: shown(credits_posted),
    side,
    balance: shown(side === 'debit' ? balance : -balance),
    held: shown(debits_pending),
  }
}

export const sideOf = (kind: AccountKind) => (kind === 'wallet' ? 'credit' : 'debit')

function accountId(shownId: string): string {
  const id = readId('account', shownId)
  if (id === undefined) throw new OperatorError(`${shownId} is not an account; they look like acc_0193…`)
  return id
}

/** One account that the reader may see. */
export async function findAccount(
  { principal }: OperatorContext,
  db: Db,
  shownId: string,
): Promise<{ readonly row: AccountRow; readonly view: AccountView }> {
  const id = accountId(shownId)
  const [wallet] = await db.query<AccountRow>(sql`
    select id, env, 'wallet' as kind, '' as provider, country, currency, debits_pending, debits_posted, credits_pending,
      credits_posted
    from wallets
    where id = ${id}`)
  const row = wallet ?? ((await platformBalances(db)).find((account) => account.id === id) as AccountRow | undefined)
  const [view] = row ? await viewsOf(db, [row]) : []
  if (!row || !view || !mayRead(principal, 'ledger:read', placeOf(row)))
    throw new OperatorError(`no account has the id ${shownId}`)
  return { row, view }
}
