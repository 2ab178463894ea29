import { accountNumberContext, accountNumberPurpose } from '../external-accounts/store.ts'
import { webhookSecretContext } from '../merchants/webhook-secret.ts'
import { partyContext } from '../payments/model/counterparty.ts'
import { callbackContext } from '../payments/resolve/callback-log.ts'
import { type Db, type Environment, sql } from '../platform/db.ts'
import type { Vault } from '../platform/seal.ts'

/** A row with a sealed value. */
export interface SealedRow {
  /** Its place in the order of its column. */
  readonly id: string
  /** The key it is under. */
  readonly key: string
  /** What is sealed, if it is not as the newest key seals. */
  readonly sealed: string | null
}

export interface Move {
  readonly id: string
  readonly before: string
  readonly after: string
  /** The hash beside it, where there is one. */
  readonly hash: string
}

/** A column whose values are sealed, and how to go through it and change it while others do. */
export interface SealedColumn {
  readonly name: string
  contextOf(id: string): string
  /** The hash that is kept beside the value. */
  hashOf?(vault: Vault, plain: string): string
  /** The rows after one, in order, whatever they are under. The first ones begin after the empty text. */
  page(db: Db, wanted: Wanted): Promise<SealedRow[]>
  /**
   * Changes those that are still as they were. Rows that somebody else has locked are left out, so that it never waits while it
   * holds locks itself. Returns those it changed.
   */
  replace(db: Db, moves: readonly Move[]): Promise<{ id: string }[]>
}

interface Wanted {
  readonly after: string
  readonly limit: number
  /** Matches what is as the newest key seals. */
  readonly newest: string
}

const firstId = '00000000-0000-0000-0000-000000000000'
const idAfter = ({ after }: Wanted) => after || firstId
const split = (moves: readonly Move[]) => ({
  ids: moves.map(({ id }) => id),
  befores: moves.map(({ before }) => before),
  afters: moves.map(({ after }) => after),
})

const party: SealedColumn = {
  name: 'transactions.party',
  contextOf: partyContext,
  page: (db, wanted) =>
    db.query(sql`
      select id, split_part(party, '.', 1) as key, case when party !~ ${wanted.newest} then party end as sealed
      from transactions
      where id > ${idAfter(wanted)}
      order by id
      limit ${wanted.limit}`),
  replace: (db, moves) => {
    const { ids, befores, afters } = split(moves)
    return db.query(sql`
      with free as (
        select t.id, m.after
        from unnest(${ids}::uuid[], ${befores}::text[], ${afters}::text[]) as m(id, before, after)
        join transactions t on t.id = m.id and t.party = m.before
        for update of t skip locked
      )
      update transactions t
      set party = f.after
      from free f
      where t.id = f.id
      returning t.id`)
  },
}

const callback: SealedColumn = {
  name: 'callbacks.content',
  contextOf: callbackContext,
  page: (db, wanted) =>
    db.query(sql`
      select id, split_part(content, '.', 1) as key, case when content !~ ${wanted.newest} then content end as sealed
      from callbacks
      where id > ${idAfter(wanted)}
      order by id
      limit ${wanted.limit}`),
  replace: (db, moves) => {
    const { ids, befores, afters } = split(moves)
    return db.query(sql`
      with free as (
        select c.id, m.after
        from unnest(${ids}::uuid[], ${befores}::text[], ${afters}::text[]) as m(id, before, after)
        join callbacks c on c.id = m.id and c.content = m.before
        for update of c skip locked
      )
      update callbacks c
      set content = f.after
      from free f
      where c.id = f.id
      returning c.id`)
  },
}

const account: SealedColumn = {
  name: 'external_accounts.account_number',
  contextOf: accountNumberContext,
  hashOf: (vault, plain) => vault.hash(plain, accountNumberPurpose),
  page: (db, wanted) =>
    db.query(sql`
      select id, split_part(account_number, '.', 1) as key,
        case when account_number !~ ${wanted.newest} then account_number end as sealed
      from external_accounts
      where id > ${idAfter(wanted)}
      order by id
      limit ${wanted.limit}`),
  replace: (db, moves) => {
    const { ids, befores, afters } = split(moves)
    const hashes = moves.map(({ hash }) => hash)
    return db.query(sql`
      with free as (
        select a.id, m.after, m.hash
        from unnest(${ids}::uuid[], ${befores}::text[], ${afters}::text[], ${hashes}::text[])
          as m(id, before, after, hash)
        join external_accounts a on a.id = m.id and a.account_number = m.before
        for update of a skip locked
      )
      update external_accounts a
      set account_number = f.after,
        account_number_hash = f.hash
      from free f
      where a.id = f.id
      returning a.id`)
  },
}

/** `merchant environment`. */
const ownerAfter = ({ after }: Wanted) => after.split(' ', 2)
const endpointContext = (id: string) => {
  const [merchant_id = '', env = ''] = id.split(' ', 2)
  return webhookSecretContext({ merchant_id, env: env as Environment })
}

const secret: SealedColumn = {
  name: 'webhook_endpoints.secret',
  contextOf: endpointContext,
  page: (db, wanted) => {
    const [merchantId = '', env = ''] = ownerAfter(wanted)
    return db.query(sql`
      select merchant_id || ' ' || env as id, split_part(secret, '.', 1) as key,
        case when secret !~ ${wanted.newest} then secret end as sealed
      from webhook_endpoints
      where (merchant_id, env::text) > (${merchantId || firstId}::uuid, ${env})
      order by merchant_id, env::text
      limit ${wanted.limit}`)
  },
  replace: (db, moves) => {
    const { ids, befores, afters } = split(moves)
    return db.query(sql`
      with free as (
        select e.merchant_id, e.env, m.after
        from unnest(${ids}::text[], ${befores}::text[], ${afters}::text[]) as m(id, before, after)
        join webhook_endpoints e
          on e.merchant_id = split_part(m.id, ' ', 1)::uuid and e.env = split_part(m.id, ' ', 2) and e.secret = m.before
        for update of e skip locked
      )
      update webhook_endpoints e
      set secret = f.after
      from free f
      where (e.merchant_id, e.env) = (f.merchant_id, f.env)
      returning e.merchant_id || ' ' || e.env as id`)
  },
}

const previousSecret: SealedColumn = {
  name: 'webhook_endpoints.previous_secret',
  contextOf: endpointContext,
  page: (db, wanted) => {
    const [merchantId = '', env = ''] = ownerAfter(wanted)
    return db.query(sql`
      select merchant_id || ' ' || env as id, split_part(previous_secret, '.', 1) as key,
        case when previous_secret !~ ${wanted.newest} then previous_secret end as sealed
      from webhook_endpoints
      where (merchant_id, env::text) > (${merchantId || firstId}::uuid, ${env})
        and previous_secret is not null
      order by merchant_id, env::text
      limit ${wanted.limit}`)
  },
  replace: (db, moves) => {
    const { ids, befores, afters } = split(moves)
    return db.query(sql`
      with free as (
        select e.merchant_id, e.env, m.after
        from unnest(${ids}::text[], ${befores}::text[], ${afters}::text[]) as m(id, before, after)
        join webhook_endpoints e on e.merchant_id = split_part(m.id, ' ', 1)::uuid
          and e.env = split_part(m.id, ' ', 2) and e.previous_secret = m.before
        for update of e skip locked
      )
      update webhook_endpoints e
      set previous_secret = f.after
      from free f
      where (e.merchant_id, e.env) = (f.merchant_id, f.env)
      returning e.merchant_id || ' ' || e.env as id`)
  },
}

/** All of them but `card_continuations`, whose rows live for 15 minutes. */
export const sealedColumns: readonly SealedColumn[] = [secret, previousSecret, account, party, callback]
