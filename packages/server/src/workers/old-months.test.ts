import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type Db, sql, type WriteDb } from '../platform/db.ts'
import { openTransaction } from '../testing/open-transaction.ts'
import { payingMalipo, payOut } from '../testing/paying.ts'
import { readCell } from './cell-metrics.ts'
import { emptyMonth, oldMonths } from './old-months.ts'
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

test('a month that stays is not locked, so its readers do not delay the check', async (t) => {
  const { malipo } = await setUp(t)
  await malipo.later(125 * day)
  await openTransaction(t, 'select from webhook_records, callbacks')
  const { write } = malipo.ctx.db

  const months = await oldMonths(write, malipo.ctx.config)
  const outcomes = await Promise.all(months.map((month) => emptyMonth(write, month)))

  assert.deepEqual(outcomes, ['needed', 'needed'])
})

test('a record that is sent again between the checks keeps its month', async (t) => {
  const { malipo, deliver, left } = await setUp(t)
  await deliver()
  await malipo.later(125 * day)
  const sendAgain = () => malipo.ask('update webhook_records set next_attempt_at = now()')

  assert.equal(await emptyWebhookMonth(malipo.ctx, sendAgain), 'needed')

  assert.deepEqual(await left(), [1, 1])
})

test('a slow check under the lock is cancelled', async (t) => {
  const { malipo, deliver, left } = await setUp(t)
  await deliver()
  await malipo.later(125 * day)
  const delay = (tx: Db) => tx.query(sql`select pg_sleep(3)`)

  await assert.rejects(emptyWebhookMonth(malipo.ctx, undefined, delay), /statement timeout/)

  assert.deepEqual(await left(), [1, 1])
})

/** Empties the month of webhook records, with work before its lock and before the check under the lock. */
async function emptyWebhookMonth(
  { db, config }: Pick<Awaited<ReturnType<typeof payingMalipo>>['ctx'], 'db' | 'config'>,
  beforeLock: () => Promise<unknown> = async () => undefined,
  beforeRecheck: (tx: Db) => Promise<unknown> = async () => undefined,
) {
  const month = (await oldMonths(db.write, config)).find(({ parent }) => parent === 'webhook_records')
  assert(month)
  const slow: WriteDb = {
    ...db.write,
    transaction: async (work) => {
      await beforeLock()
      return db.write.transaction((tx) =>
        work({
          ...tx,
          query: async (query) => {
            if (/next_attempt_at/.test(query.text)) await beforeRecheck(tx)
            return tx.query(query)
          },
        }),
      )
    },
  }
  return emptyMonth(slow, month)
}

test('a month that fails is logged by its name and fails the run, and the others and old keys are removed', async (t) => {
  const { malipo, left, deliver, end } = await setUp(t)
  await deliver()
  await end()
  await malipo.ask(`
    insert into idempotency_keys (merchant_id, env, key, fingerprint, response, created_at)
    values ('01a1dcca-6078-7000-8e5b-057d3cc01da8', 'sandbox', 'old', '', '{}', now() - interval '31 days')`)
  await malipo.ask(`update leases set place = 0 where name = 'retention'`)
  await malipo.later(125 * day)
  const { write } = malipo.ctx.db
  let transactions = 0
  const failing: WriteDb = {
    ...write,
    transaction: (work) => {
      transactions += 1
      return transactions === 1 ? Promise.reject(new Error('invalid page')) : write.transaction(work)
    },
  }

  await assert.rejects(keepRetention({ ...malipo.ctx, db: { ...malipo.ctx.db, write: failing } }), AggregateError)

  assert.deepEqual(await left(), [1, 0])
  assert.deepEqual(await malipo.ask(`select from idempotency_keys where key = 'old'`), [])
  const line = malipo.log.find((each) => each.includes('retention step failed'))
  assert.match(line ?? '', /"what":"callbacks_\d{6}"/)
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
