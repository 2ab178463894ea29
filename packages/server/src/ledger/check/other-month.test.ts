import assert from 'node:assert/strict'
import { test } from 'node:test'
import { movement, testLedger } from '../../testing/ledger.ts'
import { checkLedger } from './check.ts'

test('a full check finds a transfer that was put into the table of another month', async (t) => {
  const { db, ask, poster, account, ...ledger } = await testLedger(t)
  const [wallet = ''] = await ledger.wallets(1, 1000n)
  const line = movement({ kind: 'transfer', debit_account: await account('treasury'), credit_account: wallet })
  assert.equal(await poster.submit({ wallets: [wallet], movements: [line] }), undefined)
  const check = () => checkLedger(db.write, { isFull: true, sealLines: [] })
  await check()
  const [{ part, bounds, low, high } = assert.fail()] = await ask<Record<'part' | 'bounds' | 'low' | 'high', string>>(
    `select relname as part, pg_get_expr(relpartbound, oid) as bounds, id_at(month) as low, id_at(month + interval '1 month') as high
     from date_trunc('month', now() + interval '1 month', 'UTC') as month
     join pg_class on relname = month_of('transfers', (month at time zone 'UTC')::date)`,
  )
  /** PostgreSQL believes the constraint, so it attaches the table without reading it. */
  const withTable = async (change: string) => {
    await ask(`alter table transfers detach partition ${part}`)
    await ask(change)
    await ask(
      `alter table ${part} add constraint believed check (transaction_id is not null and transaction_id >= '${low}'
         and transaction_id < '${high}') not valid`,
    )
    await ask(`update pg_constraint set convalidated = true where conname = 'believed'`)
    await ask(`alter table transfers attach partition ${part} ${bounds}`)
    await ask(`alter table ${part} drop constraint believed`)
  }
  await withTable(
    `insert into ${part}
     select transaction_id, 77, phase, kind, event, debit_account, credit_account, 999, currency, wallet_id, entry_at + 1, balance + 999,
       batch, 99
     from transfers
     where wallet_id = '${wallet}'
     order by entry_at desc
     limit 1`,
  )
  const shown = await ask('select from transfers where wallet_id = $1 and amount = 999', [wallet])
  assert.equal(shown.length, 1, 'a statement reads it')

  await assert.rejects(check(), /transfers in place of the .* that were checked/)

  await withTable(`delete from ${part} where amount = 999`)
  await check()
})
