import { accountNumberContext, accountNumberPurpose } from '../external-accounts/store.ts'
import { type Counterparty, counterpartyContext, nameOf } from '../payments/model/counterparty.ts'
import { nameHashes, numberHashes, searchableNumber } from '../payments/model/lookups.ts'
import { nameStarts } from '../payments/model/name-words.ts'
import { callbackContext } from '../payments/resolve/callback-log.ts'
import { passwordContext, totpContext } from '../people/password-sign-in.ts'
import { sql } from '../platform/db.ts'
import { secretContext } from './proposal-secrets.ts'
import { idAfter, type Move, type SealedColumn, split } from './sealed-column.ts'
import { webhookSecrets } from './sealed-webhook-secrets.ts'

const newestHash = ({ hashes }: Move) => hashes[0]?.[0] ?? null

/**
 * The hashes in `payment_lookups` and `merchant_lookups` move with it, so that no key is needed for one and not for the other. The
 * first are of the number, which staff find payments by too.
 */
const counterparty: SealedColumn = {
  name: 'transactions.counterparty',
  contextOf: counterpartyContext,
  hashesOf: (vault, plain) => {
    const opened = JSON.parse(plain) as Counterparty
    const number = searchableNumber(opened)
    const names = nameStarts(nameOf(opened)).map((start) => nameHashes(vault, start))
    return [number === undefined ? [] : numberHashes(vault, number), ...names].map((hashes) => hashes.map(String))
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
    const parts = moves.flatMap(({ id, hashes }) => hashes.map(([newest, ...older]) => ({ id, newest, older })))
    const old = parts.flatMap(({ id, newest, older }) =>
      older.filter((hash) => hash !== newest).map((hash) => ({ id, hash })),
    )
    const fresh = parts.flatMap(({ id, newest }) => (newest === undefined ? [] : [{ id, hash: newest }]))
    return db.query(sql`
      with free as (
        select t.id, t.merchant_id, t.env, m.after, m.hash
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
      ), removed_own as (
        delete from merchant_lookups l
        using unnest(${old.map(({ hash }) => hash)}::bigint[], ${old.map(({ id }) => id)}::uuid[]) as o(hash, id)
        join free f on f.id = o.id
        where (l.merchant_id, l.env, l.hash, l.transaction_id) = (f.merchant_id, f.env, o.hash, o.id)
      ), added_own as (
        insert into merchant_lookups (merchant_id, env, hash, transaction_id)
        select f.merchant_id, f.env, n.hash, n.id
        from unnest(${fresh.map(({ hash }) => hash)}::bigint[], ${fresh.map(({ id }) => id)}::uuid[]) as n(hash, id)
        join free f on f.id = n.id
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
  hashesOf: (vault, plain) => [vault.hashes(plain, accountNumberPurpose)],
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
  ...webhookSecrets,
  ...[account, counterparty, callback],
  ...[passwordHash, totpSecret, proposalSecret],
]
