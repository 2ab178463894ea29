import type { FeeRule } from '../money/fees.ts'
import { createBatchLoader } from '../platform/batch-loader.ts'
import { BoundedMap } from '../platform/bounded-map.ts'
import { type Db, type Owner, sql } from '../platform/db.ts'

/** The payment that a fee rule is looked up for. */
export interface Charged extends Owner {
  readonly operation: 'charge' | 'payout' | 'refund'
  readonly method: 'momo' | 'card' | 'bank-transfer' | 'bank'
  readonly currency: string
}

interface StoredRule {
  readonly fixed: bigint
  readonly basis_points: number
  readonly min: bigint | null
  readonly max: bigint | null
  readonly is_returned: boolean
}

/**
 * The most specific rule for each payment: a merchant's own first, then one for the currency, then one for the method. A payment
 * without a rule is not free: an operator must set one, even if it is zero.
 */
async function feeRulesFor(db: Db, charged: readonly Charged[]): Promise<(FeeRule | undefined)[]> {
  const of = <Key extends keyof Charged>(name: Key) => charged.map((each) => each[name])
  const found = await db.query<StoredRule & { place: number }>(sql`
    select place::int, rule.*
    from unnest(${of('merchant_id')}::uuid[], ${of('env')}::text[], ${of('operation')}::text[], ${of('method')}::text[],
      ${of('currency')}::text[]) with ordinality as c(merchant_id, env, operation, method, currency, place)
    cross join lateral (
      select r.fixed, r.basis_points, r.min, r.max, r.is_returned
      from fee_rules r
      where r.env = c.env
        and r.operation = c.operation
        and r.method in (c.method, '*')
        and r.currency in (c.currency, '*')
        and (r.merchant_id = c.merchant_id or r.merchant_id is null)
        and r.effective_from <= record_time()
      order by r.merchant_id is null, r.currency = '*', r.method = '*', r.effective_from desc, r.id desc
      limit 1
    ) rule`)
  const byPlace = new Map(found.map((rule) => [rule.place, rule]))
  return charged.map((_, index) => {
    const stored = byPlace.get(index + 1)
    return stored && ruleOf(stored)
  })
}

function ruleOf(stored: StoredRule): FeeRule {
  const { fixed, basis_points: basisPoints, min, max, is_returned } = stored
  return {
    fixed,
    basisPoints,
    ...(min !== null && { min }),
    ...(max !== null && { max }),
    ...(is_returned && { isReturned: true }),
  }
}

/** Fee rules, cached for a few seconds: only operators change them, and every payment reads them. */
export interface Fees {
  ruleFor(charged: Charged): Promise<FeeRule>
}

/** A refund costs nothing unless a rule says so. */
const free: FeeRule = { fixed: 0n, basisPoints: 0 }

const rememberedMs = 5000
const rulesMax = 100_000

export function createFees(db: Db): Fees {
  const find = createBatchLoader((charged: readonly Charged[]) => feeRulesFor(db, charged))
  const known = new BoundedMap<string, { readonly rule: Promise<FeeRule>; readonly until: number }>(rulesMax)
  return {
    ruleFor: (charged) => {
      const { merchant_id, env, operation, method, currency } = charged
      const key = [merchant_id, env, operation, method, currency].join(' ')
      const found = known.get(key)
      if (found && found.until > performance.now()) return found.rule
      const rule = find(charged).then((each) => each ?? (operation === 'refund' ? free : refuseUnset(charged)))
      known.set(key, { rule, until: performance.now() + rememberedMs })
      rule.catch(() => known.delete(key))
      return rule
    },
  }
}

function refuseUnset({ env, operation, method, currency }: Charged): never {
  throw new Error(`no fee rule covers a ${operation} by ${method} in ${currency} in ${env}: malipo fees set`)
}
