import { type Owner, type ReadDb, sql } from '../platform/db.ts'

/** A wallet as its owner sees it, in minor units as text, because JSON carries them here. */
export interface ProfileWallet {
  readonly currency: string
  readonly country: string
  readonly available: string
  readonly pending: string
  readonly owed: string
}

/** A merchant's own view of itself. */
export interface Profile {
  readonly email: string
  readonly first_name: string
  readonly last_name: string
  readonly home_country: string
  readonly webhook_url: string
  readonly sandbox_webhook_url: string
  readonly wallets: readonly ProfileWallet[]
}

export async function readProfile(db: ReadDb, owner: Owner): Promise<Profile | undefined> {
  const [profile] = await db.query<Profile>(
    owner,
    sql`
      select m.email, m.first_name, m.last_name, m.home_country, live.url as webhook_url,
        sandbox.url as sandbox_webhook_url,
        (
          select coalesce(json_agg(w order by w.currency, w.country), '[]')
          from (
            select currency, country, debits_pending::text as pending, owed::text as owed,
              (credits_posted - debits_posted - debits_pending)::text as available
            from wallets
            where merchant_id = ${owner.merchant_id}
              and env = ${owner.env}
          ) as w
        ) as wallets
      from merchants m
      join webhook_endpoints live on live.merchant_id = m.id and live.env = 'live'
      join webhook_endpoints sandbox on sandbox.merchant_id = m.id and sandbox.env = 'sandbox'
      where m.id = ${owner.merchant_id}`,
  )
  return profile
}
