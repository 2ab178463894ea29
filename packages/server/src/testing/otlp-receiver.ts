import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'

/** A span as it was sent. */
export interface SentSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | undefined
  readonly name: string
  /** Of the process, such as malipo-api. */
  readonly service: string
  readonly pid: number
  readonly startMs: number
  readonly endMs: number
  readonly facts: Readonly<Record<string, string | number>>
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[]
  readonly hasFailed: boolean
}

/** A receiver of OTLP over HTTP, in JSON. It keeps everything. */
export interface OtlpReceiver {
  readonly url: string
  readonly spans: readonly SentSpan[]
  /** Bodies and headers, as sent. */
  readonly texts: readonly string[]
  /** What it does from now on. */
  reaction: 'takes' | 'refuses' | 'hangs'
  /** Spans of one payment. */
  traceOf(shownId: string): SentSpan[]
}

export async function startOtlpReceiver(t: Pick<TestContext, 'after'>): Promise<OtlpReceiver> {
  const [spans, texts]: [SentSpan[], string[]] = [[], []]
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray().catch(() => [])).toString()
    texts.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)} ${body}`)
    if (receiver.reaction === 'hangs') return
    if (receiver.reaction === 'refuses') return void response.writeHead(400).end()
    spans.push(...spansIn(body))
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const receiver: OtlpReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    texts,
    reaction: 'takes',
    traceOf: (shownId) => spans.filter(({ traceId }) => traceId === shownId.replace(/^txn_/, '')),
  }
  return receiver
}

interface OtlpSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: readonly OtlpAttribute[]
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[]
  readonly status?: { readonly code?: number }
}

interface OtlpAttribute {
  readonly key: string
  readonly value: { readonly stringValue?: string; readonly intValue?: number | string }
}

interface OtlpBody {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly OtlpAttribute[] }
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[]
  }[]
}

function spansIn(body: string): SentSpan[] {
  return (JSON.parse(body) as OtlpBody).resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const { 'service.name': service, 'service.instance.id': instance } = factsIn(resource.attributes)
    const sender = { service: String(service), pid: Number(String(instance).split(':').at(-1)) }
    return scopeSpans.flatMap((scope) => scope.spans.map((span) => ({ ...sender, ...sentSpan(span) })))
  })
}

function sentSpan(span: OtlpSpan): Omit<SentSpan, 'service' | 'pid'> {
  const { traceId, spanId, parentSpanId, name, startTimeUnixNano, endTimeUnixNano, attributes, links, status } = span
  return {
    ...{ traceId, spanId, name, parentSpanId: parentSpanId || undefined },
    startMs: Number(startTimeUnixNano) / 1e6,
    endMs: Number(endTimeUnixNano) / 1e6,
    facts: factsIn(attributes),
    links: (links ?? []).map((link) => ({ traceId: link.traceId, spanId: link.spanId })),
    hasFailed: status?.code === 2,
  }
}

const factsIn = (attributes: readonly OtlpAttribute[]) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue)]))
