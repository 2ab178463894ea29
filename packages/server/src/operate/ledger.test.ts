import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testMalipo } from '../testing/malipo.ts'

test('an ordinary check may read a month of unchecked transfers for longer than a request may take', async (t) => {
  const { ask, operator } = await testMalipo(t)
  await ask('create table limits (statement interval)')
  await ask(
    `create function note_limit() returns trigger security definer language plpgsql
     as $$ begin insert into limits values (current_setting('statement_timeout')::interval); return new; end $$`,
  )
  await ask('create trigger note_limit before update on ledger_checkpoints for each row execute function note_limit()')
  t.after(async () => {
    await ask('drop trigger note_limit on ledger_checkpoints')
    await ask('drop function note_limit')
    await ask('drop table limits')
  })

  await operator.ledger.check({ isFull: false })

  const [found] = await ask<{ is_long: boolean }>(`select min(statement) >= interval '1 hour' as is_long from limits`)
  assert.equal(found?.is_long, true)
})
