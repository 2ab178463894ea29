import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { openTransaction } from '../testing/open-transaction.ts'
import { payingMalipo, payOut } from '../testing/paying.ts'
import { readCell } from './cell-metrics.ts'
import { oldMonths } from './old-months.ts'
import { keepRetention } from './retention-keeper.ts'

const day = 86_400

/** A payout with a webhook record, a callback that names it, and a clock that tests move. */
async function setUp(t: TestContext) {
  const malipo = await payingMalipo(t)
  const reset = () => malipo.ask(`update clock_offset set ahead = '0'`)
  t.after(reset)
  await reset()
  await malipo.ask('truncate callbacks, webhook_records, added_webhook_records, suspense_cases')
  const merchant = await malipo.merchant()
  await merchant.call('PUT', '/api/b2b/users', { sandboxWebhookUrl: 'http://127.0.0.1:9/hooks' })
  const { id, key } = await payOut(merchant)
  const transaction = `(select transaction_id from webhook_records limit 1)`
  await malipo.ask(
    `insert into callbacks (id, env, provider, received_at, outcome, reason, keys, transaction_id, body_bytes, content)
     values (id_at(now()), 'sandbox', 'house', now(), 'unknown_payment', '', array[$1], ${transaction}, 1, 'sealed')`,
    [key],
  )
  const count = async (table: string) => (await malipo.ask(`select from ${table}`)).length
  return {
    malipo,
    merchant,
    id,
    key,
    keep: () => keepRetention(malipo.ctx),
    left: async () => [await count('callbacks'), await count('webhook_records')],
    deliver: () => malipo.ask('update webhook_records set next_attempt_at = null'),
    end: () => malipo.ask(`update transactions set state = 'failed', failure = '{}' where state = 'accepted'`),
    overdue: async () => {
      const old = await oldMonths(malipo.ctx.db.write, malipo.ctx.config)
      return old.map(({ parent }) => parent).toSorted((left, right) => left.localeCompare(right))
    },
  }
}

test('a month that nothing needs is emptied after its time, and not before', async (t) => {
  const { malipo, keep, left, deliver, end } = await setUp(t)
  await deliver()
  await end()

  await malipo.later(90 * day)
  await keep()
  assert.deepEqual(await left(), [1, 1], 'the month of 90 days ago')
  await malipo.later(31 * day)
  await Promise.all([keep(), keep(), keep()])

  assert.deepEqual(await left(), [0, 0])
})

test('a month with a webhook to deliver or the callback of an open payment stays, and a metric counts it', async (t) => {
  const { malipo, keep, left, deliver, end, overdue } = await setUp(t)
  await malipo.later(125 * day)

  await keep()

  assert.deepEqual(await left(), [1, 1])
  assert.deepEqual(await overdue(), ['callbacks', 'webhook_records'])
  await readCell(malipo.ctx)
  const metrics = await malipo.ctx.metrics.scrape()
  assert.match(metrics, /malipo_retention_months_overdue\{[^}]*table="callbacks"[^}]*\} 1/)
  assert.match(metrics, /malipo_retention_months_overdue\{[^}]*table="added_webhook_records"[^}]*\} 0/)
  await deliver()
  await keep()
  assert.deepEqual(await left(), [1, 0])
  await end()
  await keep()
  assert.deepEqual(await left(), [0, 0])
  assert.deepEqual(await overdue(), [])
})

test('the callback of an unknown payment stays while its case is open', async (t) => {
  const { malipo, keep, left, deliver, end, key } = await setUp(t)
  await deliver()
  await end()
  await malipo.ask(
    `insert into suspense_cases (id, env, kind, provider, provider_key, country, currency, amount, opened_at, updated_at)
     values (id_at(now()), 'sandbox', 'unknown_payment', 'house', $1, 'KE', 'KES', 100, now(), now())`,
    [key],
  )
  await malipo.later(125 * day)

  await keep()
  assert.deepEqual(await left(), [1, 0])
  await malipo.ask(`update suspense_cases set closed_at = now(), outcome = 'credited'`)
  await keep()

  assert.deepEqual(await left(), [0, 0])
})

test('a long reader of a month delays only its emptying: payouts are accepted meanwhile', async (t) => {
  const { malipo, merchant, keep, left, deliver, end, overdue } = await setUp(t)
  await deliver()
  await end()
  await malipo.later(125 * day)
  const endReading = await openTransaction(t, 'select from webhook_records')

  const keeping = keep()
  for (let payouts = 0; payouts < 3; payouts += 1) await payOut(merchant)
  await keeping
  assert.deepEqual(await overdue(), ['webhook_records'])
  await endReading()
  await deliver()
  await keep()

  assert.deepEqual(await overdue(), [])
  assert.deepEqual(await left(), [0, 3], 'records of the current month stay')
})

test('no process can empty a month of another table, or one that ended less than 30 days ago', async (t) => {
  const { malipo } = await setUp(t)
  const parts = await malipo.ask<{ part: string }>(
    `select inhrelid::regclass::text as part
     from pg_inherits
     where inhparent in ('transfers'::regclass, 'transactions'::regclass, 'events'::regclass, 'webhook_records'::regclass)`,
  )
  assert.ok(parts.length >= 16)

  await malipo.ask(`update clock_offset set ahead = '29 days'`)
  for (const { part } of parts) {
    const query = { name: '', text: 'select empty_old_month($1::text::regclass)', values: [part] }
    await assert.rejects(malipo.ctx.db.write.query(query), /is not a month that may be emptied/, part)
  }
})
