import { providerKeyOf } from '../../packages/server/src/platform/ids.ts'
import type { Cell } from './cell.ts'
import type { Moved } from './simulator-desk.ts'

/** A charge, with what the ledger says of its money in minor units. */
export interface BookedCharge extends Record<string, unknown> {
  readonly id: string
  readonly merchant_id: string
  readonly method: string
  readonly currency: string
  readonly state: string
  readonly discrepancy: string
  readonly failure: string | null
  readonly amount: bigint
  readonly fee: bigint
  /** What came in by way of its provider. */
  readonly came: bigint
  /** What its merchant's wallet was given, how often, and what of it was taken as fee. */
  readonly credited: bigint
  readonly credits: number
  readonly charged: bigint
  /** What is kept for the operator. */
  readonly kept: bigint
}

/** Every charge there is, with its money added up from transfers alone. */
export async function readCharges(cell: Cell): Promise<BookedCharge[]> {
  const rows = await cell.ask<Record<string, string> & { credits: number }>(`
    with sides as (
      select t.transaction_id, t.amount, coalesce(d.kind, 'wallet') as debit, coalesce(c.kind, 'wallet') as credit
      from transfers t
      left join platform_accounts d on d.id = t.debit_account
      left join platform_accounts c on c.id = t.credit_account
    )
    select t.id, t.merchant_id, t.method, t.currency, t.state, t.discrepancy, t.failure ->> 'code' as failure, t.amount,
      t.fee, count(*) filter (where s.credit = 'wallet')::int as credits,
      coalesce(sum(s.amount) filter (where s.debit = 'float'), 0) as came,
      coalesce(sum(s.amount) filter (where s.credit = 'wallet'), 0) as credited,
      coalesce(sum(s.amount) filter (where s.debit = 'wallet'), 0) as charged,
      coalesce(sum(s.amount) filter (where s.credit = 'suspense'), 0)
        - coalesce(sum(s.amount) filter (where s.debit = 'suspense'), 0) as kept
    from transactions t
    left join sides s on s.transaction_id = t.id
    where t.type = 'deposit'
    group by t.id
    order by t.id`)
  const sums = ['amount', 'fee', 'came', 'credited', 'charged', 'kept']
  return rows.map((row) => ({
    ...row,
    ...Object.fromEntries(sums.map((name) => [name, BigInt(row[name] ?? 0)])),
  })) as unknown as BookedCharge[]
}

/** What is wrong with the money of charges, held against the provider's own books. Nothing, when all is well. */
export function wrongCharges(charges: readonly BookedCharge[], moved: readonly Moved[]): string[] {
  const collected = Map.groupBy(moved, ({ key }) => key)
  const wrong = charges.flatMap((charge) => {
    const movements = collected.get(providerKeyOf(charge.id, 1)) ?? []
    collected.delete(providerKeyOf(charge.id, 1))
    return complaintsOf(charge, movements).map((what) => `${charge.method} ${charge.id} (${charge.state}) ${what}`)
  })
  return [...wrong, ...[...collected.keys()].map((key) => `the provider moved money for ${key}, which nobody knows`)]
}

function complaintsOf(charge: BookedCharge, movements: readonly Moved[]): string[] {
  const { state, amount, fee, came, credited, credits, charged, kept, discrepancy, failure } = charge
  const isPaid = state === 'successful'
  const took = movements.reduce((sum, movement) => sum + minorOf(movement.amount), 0n)
  const isFlagged = discrepancy !== '' || failure === 'UNDERPAID'
  const rules: [boolean, string][] = [
    [isPaid || state === 'failed', 'has not ended'],
    [movements.every(({ kind }) => kind === 'collected'), 'was not only collected'],
    [came === took, `has ${came} of the ${took} that the provider collected`],
    [credits === (isPaid ? 1 : 0), `was credited ${credits} times`],
    [!isPaid || (credited >= amount && charged === fee), `was credited ${credited} of ${amount}, less ${charged}`],
    [credited + kept === came, `has ${came}, of which ${credited} are credited and ${kept} kept`],
    [kept >= 0n && (kept === 0n || isFlagged), `keeps ${kept} without a flag`],
  ]
  return rules.filter(([isKept]) => !isKept).map(([, complaint]) => complaint)
}

/** The provider's decimals, of a currency with two of them. */
function minorOf(amount: string): bigint {
  const [whole = '0', part = ''] = amount.split('.')
  return BigInt(whole + part.padEnd(2, '0').slice(0, 2))
}
