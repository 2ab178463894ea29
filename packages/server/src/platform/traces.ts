import { AsyncLocalStorage } from 'node:async_hooks'
import { type Link, ROOT_CONTEXT, SpanKind, SpanStatusCode, TraceFlags, type Tracer, trace } from '@opentelemetry/api'
import { AppError } from '../errors.ts'
import { traceIdOfPayment } from './ids.ts'
import { randomBytesFor } from './random.ts'

/** All that a span says: ids and words of closed sets, never what a person or a provider wrote. */
export type Facts = Readonly<
  Partial<
    Record<
      | 'http.request.method'
      | 'http.route'
      | 'malipo.request_id'
      | 'malipo.merchant_id'
      | 'malipo.env'
      | 'malipo.method'
      | 'malipo.provider'
      | 'malipo.operation'
      | 'malipo.todo'
      | 'malipo.outcome'
      | 'malipo.failure_code'
      | 'error.type',
      string
    > &
      Record<'http.response.status_code' | 'malipo.attempt' | 'malipo.batch_size', number>
  >
>

const kinds = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
} as const
type Kind = keyof typeof kinds

/** A part of the work of one payment in one process. Its span is recorded when it ends. */
export interface Step {
  readonly spanId: string
  readonly startedMs: number
  /** Of a request it is known when its work on a payment starts. */
  payment: string | undefined
}

interface SpanIds {
  readonly traceId: string
  readonly spanId: string
}

export interface Recorder {
  readonly tracer: Tracer
  /** The share of payments that have a trace, from 0 to 1. */
  readonly share: number
  /** False when the span has no place in the queue of the exporter; it is counted as dropped. */
  takesOne(): boolean
}

const linksMax = 64
/** A link's trace state is not used. */
const traceFlags = TraceFlags.SAMPLED

const steps = new AsyncLocalStorage<Step>()
let recorder: Recorder | undefined
let nextIds: SpanIds = { traceId: '', spanId: '' }

/** The tracer takes the ids of each span from here: traces of payments have known ids. */
export const spanIds = { generateTraceId: () => nextIds.traceId, generateSpanId: () => nextIds.spanId }

/** Before it is called, and in processes that never call it, steps cost a comparison and record nothing. */
export function recordTraces(wanted: Recorder | undefined): void {
  recorder = wanted
}

export const isTracing = () => recorder !== undefined

/** The same in every process: it depends only on the payment's id, whose bytes 9 to 14 are random. */
function isSampled(payment: string): boolean {
  if (!recorder) return false
  return Number.parseInt(traceIdOfPayment(payment).slice(18, 30), 16) < recorder.share * 2 ** 48
}

/** The span of the payment itself. Every process knows its id. */
const rootOf = (payment: string) => traceIdOfPayment(payment).slice(16)

interface StepOptions<Result> {
  readonly name: string
  readonly kind: Kind
  readonly payment: string | undefined
  readonly facts: Facts
  /** What the result adds; undefined when the step concerned no payment, and has no span. */
  readonly factsOf?: (result: Result) => Facts | undefined
}

/** Runs a step of a payment: below the step that runs it, if that is of the same payment, else below the payment. */
export async function inStep<Result>(options: StepOptions<Result>, work: () => Promise<Result>): Promise<Result> {
  const { name, kind, payment, facts, factsOf = () => ({}) } = options
  if (payment === undefined || !isSampled(payment)) return work()
  const step = { ...openStep(), payment }
  const span = { name, kind, ...idsIn(step, payment), parentId: parentOf(steps.getStore(), payment) }
  const record = (more: Facts, hasFailed: boolean) =>
    recordSpan({ ...span, startedMs: step.startedMs, facts: { ...facts, ...more }, hasFailed })
  try {
    const result = await steps.run(step, work)
    const more = factsOf(result)
    if (more) record(more, false)
    return result
  } catch (error) {
    record({ 'error.type': wordOf(error) }, true)
    throw error
  }
}

/** Never the message of an error, which may repeat a value. */
const wordOf = (error: unknown) => (error instanceof AppError ? error.key : (error as Error).name)

/** For a request, which learns later which payment it works on. */
export const openStep = (): Step => ({ spanId: newSpanId(), startedMs: nowMs(), payment: undefined })

export const duringStep = <Result>(step: Step, work: () => Result): Result => steps.run(step, work)

/** For work that outlives the step that started it, and serves other payments. */
export const outsideSteps = <Result>(work: () => Result): Result => (recorder ? steps.exit(work) : work())

/** What runs now, for work that a batch does later. */
export const currentStep = () => (recorder ? steps.getStore() : undefined)

/** Records a request that worked on a payment. `caller` is the caller's own trace: linked, never joined. */
export function recordRequest(step: Step, name: string, facts: Facts, caller: SpanIds | undefined): void {
  const { payment, startedMs } = step
  if (payment === undefined) return
  const links = caller ? [linkTo(caller)] : []
  const ids = { ...idsIn(step, payment), parentId: rootOf(payment) }
  const hasFailed = (facts['http.response.status_code'] ?? 0) >= 500
  recordSpan({ name, kind: 'server', ...ids, startedMs, facts, links, hasFailed })
}

/** Records a payment as a whole when it has ended. */
export function recordPayment(payment: string, name: string, from: Date, to: Date, facts: Facts): void {
  if (!isSampled(payment)) return
  const ids = { traceId: traceIdOfPayment(payment), spanId: rootOf(payment), parentId: undefined }
  recordSpan({ name, kind: 'internal', ...ids, startedMs: from.getTime(), endedMs: to.getTime(), facts })
}

/** An item of a batch that wrote a payment. */
export interface Joined {
  readonly payment: string
  readonly step: Step | undefined
  readonly joinedMs: number
}

interface WrittenBatch {
  readonly name: string
  readonly startedMs: number
  readonly size: number
}

/**
 * Records a batch in a trace of its own, and each item in the trace of its payment. They link to each other, because a batch has
 * many parents.
 */
export function recordBatch({ name, startedMs, size }: WrittenBatch, joined: readonly Joined[]): void {
  const sampled = joined.filter(({ payment }) => isSampled(payment))
  if (sampled.length === 0) return
  const batch = { traceId: randomBytesFor(16).toString('hex'), spanId: newSpanId() }
  const toBatch = [linkTo(batch)]
  const items = sampled.map(({ payment, step, joinedMs }) => {
    const ids = { traceId: traceIdOfPayment(payment), spanId: newSpanId(), parentId: parentOf(step, payment) }
    recordSpan({ name, kind: 'internal', ...ids, startedMs: joinedMs, facts: {}, links: toBatch })
    return ids
  })
  const links = items.slice(0, linksMax).map(linkTo)
  const facts = { 'malipo.batch_size': size }
  const ids = { ...batch, parentId: undefined }
  recordSpan({ name: `${name} batch`, kind: 'internal', ...ids, startedMs, facts, links })
}

/** A step without a payment is that of a request: the first payment that it works on is its payment. */
function parentOf(step: Step | undefined, payment: string): string {
  if (step && step.payment === undefined) step.payment = payment
  return step?.payment === payment ? step.spanId : rootOf(payment)
}

const idsIn = ({ spanId }: Step, payment: string): SpanIds => ({ traceId: traceIdOfPayment(payment), spanId })

const linkTo = ({ traceId, spanId }: SpanIds): Link => ({ context: { traceId, spanId, traceFlags } })

const newSpanId = () => randomBytesFor(8).toString('hex')

let offsetMs = performance.timeOrigin
const driftMaxMs = 100

/** The wall clock with fractions of a millisecond. It follows the clock when that is set, or when the machine was suspended. */
export function nowMs(): number {
  const driftMs = Date.now() - (offsetMs + performance.now())
  if (Math.abs(driftMs) > driftMaxMs) offsetMs += driftMs
  return offsetMs + performance.now()
}

interface RecordedSpan extends SpanIds {
  readonly parentId: string | undefined
  readonly name: string
  readonly kind: Kind
  readonly startedMs: number
  readonly endedMs?: number
  readonly facts: Facts
  readonly links?: Link[]
  readonly hasFailed?: boolean
}

function recordSpan(recorded: RecordedSpan): void {
  if (!recorder?.takesOne()) return
  const { traceId, spanId, parentId, name, kind, startedMs, endedMs = nowMs(), facts, links = [], hasFailed } = recorded
  nextIds = { traceId, spanId }
  const isRemote = true
  const parent =
    parentId === undefined
      ? ROOT_CONTEXT
      : trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId: parentId, traceFlags, isRemote })
  const span = recorder.tracer.startSpan(
    name,
    { kind: kinds[kind], startTime: startedMs, attributes: facts, links },
    parent,
  )
  if (hasFailed) span.setStatus({ code: SpanStatusCode.ERROR })
  span.end(endedMs)
}
