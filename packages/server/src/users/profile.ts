import { type Owner, type ReadDb, sql } from '../platform/db.ts'

/** What a merchant sees of itself. */
export interface Profile {
  readonly email: string
  readonly first_name: string
  readonly last_name: string
  readonly webhook_url: string
  readonly sandbox_webhook_url: string
}

export async function readProfile(db: ReadDb, owner: Owner): Promise<Profile | undefined> {
  const [profile] = await db.query<Profile>(
    owner,
    sql`
      select m.email, m.first_name, m.last_name, live.url as webhook_url, sandbox.url as sandbox_webhook_url
      from merchants m
      join webhook_endpoints live on live.merchant_id = m.id and live.env = 'live'
      join webhook_endpoints sandbox on sandbox.merchant_id = m.id and sandbox.env = 'sandbox'
      where m.id = ${owner.merchant_id}`,
  )
  return profile
}
