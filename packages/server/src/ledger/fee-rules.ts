import type { FeeRule } from '../money/fees.ts'
import { BoundedMap } from '../platform/bounded-map.ts'
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

/** Fee rules, remembered for a few seconds: they change when an operator changes them, and every payment asks. */
export interface Fees {
  ruleFor(charged: Charged): Promise<FeeRule>
}

const rememberedMs = 5000
const rulesMax = 100_000

export function createFees(db: Db): Fees {
  const known = new BoundedMap<string, { readonly rule: Promise<FeeRule>; readonly until: number }>(rulesMax)
  return {
    ruleFor: (charged) => {
      const { merchant_id, env, operation, method, currency } = charged
      const key = [merchant_id, env, operation, method, currency].join(' ')
      const found = known.get(key)
      if (found && found.until > performance.now()) return found.rule
      const rule = feeRuleFor(db, charged)
      known.set(key, { rule, until: performance.now() + rememberedMs })
      rule.catch(() => known.delete(key))
      return rule
    },
  }
}
