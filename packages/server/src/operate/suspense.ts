import { isCurrency } from '../money/currencies.ts'
import { formatMinor } from '../money/money.ts'
import { caseKinds, type SuspenseCase } from '../payments/late-money/suspense-cases.ts'
import { mayRead } from '../people/principal.ts'
import { type Environment, sql } from '../platform/db.ts'
import { readId, showId } from '../platform/ids.ts'
import { type OperatorContext, OperatorError, readScope } from './operator-context.ts'

/** A case about money in suspense, for staff. */
export interface CaseView {
  readonly id: string
  readonly env: Environment
  readonly kind: string
  /** The kind as a sentence. */
  readonly meaning: string
  /** Below 0: money that left and that the operator must recover. */
  readonly amount: string
  readonly currency: string
  readonly provider: string
  readonly country: string
  readonly merchantId?: string
  readonly transactionId?: string
  /** The provider's key of a payment that is unknown here. */
  readonly providerKey?: string
  readonly openedAt: string
  readonly ageSeconds: number
  readonly closedAt?: string
  readonly outcome?: string
  readonly clearedBy?: string
}

export interface CasesWanted {
  readonly env?: Environment
  readonly provider?: string
  readonly limit: number
}

type Stored = SuspenseCase & { readonly age_seconds: number }

/** Open cases, oldest first. */
export async function listCases(context: OperatorContext, { env, provider, limit }: CasesWanted): Promise<CaseView[]> {
  const found = await context.db.write.query<Stored>(sql`
    select *, extract(epoch from (select record_time()) - opened_at)::int as age_seconds
    from suspense_cases
    where closed_at is null
      and env = coalesce(${env ?? null}::text, env)
      and provider = coalesce(${provider ?? null}::text, provider)
      and is_in_scope(${readScope(context, 'payments:read')}::jsonb, country, currency)
    order by opened_at, id
    limit ${limit}`)
  return found.map(view)
}

export async function showCase(context: OperatorContext, shownId: string): Promise<CaseView> {
  const [found] = await context.db.write.query<Stored>(sql`
    select *, extract(epoch from (select record_time()) - opened_at)::int as age_seconds
    from suspense_cases
    where id = ${caseId(shownId)}`)
  if (!found || !mayRead(context.principal, 'payments:read', found)) throw noCase(shownId)
  return view(found)
}

function view(found: Stored): CaseView {
  const { id, env, kind, provider, country, currency, amount, merchant_id, transaction_id, provider_key } = found
  const { opened_at, age_seconds, closed_at, outcome, cleared_by } = found
  return {
    id: showId('case', id),
    env,
    kind,
    meaning: caseKinds[kind].summary,
    amount: shown(amount, currency),
    currency,
    provider,
    country,
    ...(merchant_id !== null && { merchantId: showId('merchant', merchant_id) }),
    ...(transaction_id !== null && { transactionId: showId('transaction', transaction_id) }),
    ...(provider_key !== '' && { providerKey: provider_key }),
    openedAt: opened_at.toISOString(),
    ageSeconds: age_seconds,
    ...(closed_at && outcome && { closedAt: closed_at.toISOString(), outcome }),
    ...(cleared_by !== null && { clearedBy: showId('transaction', cleared_by) }),
  }
}

export const shown = (amount: bigint, currency: string) =>
  isCurrency(currency) ? formatMinor(amount, currency) : String(amount)

export function caseId(shownId: string): string {
  const id = readId('case', shownId)
  if (id === undefined) throw new OperatorError(`${shownId} is not a case id; they look like case_0193…`)
  return id
}

export const noCase = (shownId: string) => new OperatorError(`no case has the id ${shownId}`)
