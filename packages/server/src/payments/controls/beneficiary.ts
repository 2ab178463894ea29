import { accountNumberPurpose } from '../../external-accounts/store.ts'
import { type Db, type Environment, sql } from '../../platform/db.ts'
import type { Vault } from '../../platform/seal.ts'
import type { PayoutTarget } from '../../providers/contract.ts'
import { timing } from '../resolve/timing.ts'

const purpose = 'payout beneficiary'

/** The account that a payout goes to, as limits and approvals recognise it: the holder's name and the branch do not matter. */
function accountOf(to: PayoutTarget): { readonly destination: string; readonly at: string; readonly number: string } {
  switch (to.kind) {
    case 'momo': // A number keeps its owner when it moves to another operator.
      return { destination: 'MoMo', at: '', number: to.phone }
    case 'bank':
      return { destination: 'Bank Account', at: to.bankCode, number: to.accountNumber }
    case 'paybill':
      return { destination: 'Paybill', at: to.businessNumber, number: to.accountNumber }
    case 'till':
      return { destination: 'Till', at: '', number: to.tillNumber }
  }
}

/** The hashes of an account under every secret key, the current first: counts made under an earlier key still count. */
export function beneficiaryHashes(vault: Vault, to: PayoutTarget): readonly [string, ...string[]] {
  const { destination, at, number } = accountOf(to)
  const text = [destination, at, number.replaceAll(/[^0-9A-Za-z]/g, '').toUpperCase()].join(' ')
  const [current, ...earlier] = vault.hashes(text, purpose)
  return [current ?? vault.hash(text, purpose), ...earlier]
}

/** A payout whose beneficiary may be new. */
export interface Paying {
  readonly id: string
  readonly merchant_id: string
  readonly env: Environment
  readonly to: PayoutTarget
}

/**
 * The payouts among these whose account is new: it was neither first paid with approval nor saved as an external account, as it is
 * now, at least 24 hours ago.
 */
export async function withNewBeneficiary(
  db: Db,
  vault: Vault,
  at: Date,
  payouts: readonly Paying[],
): Promise<Set<string>> {
  if (payouts.length === 0) return new Set()
  const rows = payouts.flatMap((payout) => {
    const { destination, at: place, number } = accountOf(payout.to)
    const saved = vault.hashes(number, accountNumberPurpose)
    return beneficiaryHashes(vault, payout.to).map((hash, index) => ({
      ...payout,
      ...{ hash, saved: saved[index] ?? '', destination, place },
    }))
  })
  const of = <Key extends keyof (typeof rows)[number]>(name: Key) => rows.map((row) => row[name])
  const known = await db.query<{ id: string }>(sql`
    select w.id
    from unnest(${of('id')}::uuid[], ${of('merchant_id')}::uuid[], ${of('env')}::text[], ${of('hash')}::text[],
      ${of('saved')}::text[], ${of('destination')}::text[], ${of('place')}::text[])
      as w(id, merchant_id, env, hash, saved, destination, place)
    cross join (select ${new Date(at.getTime() - timing.newBeneficiaryMs)}::timestamptz as before) as b
    where exists (
        select
        from known_beneficiaries k
        where k.merchant_id = w.merchant_id
          and k.env = w.env
          and k.beneficiary = w.hash
          and k.first_paid_at <= b.before
      )
      or exists (
        select
        from external_accounts a
        where a.merchant_id = w.merchant_id
          and a.env = w.env
          and a.account_number_hash = w.saved
          and a.destination = w.destination
          and w.place = case a.destination when 'Bank Account' then a.code when 'Paybill' then a.business_number else '' end
          and a.deleted_at is null
          and coalesce(a.number_set_at, a.created_at) <= b.before
      )`)
  const isKnown = new Set(known.map(({ id }) => id))
  return new Set(payouts.map(({ id }) => id).filter((id) => !isKnown.has(id)))
}
