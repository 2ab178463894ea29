import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../dev-stack/until.ts'
import { approvePayout, rejectPayout } from '../payouts/approve.ts'
import { cellMetrics } from '../platform/cell-metric-table.ts'
import { recordCommand } from '../platform/command-results.ts'
import { readId } from '../platform/ids.ts'
import { type MetricEntry, metricTable } from '../platform/metric-table.ts'
import type { Malipo } from '../testing/malipo.ts'
import { makeApprover } from '../testing/members.ts'
import { payingMalipo } from '../testing/paying.ts'
import { payoutBody } from '../testing/payout-body.ts'
import { readCell, startCellMetrics } from '../workers/cell-metrics.ts'

const table: readonly MetricEntry[] = Object.values(metricTable)
const token = 'a-long-enough-token'
const settings = { MALIPO_METRICS_TOKEN: token }

async function scrape(malipo: Malipo): Promise<string> {
  const response = await fetch(`${malipo.url}/metrics`, { headers: { authorization: `Bearer ${token}` } })
  assert.equal(response.status, 200)
  return response.text()
}

/** The series of a metric: labels and value. */
const seriesOf = (text: string, name: string) =>
  text.split('\n').flatMap((line) => {
    const [, labels = '', value] = new RegExp(`^${name}(?:\\{(.*)\\})? (\\S+)$`).exec(line) ?? []
    return value === undefined ? [] : [`${labels} ${value}`.trim()]
  })

test('/metrics serves exactly the metrics of the table, and those of Node', async (t) => {
  const malipo = await payingMalipo(t, settings)
  await readCell(malipo.ctx)

  const lines = (await scrape(malipo)).split('\n')

  const served = lines.flatMap((line) => {
    const [, name = '', type = ''] = /^# TYPE (\S+) (\S+)$/.exec(line) ?? []
    return name === '' || /^(nodejs|process)_/.test(name) ? [] : [`${name} ${type}`]
  })
  assert.deepEqual(served.sort(), table.map(({ name, type }) => `${name} ${type}`).sort())
  for (const { name, help } of table) assert.ok(lines.includes(`# HELP ${name} ${help}`), name)
})

test('names follow the rules of Prometheus, and no label can be an id', () => {
  const allowed = [
    'role cell version route method status kind state at env batch reason table',
    'type provider code operation outcome result country currency pool task',
  ].flatMap((names) => names.split(' '))

  for (const { name, type, labels = [], help } of table) {
    assert.match(name, /^malipo_[a-z0-9_]+$/)
    assert.equal(name.endsWith('_total'), type === 'counter', name)
    assert.doesNotMatch(help, /\.$/)
    for (const label of labels) assert.ok(allowed.includes(label), `${name} has the label ${label}`)
  }
  assert.equal(new Set(table.map(({ name }) => name)).size, table.length)
})

test('a payment counts as created, open, sent and final, with its batches', async (t) => {
  const malipo = await payingMalipo(t, settings)
  const merchant = await malipo.merchant()
  const { body } = await merchant.call('POST', '/api/sandbox/b2b/fiat/payout', payoutBody(100))
  const id = String(body['transactionId'])
  await readCell(malipo.ctx)
  const before = await scrape(malipo)

  malipo.work()
  await malipo.comesTo(id, 'successful')
  await readCell(malipo.ctx)
  const after = await scrape(malipo)

  const payout = 'env="sandbox",type="withdrew",method="momo",provider="pawapay"'
  const open = 'env="sandbox",provider="pawapay",type="withdrew",state="accepted"'
  assert.deepEqual(seriesOf(before, 'malipo_payments_created_total'), [`${payout} 1`])
  assert.deepEqual(seriesOf(before, 'malipo_open_payments'), [`${open} 1`])
  assert.deepEqual(seriesOf(before, 'malipo_lane_due_payments'), ['env="sandbox",provider="pawapay" 1'])
  assert.deepEqual(seriesOf(before, 'malipo_payments_final_total'), [])
  assert.deepEqual(seriesOf(after, 'malipo_payments_final_total'), [`${payout},status="successful",code="" 1`])
  assert.deepEqual(seriesOf(after, 'malipo_payment_time_to_final_seconds_count'), [`${payout},status="successful" 1`])
  assert.deepEqual(seriesOf(after, 'malipo_open_payments'), [])
  assert.deepEqual(seriesOf(after, 'malipo_provider_request_duration_seconds_count').slice(0, 1), [
    'env="sandbox",provider="pawapay",operation="payout",outcome="accepted" 1',
  ])
  assert.deepEqual(seriesOf(after, 'malipo_batch_size_sum').slice(0, 1), ['batch="accept_sandbox" 1'])
  assert.deepEqual(seriesOf(after, 'malipo_lane_queue').length, 6 * 4)
  assert.deepEqual(seriesOf(after, 'malipo_float_spent_total'), [
    'env="sandbox",provider="pawapay",country="KE",currency="KES" 100',
  ])
})

test('one worker of the cell reports its state, and the next one takes over when it stops', async (t) => {
  const [first, second] = [await payingMalipo(t, settings), await payingMalipo(t, settings)]
  const read = async (malipo: Malipo) => seriesOf(await scrape(malipo), 'malipo_state_read_timestamp_seconds').length
  const [one, other] = [startCellMetrics(first.ctx), startCellMetrics(second.ctx)]
  t.after(() => Promise.all([one.stop(), other.stop()]))
  await until('one of them to read', async () => (await read(first)) + (await read(second)) > 0)
  const isFirst = (await read(first)) === 1
  const [holder, watch] = isFirst ? [first, one] : [second, other]
  const [heir, next] = isFirst ? [second, other] : [first, one]
  assert.equal(await read(heir), 0)

  await watch.stop()
  next.wake()

  await until('the other to read', async () => (await read(heir)) === 1)
  const left = await scrape(holder)
  for (const { name } of Object.values(cellMetrics)) assert.deepEqual(seriesOf(left, name), [], name)
})

test('without a database no state of the cell is reported, rather than an old one', async (t) => {
  const malipo = await payingMalipo(t, settings)
  const db = { ...malipo.ctx.db, write: { ...malipo.ctx.db.write } }
  const watch = startCellMetrics({ ...malipo.ctx, db })
  t.after(() => watch.stop())
  const read = async () => seriesOf(await scrape(malipo), 'malipo_ledger_unsealed_age_seconds').length
  await until('the state to be read', async () => (await read()) === 1)

  db.write.query = () => Promise.reject(Object.assign(new Error('the connection is lost'), { code: '08006' }))
  watch.wake()

  await until('the state to be gone', async () => (await read()) === 0)
})

test('a ledger check leaves its result in the metrics, and a failed backup is not a backup', async (t) => {
  const malipo = await payingMalipo(t, settings)
  const results = async () => {
    await readCell(malipo.ctx)
    const text = await scrape(malipo)
    return [
      'malipo_ledger_differences',
      'malipo_ledger_check_timestamp_seconds',
      'malipo_backup_timestamp_seconds',
    ].map((name) => seriesOf(text, name))
  }
  await malipo.ask('delete from command_results')
  assert.deepEqual(await results(), [[], [], []], 'before the first check')

  await malipo.operator.ledger.check({ isFull: false })
  const [good, checkedAt] = await results()
  await recordCommand(malipo.ctx.db.write, { name: 'backup', isGood: false, detail: 'disk full' })
  await recordCommand(malipo.ctx.db.write, { name: 'ledger_check', isGood: false, detail: 'a difference' })
  const [bad, , backupAt] = await results()

  assert.deepEqual([good, bad], [['0'], ['1']])
  assert.ok(Math.abs(Number(checkedAt?.[0]) - Date.now() / 1000) < 60)
  assert.deepEqual(backupAt, [], 'a failed backup is not a backup')
})

test('a difference that a full ledger check found stays until a full check is good', async (t) => {
  const malipo = await payingMalipo(t, settings)
  const differences = async () => {
    await readCell(malipo.ctx)
    return seriesOf(await scrape(malipo), 'malipo_ledger_differences')
  }
  await malipo.ask('delete from command_results')
  await malipo.operator.ledger.check({ isFull: true })
  assert.deepEqual(await differences(), ['0'])
  await recordCommand(malipo.ctx.db.write, { name: 'ledger_check_full', isGood: false, detail: 'a difference' })

  await malipo.operator.ledger.check({ isFull: false })
  assert.deepEqual(await differences(), ['1'], 'an ordinary check does not clear it')

  await malipo.operator.ledger.check({ isFull: true })
  assert.deepEqual(await differences(), ['0'])
})

test('endpoints that Malipo disabled are counted, those that their merchant disabled are not', async (t) => {
  const malipo = await payingMalipo(t, settings)
  const merchant = await malipo.merchant()
  const endpoint = { url: 'https://duka.example.com/hooks', isEnabled: true }
  assert.equal((await merchant.call('POST', '/api/sandbox/b2b/webhook-endpoints', endpoint)).status, 200)
  const disabled = async () => {
    await readCell(malipo.ctx)
    return seriesOf(await scrape(malipo), 'malipo_webhook_endpoints').find((each) =>
      each.includes('env="sandbox",state="disabled"'),
    )
  }
  await malipo.ask('update added_webhook_endpoints set disabled_at = now(), is_enabled = false')
  assert.equal(await disabled(), 'env="sandbox",state="disabled" 0')

  await malipo.ask('update added_webhook_endpoints set is_enabled = true')

  assert.equal(await disabled(), 'env="sandbox",state="disabled" 1')
})

test('webhooks that wait in the sandbox do not hide those of live', async (t) => {
  const malipo = await payingMalipo(t, settings)
  await malipo.ask('truncate webhook_records, added_webhook_records')
  await malipo.ask(`
    insert into webhook_records (id, merchant_id, env, transaction_id, event, body, created_at, next_attempt_at)
    select id_at(now() + n * interval '1 ms'), ('00000000-0000-7000-8000-00000000000' || case when n > 50001 then 2 else 1 end)::uuid,
      case when n > 50001 then 'live' else 'sandbox' end::environment, id_at(now()), 'x', '{}', now(), now()
    from generate_series(1, 50002) as n`)
  t.after(() => malipo.ask('truncate webhook_records'))

  await readCell(malipo.ctx)

  const waiting = seriesOf(await scrape(malipo), 'malipo_webhooks_waiting')
  assert.deepEqual(waiting.toSorted(), ['env="live" 1', 'env="sandbox" 50000'])
})

test('the time of a payout counts from its approval, and a rejected payout has none', async (t) => {
  const malipo = await payingMalipo(t, settings)
  t.after(() => malipo.ask(`update clock_offset set ahead = '0'`))
  const merchant = await malipo.merchant()
  const owner = { merchant_id: readId('merchant', merchant.id) ?? '', env: 'sandbox' } as const
  const rule = { env: 'sandbox', above: '50', currency: 'KES', reason: 'contract 17' } as const
  await malipo.operator.payoutControls.setApprovals(merchant.id, rule)
  const approver = { id: 'person_0193000000007000800000000000000a', name: 'Wanjiru' }
  await makeApprover(malipo.ask, owner, approver)
  const pay = async () =>
    String((await merchant.call('POST', '/api/sandbox/b2b/fiat/payout', payoutBody(100))).body['transactionId'])
  const [approved, rejected] = [await pay(), await pay()]
  await malipo.ask(`update clock_offset set ahead = '10 hours'`)

  await approvePayout(malipo.ctx, owner, { transactionId: approved, approver, reason: 'invoice 12' })
  await rejectPayout(malipo.ctx, owner, { transactionId: rejected, approver, reason: 'invoice 13' })
  malipo.work()
  await malipo.comesTo(approved, 'successful')

  const payout = 'env="sandbox",type="withdrew",method="momo",provider="pawapay",status="successful"'
  const text = await scrape(malipo)
  assert.deepEqual(seriesOf(text, 'malipo_payment_time_to_final_seconds_count'), [`${payout} 1`])
  const buckets = seriesOf(text, 'malipo_payment_time_to_final_seconds_bucket')
  assert.ok(buckets.includes(`le="300",${payout} 1`), buckets.join('\n'))
})

test('lines of a request and of its work name the request, its trace and its merchant', async (t) => {
  const malipo = await payingMalipo(t, settings)
  const merchant = await malipo.merchant()
  const trace = '4bf92f3577b34da6a3ce929d0e0e4736'
  const headers = { authorization: `Bearer ${await merchant.token()}`, traceparent: `00-${trace}-00f067aa0ba902b7-01` }
  malipo.ctx.routing.providersOf = () => {
    malipo.ctx.log.info('routed')
    return []
  }

  const response = await malipo.call('POST', '/api/sandbox/b2b/fiat/payout', headers, payoutBody(100))

  const lines = malipo.log.map((line) => JSON.parse(line) as Record<string, unknown>)
  const ids = { requestId: response.headers.get('x-request-id'), traceId: trace, merchantId: merchant.id }
  for (const msg of ['routed', 'refused']) {
    const line = lines.findLast((each) => each['msg'] === msg)
    assert.deepEqual(
      { requestId: line?.['requestId'], traceId: line?.['traceId'], merchantId: line?.['merchantId'] },
      ids,
      msg,
    )
  }
})
