import { Type } from 'typebox'
import { listEndpoints } from '../merchants/endpoints.ts'
import type { Currency } from '../money/currencies.ts'
import { numberFromMinor } from '../money/money.ts'
import { type Owner, type ReadDb, sql } from '../platform/db.ts'
import { showId } from '../platform/ids.ts'

const Payments = Type.Object({
  count: Type.Integer(),
  transactionIds: Type.Array(Type.String(), { description: 'The oldest, at most 5' }),
})

/** What a person of the merchant should look at. */
export const Attention = Type.Object(
  {
    payoutsToApprove: Type.Integer(),
    webhookEndpoints: Type.Object({ failing: Type.Integer(), disabled: Type.Integer() }),
    inDoubt: Type.Object(Payments.properties, { description: 'In doubt for payments of 15 minutes and older' }),
    underpaid: Type.Object(Payments.properties, {
      description: 'Open bank transfer charges that received a part of their amount',
    }),
    walletsBelowZero: Type.Array(
      Type.Object({
        currency: Type.String(),
        country: Type.String(),
        owed: Type.Number({ description: 'What a provider took back and the wallet did not have' }),
      }),
    ),
  },
  { title: 'Attention' },
)

/** In every currency. */
export async function readAttention(db: ReadDb, owner: Owner, now: Date) {
  const [approvals, endpoints, open, wallets] = await Promise.all([
    countApprovals(db, owner),
    listEndpoints(db, owner),
    openPayments(db, owner, now),
    owingWallets(db, owner),
  ])
  const used = endpoints.filter(({ url, is_enabled }) => url !== '' && is_enabled)
  return {
    payoutsToApprove: Number(approvals),
    webhookEndpoints: {
      failing: used.filter(({ disabled_at, failures }) => disabled_at === null && failures > 0).length,
      disabled: used.filter(({ disabled_at }) => disabled_at !== null).length,
    },
    inDoubt: shown(open.find(({ kind }) => kind === 'in_doubt')),
    underpaid: shown(open.find(({ kind }) => kind === 'underpaid')),
    walletsBelowZero: wallets.map(({ currency, country, owed }) => ({
      ...{ currency, country },
      owed: numberFromMinor(owed, currency),
    })),
  }
}

const shown = (found: OpenPayments | undefined) => ({
  count: Number(found?.count ?? 0n),
  transactionIds: (found?.ids ?? []).map((id) => showId('transaction', id)),
})

async function countApprovals(db: ReadDb, owner: Owner): Promise<bigint> {
  const [row] = await db.query<{ count: bigint }>(
    owner,
    sql`
      select count(*) as count
      from controlled_payouts
      where merchant_id = ${owner.merchant_id}
        and env = ${owner.env}
        and approval_expires_at is not null
        and approval_closed_at is null`,
  )
  return row?.count ?? 0n
}

interface OpenPayments {
  readonly kind: 'in_doubt' | 'underpaid'
  readonly count: bigint
  readonly ids: readonly string[]
}

/** Along the index of open payments. */
function openPayments(db: ReadDb, owner: Owner, now: Date): Promise<OpenPayments[]> {
  return db.query<OpenPayments>(
    owner,
    sql`
      select kind, count(*) as count, (array_agg(id order by id))[1:5] as ids
      from (
        select id, case when state = 'unknown' then 'in_doubt' else 'underpaid' end as kind
        from transactions
        where merchant_id = ${owner.merchant_id}
          and env = ${owner.env}
          and state not in ('successful', 'failed')
          and (
            (state = 'unknown' and id < id_at(${now}::timestamptz - interval '15 minutes'))
            or (state <> 'unknown' and type = 'deposit' and received > 0 and received < amount)
          )
      ) open
      group by kind`,
  )
}

interface OwingWallet {
  readonly currency: Currency
  readonly country: string
  readonly owed: bigint
}

function owingWallets(db: ReadDb, owner: Owner): Promise<OwingWallet[]> {
  return db.query<OwingWallet>(
    owner,
    sql`
      select currency, country, owed
      from wallets
      where merchant_id = ${owner.merchant_id}
        and env = ${owner.env}
        and owed > 0
      order by currency, country`,
  )
}
