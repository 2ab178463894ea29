import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { ReadableSpan } from '@opentelemetry/sdk-trace'
import { machineTime } from '../dev-stack/until.ts'
import { type OtlpReceiver, startOtlpReceiver } from '../testing/otlp-receiver.ts'
import { newTransactionId } from './ids.ts'
import { createLog } from './log.ts'
import { Secret } from './secret.ts'
import { countSpans, exportTraces } from './trace-export.ts'
import { duringStep, inStep, isTracing, openStep, recordBatch, recordPayment, recordRequest } from './traces.ts'
import { withoutWorkIds } from './work-ids.ts'

const nowhere = { name: 'lane payout', kind: 'consumer' as const, facts: {} }
const ids = (count: number) => Array.from({ length: count }, () => newTransactionId(Date.now(), 0))
const end = (id: string) => recordPayment(id, 'payout', new Date(), new Date(), {})

async function openExport(t: TestContext, share = 1) {
  const otlp = await startOtlpReceiver(t)
  return { otlp, ...(await exportTo(t, otlp, share)) }
}

async function exportTo(t: TestContext, { url }: Pick<OtlpReceiver, 'url'>, share = 1) {
  const lines: string[] = []
  const dropped = { count: 0 }
  const traces = await exportTraces({
    ...{ url, share, identity: { role: 'worker', cell: 7, version: '1.2.3' } },
    headers: new Secret('authorization=Bearer%20of-a-test,x-scope=1'),
    log: createLog({ level: 'debug', write: (line) => void lines.push(line) }),
    onDropped: (count) => {
      dropped.count += count
    },
  })
  t.after(() => traces.close())
  return { traces, dropped, lines }
}

test('a step of the same payment is below the running one, and a step of another below its own payment', async (t) => {
  const { otlp, traces } = await openExport(t)
  const [payment = '', other = ''] = ids(2)

  await inStep({ ...nowhere, name: 'outer', payment }, async () => {
    await inStep({ ...nowhere, name: 'inner', payment }, async () => undefined)
    await inStep({ ...nowhere, name: 'other', payment: other }, async () => undefined)
  })
  await traces.close()

  const of = (name: string) => otlp.spans.find((span) => span.name === name)
  const traceOf = (id: string) => id.replaceAll('-', '')
  assert.equal(of('outer')?.parentSpanId, traceOf(payment).slice(16))
  assert.equal(of('inner')?.parentSpanId, of('outer')?.spanId)
  assert.deepEqual([of('inner')?.traceId, of('other')?.traceId], [traceOf(payment), traceOf(other)])
  assert.equal(of('other')?.parentSpanId, traceOf(other).slice(16))
  assert.match(otlp.texts.join(), /POST \/v1\/traces .*"authorization":"Bearer of-a-test".*"x-scope":"1"/)
})

test('work that outlives a request never makes another payment that of the request', async (t) => {
  const { otlp, traces } = await openExport(t)
  const [written = '', other = ''] = ids(2)
  const request = openStep()

  await duringStep(request, async () => {
    await withoutWorkIds(() => inStep({ ...nowhere, name: 'other', payment: other }, async () => undefined))
    await inStep({ ...nowhere, name: 'own', payment: written }, async () => undefined)
  })
  recordRequest(request, 'POST /payout', {}, undefined)
  await traces.close()

  const traceOf = (name: string) => otlp.spans.find((span) => span.name === name)?.traceId
  assert.equal(traceOf('POST /payout'), written.replaceAll('-', ''))
  assert.equal(traceOf('other'), other.replaceAll('-', ''))
})

test('a step that fails has the kind of its error and never its message', async (t) => {
  const { otlp, traces } = await openExport(t)
  const [payment = ''] = ids(1)

  const failing = inStep({ ...nowhere, payment }, () => Promise.reject(new TypeError('card 4111111111111111')))
  await assert.rejects(failing, /card/)
  await traces.close()

  const [span] = otlp.spans
  assert.deepEqual([span?.hasFailed, span?.facts], [true, { 'error.type': 'TypeError' }])
  assert.doesNotMatch(otlp.texts.join(), /4111111111111111/)
})

test('every process records the same share of payments, by their ids', async (t) => {
  const payments = ids(2000)
  const recordedBy = async () => {
    const { otlp, traces } = await openExport(t, 0.25)
    payments.forEach(end)
    await traces.close()
    return otlp.spans.map(({ traceId }) => traceId).sort()
  }

  const [first, second] = [await recordedBy(), await recordedBy()]

  assert.deepEqual(first, second)
  assert.ok(first.length > 400 && first.length < 600, `${first.length} of 2000`)
})

test('a batch links to at most 64 of its payments, and every payment links to the batch', async (t) => {
  const { otlp, traces } = await openExport(t)
  const joined = ids(100).map((payment) => ({ payment, step: undefined, joinedMs: Date.now() }))

  recordBatch({ name: 'accept', startedMs: Date.now(), size: 100 }, joined)
  await traces.close()

  const [batches, items] = ['accept batch', 'accept'].map((name) => otlp.spans.filter((span) => span.name === name))
  const [batch] = batches ?? []
  assert.equal(batches?.length, 1)
  const itemIds = items?.map(({ traceId, spanId }) => ({ traceId, spanId })) ?? []
  assert.equal(itemIds.length, 100)
  assert.deepEqual(batch?.links, itemIds.slice(0, 64))
  for (const { links } of items ?? []) assert.deepEqual(links, [{ traceId: batch?.traceId, spanId: batch?.spanId }])
})

test('a receiver that hangs delays no step, and spans beyond the queue are dropped and counted', async (t) => {
  const { otlp, traces, dropped } = await openExport(t)
  otlp.reaction = 'hangs'

  ids(9000).forEach(end)

  assert.equal(dropped.count, 9000 - 8192)
  const startedAt = machineTime()
  await traces.close()
  const tookMs = machineTime() - startedAt
  assert.ok(tookMs < 4500, `closing took ${tookMs} ms`)
  assert.deepEqual(otlp.spans, [])
  assert.equal(dropped.count, 9000, 'all are lost')
})

test('an export without a result fails once after its time, and a late result changes nothing', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const lines: string[] = []
  const dropped: number[] = []
  const finishes: ((result: { code: number }) => void)[] = []
  const exporter = {
    export: (_: unknown, done: (typeof finishes)[number]) => void finishes.push(done),
    shutdown: async () => {},
  }
  const log = createLog({ level: 'debug', write: (line) => void lines.push(line) })
  const counted = countSpans(exporter, { log, onDropped: (count) => void dropped.push(count) })
  const results: number[] = []
  const span = {} as ReadableSpan
  const exportTwo = () => {
    counted.takesOne()
    counted.takesOne()
    counted.export([span, span], ({ code }) => void results.push(code))
  }

  exportTwo()
  t.mock.timers.tick(9999)
  assert.deepEqual([results, dropped], [[], []])
  t.mock.timers.tick(1)
  assert.deepEqual([results, dropped], [[1], [2]])
  assert.match(lines.join(), /traces not exported/)
  finishes[0]?.({ code: 0 })
  exportTwo()
  finishes[1]?.({ code: 0 })
  t.mock.timers.tick(20_000)

  assert.deepEqual([results, dropped, lines.length], [[1, 0], [2], 1])
})

test('spans that the receiver refuses are counted, and the log names no header', async (t) => {
  const { otlp, traces, dropped, lines } = await openExport(t)
  otlp.reaction = 'refuses'

  ids(3).forEach(end)
  await traces.close()

  assert.equal(dropped.count, 3)
  assert.match(lines.join(), /traces not exported/)
  assert.doesNotMatch(lines.join(), /of-a-test/)
})

test('a receiver that does not exist fails no step', async (t) => {
  const { traces, dropped } = await exportTo(t, { url: 'http://127.0.0.1:1' })
  const [payment = ''] = ids(1)

  assert.equal(await inStep({ ...nowhere, payment }, async () => 'done'), 'done')
  await traces.close()

  assert.equal(isTracing(), false)
  assert.equal(dropped.count, 1)
})

test('without a receiver a step runs and records nothing', async () => {
  const [payment = ''] = ids(1)

  assert.equal(isTracing(), false)
  assert.equal(await inStep({ ...nowhere, payment }, async () => 'done'), 'done')
})
