import type { FeeRule } from '../money/fees.ts'
import { type Db, type Environment, sql, type Tx } from '../platform/db.ts'

/** The methods with a fee, per operation. */
export const feeMethods = {
  charge: ['momo', 'card', 'bank-transfer'],
  payout: ['momo', 'bank'],
  refund: ['momo', 'card', 'bank'],
} as const

export type FeeOperation = keyof typeof feeMethods

/** The payments a rule applies to; `*` is any, and a null merchant is every merchant without its own rule. */
export interface FeeScope {
  readonly env: Environment
  readonly operation: FeeOperation
  readonly method: string
  readonly currency: string
  readonly merchant_id: string | null
}

export interface FeeTableRow extends FeeScope {
  readonly id: bigint
  readonly fixed: bigint
  readonly basis_points: number
  readonly min: bigint | null
  readonly max: bigint | null
  readonly is_returned: boolean
  readonly effective_from: Date
  readonly set_at: Date
  readonly set_by: string
  readonly status: 'in force' | 'scheduled' | 'superseded'
}

export interface NewFeeRule extends FeeScope {
  readonly rule: FeeRule
  /** Undefined: from now on. */
  readonly effective_from: Date | undefined
  readonly set_by: string
}

/** Adds a rule. It supersedes those of the same scope from its date on; they stay as history. */
export async function insertFeeRule(tx: Tx, made: NewFeeRule): Promise<bigint> {
  const { rule, effective_from } = made
  const [row] = await tx.query<{ id: bigint }>(sql`
    insert into fee_rules (env, operation, method, currency, merchant_id, fixed, basis_points, min, max, is_returned,
      effective_from, set_by)
    values (${made.env}, ${made.operation}, ${made.method}, ${made.currency}, ${made.merchant_id}, ${rule.fixed},
      ${rule.basisPoints}, ${rule.min ?? null}, ${rule.max ?? null}, ${rule.isReturned ?? false},
      coalesce(${effective_from ?? null}::timestamptz, record_time()), ${made.set_by})
    returning id`)
  return row?.id ?? 0n
}

/** The newest rule of an environment, so that a change is noticed. */
export async function newestFeeRule(db: Db, env: Environment): Promise<string> {
  const [row] = await db.query<{ id: bigint | null }>(sql`select max(id) as id from fee_rules where env = ${env}`)
  return String(row?.id ?? 0n)
}

export interface FeeFilter {
  readonly env: Environment | undefined
  readonly merchant_id: string | undefined
  /** Includes superseded rules. */
  readonly isHistory: boolean
}

/** The fee table: rules of the same scope together, newest first. */
export function listFeeRules(db: Db, { env, merchant_id, isHistory }: FeeFilter): Promise<FeeTableRow[]> {
  return db.query<FeeTableRow>(sql`
    with rules as (
      select *,
        case
          when lead(effective_from) over later <= greatest(effective_from, record_time()) then 'superseded'
          when effective_from > record_time() then 'scheduled'
          else 'in force'
        end as status
      from fee_rules
      window later as (partition by env, operation, method, currency, merchant_id order by effective_from, id)
    )
    select *
    from rules
    where (${env ?? null}::text is null or env = ${env ?? null})
      and (${merchant_id ?? null}::uuid is null or merchant_id = ${merchant_id ?? null})
      and (${isHistory} or status <> 'superseded')
    order by env, operation, merchant_id nulls first, currency, method, effective_from desc, id desc`)
}

/**
 * The operations whose live payments may lack a rule: those without a default in force for every merchant, method and currency. A
 * rule is never removed, so once this is empty it stays empty.
 */
async function liveOperationsWithoutFees(db: Db): Promise<FeeOperation[]> {
  // A refund is free without a rule.
  const operations: FeeOperation[] = ['charge', 'payout']
  const covered = await db.query<{ operation: string }>(sql`
    select distinct operation
    from fee_rules
    where env = 'live'
      and method = '*'
      and currency = '*'
      and merchant_id is null
      and effective_from <= record_time()`)
  return operations.filter((operation) => !covered.some((found) => found.operation === operation))
}

/** What is missing and how to set it; undefined when every live payment has a fee rule. */
export async function liveFeesProblem(db: Db): Promise<string | undefined> {
  const missing = await liveOperationsWithoutFees(db)
  if (missing.length === 0) return undefined
  const operation = missing.length === 1 ? ` --operation ${missing[0]}` : ''
  const command = `malipo fees set --env live${operation} --basis-points 0 --reason "…", with --break-glass while no api runs`
  return `no default fee is set for live ${missing.map((each) => `${each}s`).join(' and ')}; set it, be it zero: ${command}`
}
