import { providerKeyOf } from '../../../packages/server/src/platform/ids.ts'
import type { Cell } from '../cluster/cell.ts'
import type { Moved } from '../cluster/simulator-control.ts'

/** A charge, with its money by the ledger in minor units, its adjustments included. */
export interface BookedCharge extends Record<string, unknown> {
  readonly id: string
  readonly merchant_id: string
  readonly method: string
  readonly currency: string
  readonly state: string
  readonly failure: string | null
  readonly amount: bigint
  readonly fee: bigint
  /** Amount received in time, for a charge paid by transfers. */
  readonly received: bigint
  /** `adjusted` was credited after its end, `adjusted_fee` are its fees, in this many adjustments. */
  readonly adjusted: bigint
  readonly adjusted_fee: bigint
  readonly adjustments: number
  /** Amount in suspense for it, and in its open case. */
  readonly suspended: bigint
  readonly open_case: bigint
  /** Amount received through its provider. */
  readonly came: bigint
  /** Amount credited to its merchant's wallet, how often, and the fee taken from it. */
  readonly credited: bigint
  readonly credits: number
  readonly charged: bigint
  /** Amount in the suspense account for it. */
  readonly kept: bigint
}

/** All charges, with their money added up from transfers alone. */
export async function readCharges(cell: Cell): Promise<BookedCharge[]> {
  const rows = await cell.ask<Record<string, string> & { credits: number; adjustments: number }>(`
    with sides as (
      select p.first, t.amount, coalesce(d.kind, 'wallet') as debit, coalesce(c.kind, 'wallet') as credit
      from (select id, coalesce(related_transaction_id, id) as first from transactions) p
      join transfers t on t.transaction_id = p.id
      left join platform_accounts d on d.id = t.debit_account
      left join platform_accounts c on c.id = t.credit_account
      where t.event not in ('debt_collected', 'provider_fee_reported')
    )
    select t.id, t.merchant_id, t.method, t.currency, t.state, t.failure ->> 'code' as failure, t.amount, t.fee,
      t.received, t.adjusted, t.adjusted_fee, cardinality(t.adjustments) as adjustments, t.suspended,
      (select coalesce(sum(c.amount), 0) from suspense_cases c where c.transaction_id = t.id and c.closed_at is null)
        as open_case,
      count(*) filter (where s.credit = 'wallet')::int as credits,
      coalesce(sum(s.amount) filter (where s.debit = 'float'), 0)
        - coalesce(sum(s.amount) filter (where s.credit = 'float'), 0) as came,
      coalesce(sum(s.amount) filter (where s.credit = 'wallet'), 0) as credited,
      coalesce(sum(s.amount) filter (where s.debit = 'wallet'), 0) as charged,
      coalesce(sum(s.amount) filter (where s.credit = 'suspense'), 0)
        - coalesce(sum(s.amount) filter (where s.debit = 'suspense'), 0) as kept
    from transactions t
    left join sides s on s.first = t.id
    where t.type = 'deposit'
    group by t.id
    order by t.id`)
  const sums = ['amount', 'fee', 'received', 'adjusted', 'adjusted_fee', 'suspended', 'open_case']
  const booked = ['came', 'credited', 'charged', 'kept']
  return rows.map((row) => ({
    ...row,
    ...Object.fromEntries([...sums, ...booked].map((name) => [name, BigInt(row[name] ?? 0)])),
  })) as unknown as BookedCharge[]
}

/** Errors in the money of charges, compared with the provider's own books. Empty when there are none. */
export function wrongCharges(charges: readonly BookedCharge[], moved: readonly Moved[]): string[] {
  const collected = Map.groupBy(moved, ({ key }) => key)
  const wrong = charges.flatMap((charge) => {
    const movements = collected.get(providerKeyOf(charge.id, 1)) ?? []
    collected.delete(providerKeyOf(charge.id, 1))
    return complaintsOf(charge, movements).map((what) => `${charge.method} ${charge.id} (${charge.state}) ${what}`)
  })
  return [
    ...wrong,
    ...[...collected.keys()].map((key) => `the provider moved money for ${key}, which is not a known charge`),
  ]
}

function complaintsOf(charge: BookedCharge, movements: readonly Moved[]): string[] {
  const { state, method, amount, fee, received, adjusted, adjusted_fee, adjustments, suspended, open_case } = charge
  const { came, credited, credits, charged, kept, failure } = charge
  const isPaid = state === 'successful'
  const took = movements.reduce((sum, movement) => sum + minorOf(movement.amount), 0n)
  const inTime = isPaid ? (method === 'bank-transfer' ? received : amount) : 0n
  const fees = (isPaid ? fee : 0n) + adjusted_fee
  const rules: [boolean, string][] = [
    [isPaid || state === 'failed', 'has not ended'],
    [movements.every(({ kind }) => kind === 'collected'), 'was not only collected'],
    [came === took, `has ${came} of the ${took} that the provider collected`],
    [credits === (isPaid ? 1 : 0) + adjustments, `was credited ${credits} times, ${adjustments} after its end`],
    [!isPaid || inTime >= amount, `was paid with ${inTime} of ${amount}`],
    [credited === inTime + adjusted, `was credited ${credited}, not ${inTime} in time and ${adjusted} later`],
    [charged === fees, `was charged ${charged}, not ${fees}`],
    [credited + kept === came, `has ${came}, of which ${credited} are credited and ${kept} kept`],
    [
      kept === suspended && kept === open_case,
      `keeps ${kept}, its row has ${suspended}, with ${open_case} in its open case`,
    ],
    [kept >= 0n && (kept === 0n || failure === 'UNDERPAID'), `keeps ${kept} although it is not underpaid`],
  ]
  return rules.filter(([isKept]) => !isKept).map(([, complaint]) => complaint)
}

/** The provider's decimals, for a currency with two of them. */
function minorOf(amount: string): bigint {
  const [whole = '0', part = ''] = amount.split('.')
  return BigInt(whole + part.padEnd(2, '0').slice(0, 2))
}
