import { hostname } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace'
import type { Log, LogIdentity } from './log.ts'
import type { Secret } from './secret.ts'
import { type Recorder, recordTraces, spanIds } from './traces.ts'

/** How long the receiver may take, how often spans are exported, and how long a process that stops waits for the last. */
const timeoutMs = 5000
const everyMs = 1000
const closeMs = 2000
const perExport = 512
/** In memory: about 2 KB each. */
const spansMax = 8192

interface TraceOptions {
  readonly url: string
  /** `name=value`, comma-separated, with values percent-encoded. */
  readonly headers: Secret | undefined
  readonly share: number
  readonly identity: LogIdentity
  readonly log: Log
  readonly onDropped: (count: number) => void
}

/**
 * Loads the SDK, which nothing else imports, and records traces from then on. Spans wait in a bounded queue: no payment waits for
 * the receiver.
 */
export async function exportTraces(options: TraceOptions): Promise<{ close(): Promise<void> }> {
  const [{ BatchSpanProcessor, TracerProvider }, { OTLPTraceExporter }, { resourceFromAttributes }] = await Promise.all(
    [
      import('@opentelemetry/sdk-trace'),
      import('@opentelemetry/exporter-trace-otlp-http'),
      import('@opentelemetry/resources'),
    ],
  )
  const { role, cell, version } = options.identity
  const counted = countSpans(
    new OTLPTraceExporter({
      url: `${options.url}/v1/traces`,
      headers: headersOf(options.headers),
      timeoutMillis: timeoutMs,
    }),
    options,
  )
  const processor = new BatchSpanProcessor({
    exporter: counted,
    maxQueueSize: spansMax,
    maxExportBatchSize: perExport,
    scheduledDelayMillis: everyMs,
    exportTimeoutMillis: 3 * timeoutMs, // The export's own timeout comes first.
  })
  const resource = resourceFromAttributes({
    'service.name': `malipo-${role}`,
    'service.version': version,
    'service.instance.id': `${hostname()}:${process.pid}`,
    'malipo.cell': cell,
  })
  const provider = new TracerProvider({ resource, idGenerator: spanIds, spanProcessors: [processor] })
  recordTraces({ tracer: provider.getTracer('malipo', version), share: options.share, takesOne: counted.takesOne })
  return {
    close: async () => {
      recordTraces(undefined)
      await Promise.race([provider.shutdown(), pause(closeMs)]).catch(() => undefined)
      counted.dropWaiting()
    },
  }
}

function headersOf(headers: Secret | undefined): Record<string, string> {
  const pairs = (headers?.reveal() ?? '').split(',').filter((pair) => pair !== '')
  return Object.fromEntries(
    pairs.map((pair) => {
      const [name = '', ...value] = pair.split('=')
      return [name, decodeURIComponent(value.join('='))]
    }),
  )
}

interface CountedExporter extends SpanExporter, Pick<Recorder, 'takesOne'> {
  /** Counts the spans that still wait as dropped: the process ends. */
  dropWaiting(): void
}

/** Counts the spans that wait or are being sent, and those that were not exported. */
export function countSpans(
  exporter: SpanExporter,
  { log, onDropped }: Pick<TraceOptions, 'log' | 'onDropped'>,
): CountedExporter {
  let waiting = 0
  /** A receiver that stays down is logged once. */
  let isFailing = false
  const drop = (dropped: number) => {
    onDropped(dropped)
    return false
  }
  return {
    takesOne: () => {
      if (waiting >= spansMax) return drop(1)
      waiting += 1
      return true
    },
    export: (spans: ReadableSpan[], done) =>
      exportInTime(exporter, spans, (result) => {
        const counted = Math.min(waiting, spans.length)
        waiting -= counted
        const hasFailed = result.code !== 0
        if (hasFailed) drop(counted)
        if (hasFailed && !isFailing) log.warn({ err: result.error, spans: spans.length }, 'traces not exported')
        isFailing = hasFailed
        done(result)
      }),
    dropWaiting: () => {
      if (waiting > 0) drop(waiting)
      waiting = 0
    },
    shutdown: () => exporter.shutdown(),
  }
}

/** The exporter's timeout starts again with every byte of the response. This one does not, and counts only the first result. */
function exportInTime(
  exporter: SpanExporter,
  spans: ReadableSpan[],
  done: Parameters<SpanExporter['export']>[1],
): void {
  let isDone = false
  const finish: typeof done = (result) => {
    clearTimeout(timer)
    if (!isDone) done(result)
    isDone = true
  }
  const error = new Error(`the receiver did not finish its response within ${2 * timeoutMs} ms`)
  const timer = setTimeout(() => finish({ code: 1, error }), 2 * timeoutMs).unref()
  exporter.export(spans, finish)
}
