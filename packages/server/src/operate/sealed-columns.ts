import { accountNumberContext, accountNumberPurpose } from '../external-accounts/store.ts'
import { webhookSecretContext } from '../merchants/webhook-secret.ts'
import { type Counterparty, counterpartyContext } from '../payments/model/counterparty.ts'
import { numberHashes, searchableNumber } from '../payments/model/lookups.ts'
import { callbackContext } from '../payments/resolve/callback-log.ts'
import { passwordContext, totpContext } from '../people/password-sign-in.ts'
import { type Db, type Environment, sql } from '../platform/db.ts'
import type { Vault } from '../platform/seal.ts'
import { secretContext } from './proposal-secrets.ts'

export interface SealedRow {
  /** Its position in the order of its column. */
  readonly id: string
  /** The key that seals it. */
  readonly key: string
  /** The sealed value, if it is not sealed as the newest key does. */
  readonly sealed: string | null
}

export interface Move {
  readonly id: string
  readonly before: string
  readonly after: string
  /** The hashes beside the value under every key, the newest first; empty without one. */
  readonly hashes: readonly string[]
}

/** A column of sealed values, with reads and changes that are safe while other processes write. */
export interface SealedColumn {
  readonly name: string
  contextOf(id: string): string
  /** The hashes of the value under every key, the newest first, if one is stored beside it. */
  hashesOf?(vault: Vault, plain: string): string[]
  /** The rows after one, in order, under any key. The first page starts after the empty text. */
  page(db: Db, wanted: Wanted): Promise<SealedRow[]>
  /**
   * Changes the rows that have not changed since. Skips rows locked by others, so that it never waits while it holds locks
   * itself. Returns the changed rows.
   */
  replace(db: Db, moves: readonly Move[]): Promise<{ id: string }[]>
}

interface Wanted {
  readonly after: string
  readonly limit: number
  /** Matches values sealed as the newest key does. */
  readonly newest: string
}

const firstId = '00000000-0000-0000-0000-000000000000'
const idAfter = ({ after }: Wanted) => after || firstId
const split = (moves: readonly Move[]) => ({
  ids: moves.map(({ id }) => id),
  befores: moves.map(({ before }) => before),
  afters: moves.map(({ after }) => after),
})

const newestHash = ({ hashes }: Move) => hashes[0] ?? null

/** The number's hash in `payment_lookups` moves with it, so that no key is needed for one and not for the other. */
const counterparty: SealedColumn = {
  name: 'transactions.counterparty',
  contextOf: counterpartyContext,
  hashesOf: (vault, plain) => {
    const number = searchableNumber(JSON.parse(plain) as Counterparty)
    return number === undefined ? [] : numberHashes(vault, number).map(String)
  },
  page: (db, wanted) =>
    db.query(sql`
      select id, split_part(counterparty, '.', 1) as key, case when counterparty !~ ${wanted.newest} then counterparty end as sealed
      from transactions
      where id > ${idAfter(wanted)}
        and counterparty <> ''
      order by id
      limit ${wanted.limit}`),
  replace: (db, moves) => {
    const { ids, befores, afters } = split(moves)
    const old = moves.flatMap(({ id, hashes: [newest, ...older] }) =>
      older.filter((hash) => hash !== newest).map((hash) => ({ id, hash })),
    )
    return db.query(sql`
      with free as (
        select t.id, m.after, m.hash
        from unnest(${ids}::uuid[], ${befores}::text[], ${afters}::text[], ${moves.map(newestHash)}::bigint[])
          as m(id, before, after, hash)
        join transactions t on t.id = m.id and t.counterparty = m.before
        for update of t skip locked
      ), removed as (
        delete from payment_lookups l
        using unnest(${old.map(({ hash }) => hash)}::bigint[], ${old.map(({ id }) => id)}::uuid[]) as o(hash, id)
        join free f on f.id = o.id
        where (l.hash, l.transaction_id) = (o.hash, o.id)
      ), added as (
        insert into payment_lookups (hash, transaction_id)
        select hash, id
        from free
        where hash is not null
        on conflict do nothing
      )
      update transactions t
      set counterparty = f.after
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
  hashesOf: (vault, plain) => vault.hashes(plain, accountNumberPurpose),
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
    return db.query(sql`
      with free as (
        select a.id, m.after, m.hash
        from unnest(${ids}::uuid[], ${befores}::text[], ${afters}::text[], ${moves.map(newestHash)}::text[])
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

/** The text is `merchant environment`. */
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

const passwordHash: SealedColumn = {
  name: 'people.password_hash',
  contextOf: passwordContext,
  page: (db, wanted) =>
    db.query(sql`
      select id, split_part(password_hash, '.', 1) as key,
        case when password_hash !~ ${wanted.newest} then password_hash end as sealed
      from people
      where id > ${idAfter(wanted)}
        and password_hash is not null
      order by id
      limit ${wanted.limit}`),
  replace: (db, moves) => {
    const { ids, befores, afters } = split(moves)
    return db.query(sql`
      with free as (
        select p.id, m.after
        from unnest(${ids}::uuid[], ${befores}::text[], ${afters}::text[]) as m(id, before, after)
        join people p on p.id = m.id and p.password_hash = m.before
        for update of p skip locked
      )
      update people p
      set password_hash = f.after
      from free f
      where p.id = f.id
      returning p.id`)
  },
}

const totpSecret: SealedColumn = {
  name: 'people.totp_secret',
  contextOf: totpContext,
  page: (db, wanted) =>
    db.query(sql`
      select id, split_part(totp_secret, '.', 1) as key,
        case when totp_secret !~ ${wanted.newest} then totp_secret end as sealed
      from people
      where id > ${idAfter(wanted)}
        and totp_secret is not null
      order by id
      limit ${wanted.limit}`),
  replace: (db, moves) => {
    const { ids, befores, afters } = split(moves)
    return db.query(sql`
      with free as (
        select p.id, m.after
        from unnest(${ids}::uuid[], ${befores}::text[], ${afters}::text[]) as m(id, before, after)
        join people p on p.id = m.id and p.totp_secret = m.before
        for update of p skip locked
      )
      update people p
      set totp_secret = f.after
      from free f
      where p.id = f.id
      returning p.id`)
  },
}

/** A key or link that the maker of a proposal has not collected. */
const proposalSecret: SealedColumn = {
  name: 'proposals.sealed_secret',
  contextOf: secretContext,
  page: (db, wanted) =>
    db.query(sql`
      select id, split_part(sealed_secret, '.', 1) as key,
        case when sealed_secret !~ ${wanted.newest} then sealed_secret end as sealed
      from proposals
      where id > ${idAfter(wanted)}
        and sealed_secret is not null
      order by id
      limit ${wanted.limit}`),
  replace: (db, moves) => {
    const { ids, befores, afters } = split(moves)
    return db.query(sql`
      with free as (
        select p.id, m.after
        from unnest(${ids}::uuid[], ${befores}::text[], ${afters}::text[]) as m(id, before, after)
        join proposals p on p.id = m.id and p.sealed_secret = m.before
        for update of p skip locked
      )
      update proposals p
      set sealed_secret = f.after
      from free f
      where p.id = f.id
      returning p.id`)
  },
}

/** All but `card_continuations`, `challenges` and `quotes`, whose rows live for minutes or two hours. */
export const sealedColumns: readonly SealedColumn[] = [
  ...[secret, previousSecret, account, counterparty, callback],
  ...[passwordHash, totpSecret, proposalSecret],
]
