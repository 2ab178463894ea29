import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { until } from '../packages/server/src/dev-stack/until.ts'
import { cardBody, cards, codes } from '../packages/server/src/testing/charging.ts'
import { type OtlpReceiver, type SentSpan, startOtlpReceiver } from '../packages/server/src/testing/otlp-receiver.ts'
import { payoutBody } from '../packages/server/src/testing/payout-body.ts'
import { type Cell, type CellMerchant, openCell, type Role } from './support/cluster/cell.ts'
import { startOwnServers } from './support/cluster/own-servers.ts'
import { type SimulatorControl, startControlledSimulator } from './support/cluster/simulator-control.ts'
import { secretForms, secretValue } from './support/load/card-stories.ts'
import { press } from './support/load/sales.ts'
import { openReceiver } from './support/load/webhook-receiver.ts'
import { createSearch } from './support/oracles/search.ts'

const metricsToken = 'metrics-of-a-story'
const traceToken = 'traces-of-a-story'
/** Of the simulator's clock: a payment stays open until the test advances it. */
const settleMs = 60_000

interface Traced {
  readonly cell: Cell
  readonly simulator: SimulatorControl
  readonly otlp: OtlpReceiver
  readonly roles: Readonly<Record<'api' | 'callbacks' | 'worker', Role>>
  readonly merchant: CellMerchant
  post(path: string, body: object, headers?: Record<string, string>): Promise<Record<string, unknown>>
}

/** One api takes the merchant's requests, the other the provider's callbacks. */
async function openTraced(t: TestContext): Promise<Traced> {
  const servers = await startOwnServers(t)
  const simulator = await startControlledSimulator(t, { SIMULATOR_SETTLE_MS: `${settleMs}-${settleMs}` })
  const otlp = await startOtlpReceiver(t)
  const cell = openCell(t, servers, {
    ...simulator.settings,
    MALIPO_LOG_LEVEL: 'debug',
    MALIPO_METRICS_TOKEN: metricsToken,
    MALIPO_WEBHOOK_RANGES: '127.0.0.0/8',
    OTEL_EXPORTER_OTLP_ENDPOINT: otlp.url,
    OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer%20${traceToken}`,
  })
  const [api, callbacks, worker] = await Promise.all([
    cell.start('api', 'api'),
    cell.start('api', 'callbacks'),
    cell.start('worker', 'worker'),
  ])
  await simulator.tune({ callbackBase: `${callbacks.url}/callbacks/sandbox` })
  const hooks = await openReceiver(t, () => ({ status: 200 }))
  const merchant = await cell.merchant()
  await merchant.call(api.url, 'PUT', '/users', { sandboxWebhookUrl: hooks.url })
  const post: Traced['post'] = async (path, body, headers) => {
    const reply = await merchant.call(api.url, 'POST', path, body, headers)
    assert.equal(reply.status, 200, JSON.stringify(reply.body))
    return reply.body
  }
  return { cell, simulator, otlp, roles: { api, callbacks, worker }, merchant, post }
}

interface Charge {
  readonly transactionId: string
  readonly nextAction: { readonly redirectUrl?: string }
}

const chargeCard = async ({ post }: Traced, card: string) =>
  (await post('/fiat/deposit/card', cardBody(card)))['data'] as Charge

const payOut = async ({ post }: Traced, headers?: Record<string, string>) =>
  String((await post('/fiat/payout', payoutBody(40), headers))['transactionId'])

test('payments of real processes are traced to a real receiver', { timeout: 300_000 }, async (t) => {
  const traced = await openTraced(t)
  await t.test('a payout is one trace, from its request over two other processes to its webhooks', (part) =>
    assertPayout(part, traced),
  )
  await t.test('a card charge is one trace, and the log line of its request names it', (part) =>
    assertCharge(part, traced),
  )
  await t.test('no span has a card, a name, a number, a reference or a secret', () => assertNothingPersonal(traced))
  await t.test('a process without a receiver never loads the SDK', () => assertNotLoaded(traced))
  await t.test('payments end and processes stop while a receiver hangs or refuses, and dropped spans are counted', () =>
    assertNotDelayed(traced),
  )
})

async function assertPayout(t: TestContext, traced: Traced): Promise<void> {
  const { roles, simulator } = traced
  const caller = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) }
  const id = await payOut(traced, { traceparent: `00-${caller.traceId}-${caller.spanId}-00` })
  await untilTraced(traced, id, 'lane payout', 1)
  await simulator.advance(settleMs)

  const spans = await endTraced(traced, id, 2)

  print(t, spans)
  assert.deepEqual(stepsOf(spans), [
    'payout',
    '  callback',
    '    resolve',
    '  lane payout',
    '    provider payout',
    '    resolve',
    '  POST /api/sandbox/b2b/fiat/payout',
    '    accept',
    '  webhook',
    '  webhook',
  ])
  assertBatchesLinked(traced, spans)
  const of = (name: string) => spans.find((span) => span.name === name)
  const request = of('POST /api/sandbox/b2b/fiat/payout')
  assert.deepEqual(request?.links, [caller])
  assert.deepEqual(
    [request?.pid, of('callback')?.pid, of('lane payout')?.pid, of('webhook')?.pid],
    [roles.api.pid, roles.callbacks.pid, roles.worker.pid, roles.worker.pid],
  )
  assert.deepEqual([of('payout')?.facts['malipo.outcome'], of('payout')?.hasFailed], ['successful', false])
}

async function assertCharge(t: TestContext, traced: Traced): Promise<void> {
  const { transactionId: id, nextAction } = await chargeCard(traced, cards.redirects)
  await untilTraced(traced, id, 'webhook', 2)
  await press(nextAction.redirectUrl ?? '', 'approve')

  const spans = await endTraced(traced, id, 3)

  print(t, spans)
  assert.deepEqual(stepsOf(spans), [
    'charge',
    '  callback',
    '    resolve',
    '  lane hint',
    '    provider query',
    '    resolve',
    '  POST /api/sandbox/b2b/fiat/deposit/card',
    '    accept',
    '    provider charge',
    '    resolve',
    '  webhook',
    '  webhook',
    '  webhook',
  ])
  assertBatchesLinked(traced, spans)
  const lines = traced.roles.api.log().split('\n')
  const line = lines.find((text) => text.includes('"responded"') && text.includes('/fiat/deposit/card'))
  const { traceId, transactionId, merchantId, requestId, role } = JSON.parse(line ?? '{}')
  assert.deepEqual({ traceId, transactionId, role }, { traceId: spans[0]?.traceId, transactionId: id, role: 'api' })
  const request = spans.find(({ name }) => name.startsWith('POST'))
  assert.equal(request?.facts['malipo.request_id'], requestId)
  assert.equal(request?.facts['malipo.merchant_id'], merchantId)
}

/** The provider repeats the card in its error. */
const cardEcho = {
  ...{ mode: 'http_status', status: 400, operation: 'charge', times: 1 },
  body: { status: 'error', message: `Card ${cards.asksPin} is declined`, data: { card_number: cards.asksPin } },
}

async function assertNothingPersonal(traced: Traced): Promise<void> {
  const { otlp, cell, roles, merchant, simulator } = traced
  const payout = await payOut(traced, { 'x-request-id': cards.succeeds })
  const { transactionId: charge } = await chargeCard(traced, cards.asksPin)
  const wrong = { type: 'pin', value: codes.wrongPin }
  const refused = await merchant.call(roles.api.url, 'POST', `/fiat/deposit/${charge}/authorise`, wrong)
  assert.equal(refused.status, 422)
  await simulator.fault(cardEcho)
  const { transactionId: failed } = await chargeCard(traced, cards.asksPin)
  await untilTraced(traced, payout, 'lane payout', 1)
  await untilTraced(traced, charge, 'provider authorise', 1)
  await untilTraced(traced, failed, 'provider charge', 1)

  const text = otlp.texts.join('\n')

  assert.match(text, /\[hidden\]/) // The request id that is a card number.
  assert.deepEqual(createSearch(secretForms).find(Buffer.from(text)), [])
  assert.doesNotMatch(text, secretValue)
  const rows = await cell.ask<{ reference: string }>('select external_reference as reference from transactions')
  const token = await merchant.authorization(roles.api.url)
  const known = ['254703456789', 'Amina', 'Otieno', 'example.com', token.split('.').at(-1) ?? token]
  for (const secret of [...known, ...rows.map(({ reference }) => reference)])
    assert.ok(!text.includes(secret), `a span has ${secret}`)
  assert.ok(rows.length > 2)
}

async function assertNotLoaded({ cell }: Traced): Promise<void> {
  const hook = `import { registerHooks } from 'node:module'
    registerHooks({ resolve: (name, context, next) => {
      if (/^@opentelemetry\\/(?!api$)/.test(name)) throw new Error('loaded ' + name)
      return next(name, context)
    } })`
  const NODE_OPTIONS = `--import=data:text/javascript;base64,${Buffer.from(hook).toString('base64')}`

  await cell.start('api', 'untraced', { NODE_OPTIONS, OTEL_EXPORTER_OTLP_ENDPOINT: '' })

  const main = join(import.meta.dirname, '../packages/server/src/main.ts')
  const env = { ...cell.variables, NODE_OPTIONS, MALIPO_PORT: '0' }
  const { status, stderr } = spawnSync(process.execPath, [main, 'api'], { env, encoding: 'utf8', timeout: 60_000 })
  assert.equal(status, 1)
  assert.match(stderr, /loaded @opentelemetry\//)
}

async function assertNotDelayed(traced: Traced): Promise<void> {
  const { otlp, cell, roles, simulator } = traced
  const droppedBy = async ({ url }: Role) => {
    const reply = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${metricsToken}` } })
    return Number(/^malipo_trace_spans_dropped_total (\d+)/m.exec(await reply.text())?.[1])
  }
  assert.equal(await droppedBy(roles.api), 0)
  for (const reaction of ['hangs', 'refuses'] as const) {
    otlp.reaction = reaction
    const before = await droppedBy(roles.api)

    const ids = await Promise.all(Array.from({ length: 20 }, () => payOut(traced)))

    await until('all payouts to end', async () => {
      await simulator.advance(settleMs)
      const open = `select from transactions where id = any($1::uuid[]) and state <> 'successful'`
      return (await cell.ask(open, [ids.map((id) => id.slice(4))])).length === 0
    })
    await until(`spans to be dropped when it ${reaction}`, async () => (await droppedBy(roles.api)) > before)
    assert.deepEqual(ids.flatMap(otlp.traceOf), [])
  }
  otlp.reaction = 'hangs'
  await payOut(traced)
  await Promise.all(Object.values(roles).map((role) => role.stop('SIGTERM')))
  assert.match(roles.api.log(), /"msg":"stopped"/)
}

/** Waits until a trace has this many spans of a name. */
const untilTraced = ({ otlp }: Traced, id: string, name: string, count: number) =>
  until(`${count} spans ${name} of ${id}`, () => otlp.traceOf(id).filter((span) => span.name === name).length >= count)

async function endTraced(traced: Traced, id: string, webhooks: number): Promise<SentSpan[]> {
  await untilTraced(traced, id, 'webhook', webhooks)
  const isWhole = () => traced.otlp.traceOf(id).some(({ parentSpanId }) => parentSpanId === undefined)
  await until(`the span of ${id} itself`, isWhole)
  return traced.otlp.traceOf(id)
}

/** One line for each span, below its parent. A span whose parent is missing has none. */
function treeOf(
  spans: readonly SentSpan[],
  line: (span: SentSpan) => string,
  compare: (one: SentSpan, other: SentSpan) => number,
): string[] {
  const below = (parent: string | undefined, depth: number): string[] =>
    spans
      .filter(({ parentSpanId }) => parentSpanId === parent)
      .toSorted(compare)
      .flatMap((span) => [`${'  '.repeat(depth)}${line(span)}`, ...below(span.spanId, depth + 1)])
  return below(undefined, 0)
}

/** Which of two independent steps comes first differs, and a payment that stays open for longer is polled. */
function stepsOf(spans: readonly SentSpan[]): string[] {
  const polls = new Set(spans.filter(({ name }) => name === 'lane poll').map(({ spanId }) => spanId))
  const isOfPoll = ({ spanId, parentSpanId = '' }: SentSpan) => polls.has(spanId) || polls.has(parentSpanId)
  return treeOf(
    spans.filter((span) => !isOfPoll(span)),
    ({ name }) => name,
    (one, other) => one.name.localeCompare(other.name),
  )
}

function print(t: TestContext, spans: readonly SentSpan[]): void {
  const from = Math.min(...spans.map(({ startMs }) => startMs))
  const line = ({ name, service, pid, startMs, endMs, facts, links }: SentSpan) => {
    const times = `+${(startMs - from).toFixed(1)} ms, ${(endMs - startMs).toFixed(1)} ms`
    const words = Object.entries(facts).map(([key, value]) => `${key.replace('malipo.', '')}=${value}`)
    return `${name} [${service} ${pid}] ${times}, ${links.length} links; ${words.join(' ')}`
  }
  for (const each of treeOf(spans, line, (one, other) => one.startMs - other.startMs)) t.diagnostic(each)
}

/** Every step that a batch wrote links to the batch, and the batch links back. */
function assertBatchesLinked({ otlp }: Traced, spans: readonly SentSpan[]): void {
  const written = spans.filter(({ name }) => name === 'accept' || name === 'resolve')
  assert.ok(written.length > 1)
  for (const { name, traceId, spanId, links } of written) {
    const batch = otlp.spans.find((span) => span.spanId === links[0]?.spanId && span.traceId === links[0]?.traceId)
    assert.equal(batch?.name, `${name} batch`)
    assert.deepEqual(batch.links, [{ traceId, spanId }])
  }
}
