import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { until } from '../packages/server/src/dev-stack/until.ts'
import { openCounterparty, sealCounterparty } from '../packages/server/src/payments/model/counterparty.ts'
import { firstIdAt, readId, showId } from '../packages/server/src/platform/ids.ts'
import { monthly } from '../packages/server/src/platform/partitions.ts'
import { openInbox } from '../packages/server/src/testing/inbox.ts'
import { type PayingMalipo, payingMalipo, payOut } from '../packages/server/src/testing/paying.ts'
import { walk } from '../packages/server/src/testing/searching.ts'
import { sweepEndpoints } from '../packages/server/src/webhooks/sweep.ts'
import { startDeliveries } from '../packages/server/src/workers/deliveries.ts'
import { olderMonths } from './support/load/older-months.ts'
import { watchLocks } from './support/partition-locks.ts'

/** Beside this month and the three that are attached ahead. */
const months = 36
/** The newest three months, and the three that are attached ahead. */
const newestMonths = 6
/** After this many runs a connection has settled on its plans. */
const runs = 8

/** These find payments of any age: the sweep of open payments, and the polls of the lanes, which find them by their timers. */
const findsPayments = (statement: string) => /as is_late from|from due_timers/.test(statement)

/**
 * A join with a list of rows locks every month: with the bounds of its months, a plan that was made while the month was empty would
 * read the month whole (payments-plans.test.ts).
 */
const joinsRows = (statement: string) => /from unnest\(/.test(statement)

let made: Promise<void> | undefined

async function oldMalipo(t: TestContext) {
  const malipo = await payingMalipo(t, { MALIPO_WEBHOOK_RANGES: '127.0.0.0/8' })
  made ??= makeMonths(malipo)
  await made
  return malipo
}

async function makeMonths({ ask }: PayingMalipo): Promise<void> {
  for (const parent of monthly) await ask(olderMonths(parent, months))
}

test('statements with ids in the life of a payment lock no more months when there are more', async (t) => {
  const malipo = await oldMalipo(t)
  const inbox = await openInbox()
  t.after(() => inbox.close())
  const merchant = await malipo.merchant()
  await merchant.call('PUT', '/api/b2b/users', { sandboxWebhookUrl: `${inbox.url}/hooks` })
  const watch = await watchLocks(t, malipo.ctx.db)
  malipo.work()
  const deliveries = startDeliveries(malipo.ctx)
  t.after(() => deliveries.stop())

  for (let run = 0; run < runs; run += 1) {
    if (run === 1) watch.writes.restart() // The first claim of an endpoint looks for older records.
    const { id } = await payOut(merchant)
    await malipo.comesTo(id, 'successful')
    await until('its webhooks to be delivered', () => {
      const bodies = inbox.received.map(({ body }) => body.toString())
      return bodies.some((body) => body.includes(id) && body.includes('"successful"'))
    })
  }

  const found = watch.writes
    .above(newestMonths)
    .filter(({ statement }) => !findsPayments(statement) && !joinsRows(statement))
  assert.deepEqual(found, [])
})

test('a webhook of years ago that is sent again is delivered, and claims then read the newest months again', async (t) => {
  const malipo = await oldMalipo(t)
  const inbox = await openInbox()
  t.after(() => inbox.close())
  const merchant = await malipo.merchant()
  await merchant.call('PUT', '/api/b2b/users', { sandboxWebhookUrl: `${inbox.url}/hooks` })
  const { id } = await payOut(merchant, { by: 'house' })
  const [old = ''] = await copyTo(malipo, id, [30])
  await malipo.ask(`update webhook_records set next_attempt_at = null where id = $1`, [readId('transaction', old)])
  const deliveries = startDeliveries(malipo.ctx)
  t.after(() => deliveries.stop())
  const startOfWaiting = async () => {
    const [row] = await malipo.ask<{ waiting_from: string }>(
      `select waiting_from from webhook_endpoints where merchant_id = $1 and env = 'sandbox'`,
      [readId('merchant', merchant.id)],
    )
    return row?.waiting_from ?? ''
  }
  const arrived = (count: number) => until('webhooks to arrive', () => inbox.received.length === count)
  const recent = firstIdAt(Date.now() - 62 * 86_400_000)
  await arrived(1)
  await until('claims to read the newest months', async () => (await startOfWaiting()) > recent)

  const shown = showId('webhook', readId('transaction', old) ?? '')
  const { status } = await merchant.call('POST', `/api/b2b/webhooks/${shown}/resend`)

  assert.equal(status, 200)
  await arrived(2)
  await payOut(merchant, { by: 'house' })
  await arrived(3)
  await until('claims to read the newest months again', async () => (await startOfWaiting()) > recent)
  // As the version before sends it again.
  await malipo.ask(`update webhook_records set next_attempt_at = record_time() where id = $1`, [
    readId('transaction', old),
  ])

  assert.equal(await sweepEndpoints(malipo.ctx.db.write), 1)

  await arrived(4)
})

test('reads by id and first pages of lists lock the newest months only', async (t) => {
  const malipo = await oldMalipo(t)
  const merchant = await malipo.merchant()
  await merchant.call('PUT', '/api/b2b/users', { sandboxWebhookUrl: 'http://127.0.0.1:9/hooks' })
  const { id } = await payOut(merchant)
  malipo.work()
  await malipo.comesTo(id, 'successful')
  const { id: open } = await payOut(merchant, { by: 'house' })
  const { body: listed } = await merchant.call('GET', '/api/b2b/webhooks')
  const [webhook] = listed['data'] as { id: string }[]
  const since = new Date(Date.now() - 7 * 86_400_000).toISOString().slice(0, 10)
  const watch = await watchLocks(t, malipo.ctx.db)
  await malipo.ask(`update webhook_records set status = 'FAILED'`)
  await malipo.ask(`update transactions set state = 'failed', failure = '{"code": "X"}' where id = $1`, [
    readId('transaction', open),
  ])
  await payOut(merchant, { by: 'house' })
  const { id: pending } = await payOut(merchant, { by: 'house' })

  for (const path of [
    `transactions/${id}`,
    'transactions?limit=1',
    'transactions?limit=1&type=payout&currency=KES',
    'transactions?limit=1&currency=KES',
    'transactions?limit=1&status=pending',
    'transactions?limit=1&status=failed',
    'transactions?limit=1&status=successful',
    `transactions?startDate=${since}`,
    `transactions?limit=1&transactionId=${pending}`,
    `webhooks/${webhook?.id}`,
    'webhooks?limit=1',
    'webhooks?limit=1&status=FAILED',
    `webhooks?startDate=${since}`,
    `webhooks?reference=${id}`,
    'search/transactions?limit=1',
    'search/transactions?limit=1&type=payout&currency=KES',
  ]) {
    watch.reads.restart()
    for (let run = 0; run < runs; run += 1) {
      const { status, body } = await merchant.call('GET', `/api/b2b/${path}`)
      assert.equal(status, 200, `${path}: ${JSON.stringify(body)}`)
    }
    assert.deepEqual(watch.reads.above(newestMonths), [], path)
  }
})

test('the feed and the statement lock every month of one table only', async (t) => {
  const malipo = await oldMalipo(t)
  const merchant = await malipo.merchant()
  malipo.work()
  const { id } = await payOut(merchant)
  await malipo.comesTo(id, 'successful')
  const watch = await watchLocks(t, malipo.ctx.db)

  for (const [path, table] of [
    ['events', 'events'],
    ['wallets/statement?currency=KES', 'transfers'],
  ] as const) {
    watch.reads.restart()
    for (let run = 0; run < runs; run += 1) {
      const { status, body } = await merchant.call('GET', `/api/b2b/${path}`)
      assert.equal(status, 200, `${path}: ${JSON.stringify(body)}`)
      assert.notDeepEqual(body['data'], [])
    }
    assert.deepEqual(
      watch.reads.above(newestMonths).map((each) => each.table),
      [table],
      path,
    )
  }
})

/** Copies of a payment and its webhook with the ids of these months ago. Returns the payments' ids, newest first. */
async function copyTo(malipo: PayingMalipo, shown: string, monthsAgo: readonly number[]): Promise<string[]> {
  const { ask, ctx } = malipo
  const id = readId('transaction', shown) ?? ''
  const [{ counterparty } = assert.fail()] = await ask<{ counterparty: string }>(
    'select counterparty from transactions where id = $1',
    [id],
  )
  const opened = openCounterparty(ctx.vault, { id, counterparty })
  const columnsOf = async (table: string) => {
    const rows = await ask<{ name: string }>(
      `select column_name as name from information_schema.columns
       where table_name = $1 and column_name not in ('id', 'counterparty', 'transaction_id')`,
      [table],
    )
    return rows.map(({ name }) => name).join(', ')
  }
  const [columns, stored] = [await columnsOf('transactions'), await columnsOf('webhook_records')]
  const copies: string[] = []
  for (const ago of monthsAgo) {
    const now = new Date()
    const at = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - ago, 10) + copies.length
    const copy = firstIdAt(at).slice(0, 14) + id.slice(14)
    await ask(
      `insert into transactions (id, counterparty, ${columns})
       select $2, $3, ${columns} from transactions where id = $1`,
      [id, copy, sealCounterparty(ctx.vault, copy, opened)],
    )
    await ask(
      `insert into webhook_records (id, transaction_id, ${stored})
       select $2, $2, ${stored} from webhook_records where transaction_id = $1 limit 1`,
      [id, copy],
    )
    copies.push(showId('transaction', copy))
  }
  return copies
}

const ages = [1, 2, 3, 4, 11, 12, 23, 35, 36]

test('a list continues into older months, whole and in order', async (t) => {
  const malipo = await oldMalipo(t)
  const merchant = await malipo.merchant()
  await merchant.call('PUT', '/api/b2b/users', { sandboxWebhookUrl: 'http://127.0.0.1:9/hooks' })
  const { id } = await payOut(merchant, { by: 'house' })
  const copies = await copyTo(malipo, id, ages)
  const all = [id, ...copies]
  const listed = async (path: string) => {
    const { status, headers, body } = await merchant.call('GET', `/api/b2b/${path}`)
    assert.equal(status, 200, JSON.stringify(body))
    assert.equal(headers.get('x-continue-after'), null)
    return body['data'] as Record<string, string>[]
  }
  const pagesOf = async (query: string, limit: number) => {
    const found: string[] = []
    for (;;) {
      const cursor = found.length === 0 ? '' : `&transactionId=${found.at(-1)}`
      const page = await listed(`transactions?limit=${limit}${query}${cursor}`)
      found.push(...page.map(({ transactionId = '' }) => transactionId))
      if (page.length < limit) return found
    }
  }
  const dayOf = (ago: number) => {
    const at = new Date()
    return new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() - ago, 10)).toISOString().slice(0, 10)
  }
  const queries = ['', '&status=pending', '&currency=KES', '&type=payout&currency=KES', '&type=payout&status=pending']

  for (const query of queries)
    for (const limit of [1, 4, 10]) assert.deepEqual(await pagesOf(query, limit), all, `${query} ${limit}`)
  for (const query of ['&status=failed', '&status=successful', '&currency=NGN', '&type=deposit&currency=KES'])
    assert.deepEqual(await pagesOf(query, 10), [], query)
  assert.deepEqual(await pagesOf(`&startDate=${dayOf(23)}&endDate=${dayOf(3)}`, 2), copies.slice(2, 7))
  assert.deepEqual(await pagesOf(`&endDate=${dayOf(12)}`, 2), copies.slice(5))
  const days = `startDate=${dayOf(36)}&endDate=${dayOf(4)}`
  for (const [query, count] of [
    ['limit=2', 2],
    ['limit=6', 6],
    [days, 6],
    [`${days}&status=CREATED`, 6],
    [`${days}&status=FAILED`, 0],
    ['status=CREATED', all.length],
    [`reference=${copies[8]}`, 1],
  ] as const)
    assert.equal((await listed(`webhooks?${query}`)).length, count, query)
  const ids = (await listed('webhooks')).map(({ id = '' }) => id)
  assert.equal(ids.length, all.length)
  assert.ok(ids.every((each, index) => index === 0 || each < (ids[index - 1] ?? '')))
  for (const webhook of ids) assert.equal((await merchant.call('GET', `/api/b2b/webhooks/${webhook}`)).status, 200)
  for (const each of all) {
    const { status, body } = await merchant.call('GET', `/api/b2b/transactions/${each}`)
    assert.deepEqual([status, (body['data'] as Record<string, unknown>)['transactionId']], [200, each])
  }
  assert.deepEqual(
    (await walk(merchant, { status: 'pending' }, 3)).map(({ transactionId }) => transactionId),
    all,
  )
})

test('a list of webhooks by status has none from behind the newest that it examines', async (t) => {
  const malipo = await oldMalipo(t)
  const merchant = await malipo.merchant()
  await merchant.call('PUT', '/api/b2b/users', { sandboxWebhookUrl: 'http://127.0.0.1:9/hooks' })
  const { id } = await payOut(merchant, { by: 'house' })
  const [old = ''] = await copyTo(malipo, id, [5])
  const created = async () => {
    const { body } = await merchant.call('GET', '/api/b2b/webhooks?status=CREATED')
    return (body['data'] as { data: { transactionId: string } }[]).map(({ data }) => data.transactionId)
  }
  assert.equal((await created()).length, 2)
  await malipo.ask(
    `insert into webhook_records
     select copy.*
     from webhook_records w, generate_series(1, 20000) n,
       lateral jsonb_populate_record(w, jsonb_build_object('status', 'SUCCESS',
         'id', left(id_at(w.created_at + interval '1 s')::text, 24) || lpad(to_hex(n), 12, '0'))) as copy
     where w.id = $1`,
    [readId('transaction', old)],
  )

  assert.deepEqual(await created(), [])
})

test('a scan over several months stops at its limit, and says where', async (t) => {
  const malipo = await oldMalipo(t)
  const merchant = await malipo.merchant()
  const { id } = await payOut(merchant, { by: 'house' })
  const [kept = '', older = ''] = await copyTo(malipo, id, [4, 5])
  const many = readId('transaction', kept) ?? ''
  await malipo.ask(
    `insert into transactions
     select copy.*
     from transactions t, generate_series(1, 19999) n,
       lateral jsonb_populate_record(t, jsonb_build_object('id', left(t.id::text, 24) || lpad(to_hex(n), 12, '0'))) as copy
     where t.id = $1`,
    [many],
  )

  const { status, headers, body } = await merchant.call('GET', '/api/b2b/transactions?currency=NGN')

  assert.deepEqual([status, body['data']], [200, []])
  const stoppedAt = headers.get('x-continue-after') ?? ''
  // This month's payment and all but two of the copies that are four months old.
  assert.equal(stoppedAt, showId('transaction', `${many.slice(0, 24)}000000000002`))
  const next = await merchant.call('GET', `/api/b2b/transactions?currency=NGN&transactionId=${stoppedAt}`)
  assert.equal(next.headers.get('x-continue-after'), null)
  const rest = await merchant.call(
    'GET',
    `/api/b2b/transactions?transactionId=${showId('transaction', `${many.slice(0, 24)}000000000001`)}`,
  )
  assert.deepEqual((rest.body['data'] as { transactionId: string }[])[0]?.transactionId, older)
})
