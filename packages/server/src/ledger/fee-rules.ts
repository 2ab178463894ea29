import type { FeeRule } from '../money/fees.ts'
import { type Db, type Owner, sql } from '../platform/db.ts'

/** What a fee is asked for. */
export interface Charged extends Owner {
  readonly operation: 'charge' | 'payout'
  readonly method: 'momo' | 'card' | 'bank-transfer' | 'bank'
  readonly currency: string
}

const free: FeeRule = { fixed: 0n, basisPoints: 0 }

interface StoredRule {
  readonly fixed: bigint
  readonly basis_points: number
  readonly min: bigint | null
  readonly max: bigint | null
}

/**
 * The rule that says the most about this: a merchant's own before everybody's, then one for the currency, then one for
 * the method. Where none says anything there is no fee.
 */
export async function feeRuleFor(db: Db, { merchant_id, env, operation, method, currency }: Charged): Promise<FeeRule> {
  const [rule] = await db.query<StoredRule>(sql`
    select fixed, basis_points, min, max
    from fee_rules
    where env = ${env}
      and operation = ${operation}
      and method in (${method}, '*')
      and currency in (${currency}, '*')
      and (merchant_id = ${merchant_id} or merchant_id is null)
    order by merchant_id is null, currency = '*', method = '*'
    limit 1`)
  if (!rule) return free
  const { fixed, basis_points: basisPoints, min, max } = rule
  return { fixed, basisPoints, ...(min !== null && { min }), ...(max !== null && { max }) }
}
