import { addedEndpoints, defaultEndpoints, type EndpointTables } from '../events/endpoint-tables.ts'
import { webhookSecretContext } from '../merchants/webhook-secret.ts'
import type { Environment } from '../platform/db.ts'
import { firstId, type SealedColumn, split, type Wanted } from './sealed-column.ts'

/** The text is `merchant environment endpoint`. */
const keyIn = (text: string) => {
  const [merchant_id = '', env = '', endpoint_id = ''] = text.split(' ', 3)
  return { merchant_id, env: env as Environment, endpoint_id }
}

const keyAfter = ({ after }: Wanted) => {
  const { merchant_id, env, endpoint_id } = keyIn(after)
  return { merchantId: merchant_id || firstId, env, endpointId: endpoint_id || firstId }
}

const contextOf = (id: string) => webhookSecretContext(keyIn(id))

const current = (table: string, { sql }: EndpointTables): SealedColumn => ({
  name: `${table}.secret`,
  contextOf,
  page: (db, wanted) => {
    const { merchantId, env, endpointId } = keyAfter(wanted)
    return db.query(sql`
      select merchant_id || ' ' || env || ' ' || id as id, split_part(secret, '.', 1) as key,
        case when secret !~ ${wanted.newest} then secret end as sealed
      from webhook_endpoints
      where (merchant_id, env::text, id) > (${merchantId}::uuid, ${env}, ${endpointId}::uuid)
      order by merchant_id, env::text, webhook_endpoints.id
      limit ${wanted.limit}`)
  },
  replace: (db, moves) => {
    const { ids, befores, afters } = split(moves)
    return db.query(sql`
      with free as (
        select e.merchant_id, e.env, e.id, m.after
        from unnest(${ids}::text[], ${befores}::text[], ${afters}::text[]) as m(id, before, after)
        join webhook_endpoints e on e.merchant_id = split_part(m.id, ' ', 1)::uuid and e.env = split_part(m.id, ' ', 2)
          and e.id = split_part(m.id, ' ', 3)::uuid and e.secret = m.before
        for update of e skip locked
      )
      update webhook_endpoints e
      set secret = f.after
      from free f
      where (e.merchant_id, e.env, e.id) = (f.merchant_id, f.env, f.id)
      returning e.merchant_id || ' ' || e.env || ' ' || e.id as id`)
  },
})

const previous = (table: string, { sql }: EndpointTables): SealedColumn => ({
  name: `${table}.previous_secret`,
  contextOf,
  page: (db, wanted) => {
    const { merchantId, env, endpointId } = keyAfter(wanted)
    return db.query(sql`
      select merchant_id || ' ' || env || ' ' || id as id, split_part(previous_secret, '.', 1) as key,
        case when previous_secret !~ ${wanted.newest} then previous_secret end as sealed
      from webhook_endpoints
      where (merchant_id, env::text, id) > (${merchantId}::uuid, ${env}, ${endpointId}::uuid)
        and previous_secret is not null
      order by merchant_id, env::text, webhook_endpoints.id
      limit ${wanted.limit}`)
  },
  replace: (db, moves) => {
    const { ids, befores, afters } = split(moves)
    return db.query(sql`
      with free as (
        select e.merchant_id, e.env, e.id, m.after
        from unnest(${ids}::text[], ${befores}::text[], ${afters}::text[]) as m(id, before, after)
        join webhook_endpoints e on e.merchant_id = split_part(m.id, ' ', 1)::uuid and e.env = split_part(m.id, ' ', 2)
          and e.id = split_part(m.id, ' ', 3)::uuid and e.previous_secret = m.before
        for update of e skip locked
      )
      update webhook_endpoints e
      set previous_secret = f.after
      from free f
      where (e.merchant_id, e.env, e.id) = (f.merchant_id, f.env, f.id)
      returning e.merchant_id || ' ' || e.env || ' ' || e.id as id`)
  },
})

/** The signing secrets of default and added endpoints, and those that a rotation replaced. */
export const webhookSecrets: readonly SealedColumn[] = [
  current('webhook_endpoints', defaultEndpoints),
  previous('webhook_endpoints', defaultEndpoints),
  current('added_webhook_endpoints', addedEndpoints),
  previous('added_webhook_endpoints', addedEndpoints),
]
