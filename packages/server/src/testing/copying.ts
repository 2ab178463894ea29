import assert from 'node:assert/strict'
import { openCounterparty, sealCounterparty } from '../payments/model/counterparty.ts'
import { readId } from '../platform/ids.ts'
import type { PayingMalipo } from './paying.ts'

/** Adds newer transactions that equal one but for their ids, and are found by the same values. Returns their ids. */
export async function copyTransaction(
  { ask, later, ctx }: PayingMalipo,
  shown: string,
  count: number,
): Promise<string[]> {
  await later(1)
  const id = readId('transaction', shown) ?? ''
  const [{ counterparty, start } = assert.fail()] = await ask<{ counterparty: string; start: string }>(
    'select counterparty, id_at(record_time()) as start from transactions where id = $1',
    [id],
  )
  const opened = openCounterparty(ctx.vault, { id, counterparty })
  const ids = Array.from({ length: count }, (_, n) => start.slice(0, 24) + String(n).padStart(12, '0'))
  const columns = await ask<{ name: string }>(
    `select column_name as name from information_schema.columns
     where table_name = 'transactions' and column_name not in ('id', 'counterparty')`,
  )
  const names = columns.map(({ name }) => name).join(', ')
  await ask(
    `insert into transactions (id, counterparty, ${names})
     select c.id, c.counterparty, ${names.replaceAll(/\w+/g, 't.$&')}
     from transactions t, unnest($2::uuid[], $3::text[]) as c(id, counterparty) where t.id = $1`,
    [id, ids, ids.map((each) => sealCounterparty(ctx.vault, each, opened))],
  )
  await ask(
    `insert into merchant_lookups
     select merchant_id, env, hash, c.id from merchant_lookups, unnest($2::uuid[]) as c(id) where transaction_id = $1`,
    [id, ids],
  )
  return ids
}
