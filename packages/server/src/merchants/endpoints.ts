import { type EndpointKey, tablesOf } from '../events/endpoint-tables.ts'
import { type Owner, type ReadDb, sql, type Tx } from '../platform/db.ts'

/** An endpoint as its merchant sees it. */
export interface Endpoint {
  /** `defaultEndpointId` for the default. */
  readonly id: string
  readonly url: string
  readonly description: string
  /** The names of the events it gets; empty: all. */
  readonly events: readonly string[]
  readonly is_enabled: boolean
  /** Failed deliveries in a row, and since when. */
  readonly failures: number
  readonly failing_since: Date | null
  readonly disabled_at: Date | null
}

/** Endpoints of a merchant in one environment, the default among them. */
const endpointsMax = 10

/** The endpoints of one environment: the default first, if it has a URL, then the others in order of creation. */
export function listEndpoints(db: ReadDb, { merchant_id, env }: Owner): Promise<Endpoint[]> {
  return db.query<Endpoint>(
    { merchant_id, env },
    sql`
      select id, url, description, events, is_enabled, failures, failing_since, disabled_at
      from webhook_endpoints
      where merchant_id = ${merchant_id}
        and env = ${env}
        and url <> ''
      union all
      select id, url, description, events, is_enabled, failures, failing_since, disabled_at
      from added_webhook_endpoints
      where merchant_id = ${merchant_id}
        and env = ${env}
      order by id`,
  )
}

/** Creates a merchant's default endpoint in one environment, without a URL. */
export async function insertDefault(tx: Tx, { merchant_id, env }: Owner, sealedSecret: string): Promise<void> {
  await tx.query(sql`
    insert into webhook_endpoints (merchant_id, env, secret)
    values (${merchant_id}, ${env}, ${sealedSecret})`)
}

export interface NewEndpoint extends EndpointKey {
  readonly url: string
  readonly description: string
  readonly events: readonly string[]
  readonly is_enabled: boolean
  readonly sealed_secret: string
}

/**
 * Adds an endpoint, unless there are as many as allowed: returns false then. Transactions that add one to the same environment take
 * turns at the default endpoint's row, and each counts after its turn came. A place is always kept for the default.
 */
export async function insertAdded(tx: Tx, added: NewEndpoint): Promise<boolean> {
  await tx.query(sql`
    select
    from webhook_endpoints
    where merchant_id = ${added.merchant_id}
      and env = ${added.env}
    for no key update`)
  const inserted = await tx.query(sql`
    insert into added_webhook_endpoints (id, merchant_id, env, url, description, events, is_enabled, disabled_at, created_at, secret,
      due_from)
    select ${added.endpoint_id}, ${added.merchant_id}, ${added.env}, ${added.url}, ${added.description}, ${added.events}::text[],
      ${added.is_enabled}, case when ${added.is_enabled} then null else record_time() end, record_time(), ${added.sealed_secret},
      record_time()
    where (
      select count(*)
      from added_webhook_endpoints
      where merchant_id = ${added.merchant_id}
        and env = ${added.env}
    ) < ${endpointsMax - 1}
    returning 1`)
  return inserted.length > 0
}

/** What to change; omitted fields stay as they are. */
export interface EndpointChange {
  readonly url?: string | undefined
  readonly description?: string | undefined
  readonly events?: readonly string[] | undefined
  readonly is_enabled?: boolean | undefined
}

/** Locks an endpoint and returns whether it is enabled; undefined when it does not exist. */
export async function lockEndpoint(tx: Tx, key: EndpointKey): Promise<{ readonly is_enabled: boolean } | undefined> {
  const { sql } = tablesOf(key.endpoint_id)
  const [found] = await tx.query<{ is_enabled: boolean }>(sql`
    select is_enabled
    from webhook_endpoints
    where merchant_id = ${key.merchant_id}
      and env = ${key.env}
      and id = ${key.endpoint_id}
      and url <> ''
    for no key update`)
  return found
}

/**
 * Changes a locked endpoint. Setting the URL, even the same one, or enabling it makes an enabled endpoint due at once and clears
 * earlier failures. One that the merchant disables gets `disabled_at` too, which processes of the version before obey.
 */
export async function updateEndpoint(
  tx: Tx,
  key: EndpointKey,
  before: { readonly is_enabled: boolean },
  change: EndpointChange,
): Promise<void> {
  const { sql } = tablesOf(key.endpoint_id)
  const { url, description, events, is_enabled = before.is_enabled } = change
  const isRestarted = is_enabled && (change.url !== undefined || change.is_enabled !== undefined)
  await tx.query(sql`
    update webhook_endpoints
    set url = coalesce(${url ?? null}, url),
      description = coalesce(${description ?? null}, description),
      events = coalesce(${events ?? null}::text[], events),
      is_enabled = ${is_enabled},
      failures = case when ${isRestarted} then 0 else failures end,
      failing_since = case when ${isRestarted} then null else failing_since end,
      rests_until = case when ${isRestarted} then '-infinity' else rests_until end,
      disabled_at = case when ${isRestarted} then null when ${is_enabled} then disabled_at
        when is_enabled then record_time() else coalesce(disabled_at, record_time()) end,
      next_due = case when ${isRestarted} then record_time() when ${is_enabled} then next_due end
    where merchant_id = ${key.merchant_id}
      and env = ${key.env}
      and id = ${key.endpoint_id}`)
}

/** Setting a URL, even the same one, enables the default endpoint, makes it due at once and clears earlier failures. */
export async function setDefaultUrl(tx: Tx, { merchant_id, env }: Owner, url: string): Promise<void> {
  await tx.query(sql`
    update webhook_endpoints
    set url = ${url},
      is_enabled = true,
      failures = 0,
      failing_since = null,
      rests_until = '-infinity',
      disabled_at = null,
      next_due = case when ${url} = '' then null else record_time() end
    where merchant_id = ${merchant_id}
      and env = ${env}`)
}

/** Empties the default endpoint, whose row and secret every merchant keeps. */
export async function clearDefault(tx: Tx, owner: Owner): Promise<void> {
  await setDefaultUrl(tx, owner, '')
  await tx.query(sql`
    update webhook_endpoints
    set description = '', events = '{}'
    where merchant_id = ${owner.merchant_id}
      and env = ${owner.env}`)
}

export async function deleteAdded(tx: Tx, { merchant_id, env, endpoint_id }: EndpointKey): Promise<void> {
  await tx.query(sql`
    delete from added_webhook_endpoints
    where id = ${endpoint_id}
      and merchant_id = ${merchant_id}
      and env = ${env}`)
}

/** The new secret signs from now on, and the old one beside it for a day. Returns false when the endpoint does not exist. */
export async function replaceSecret(tx: Tx, key: EndpointKey, sealedSecret: string): Promise<boolean> {
  const { sql } = tablesOf(key.endpoint_id)
  const replaced = await tx.query(sql`
    update webhook_endpoints
    set previous_secret = secret,
      previous_secret_until = record_time() + interval '24 hours',
      secret = ${sealedSecret}
    where merchant_id = ${key.merchant_id}
      and env = ${key.env}
      and id = ${key.endpoint_id}
    returning merchant_id`)
  return replaced.length > 0
}
