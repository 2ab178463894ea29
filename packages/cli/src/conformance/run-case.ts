import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { webhooks } from '@malipo/sdk'
import type { Case, Step } from './cases.ts'
import { breakOff, type Delivery, post, type Reply, timeoutMs } from './post.ts'

export interface Receiver {
  readonly endpoint: string
  readonly secret: string
  /** Where the receiver returns what it holds for a payment, with `{reference}` in it. */
  readonly readUrl?: string | undefined
  readonly signal?: AbortSignal | undefined
}

/** The outcome of a case. `what` is empty if it passed. */
export interface CaseResult {
  readonly name: string
  readonly rule: string
  readonly isPassed: boolean
  readonly what: string
  readonly fix: string
  /** A remark on a passed case. */
  readonly note: string
  readonly durationMs: number
}

const attemptsMax = 3
const betweenMs = 250
const readForMs = 5000
const slowMs = 5000

/** What was wrong, and how to fix it if the case's own advice does not apply. */
interface Wrong {
  readonly what: string
  readonly fix?: string
}

export async function runCase(receiver: Receiver, { name, rule, steps, holds, fix }: Case): Promise<CaseResult> {
  const startedAt = performance.now()
  const notes: string[] = []
  const wrong = (await firstWrong(receiver, steps, notes)) ?? (await wrongHeld(receiver, holds))
  const durationMs = Math.round(performance.now() - startedAt)
  return wrong === undefined
    ? { name, rule, isPassed: true, what: '', fix: '', note: notes.join('; '), durationMs }
    : { name, rule, isPassed: false, fix, note: '', durationMs, ...wrong }
}

/** The outcome of a case that cannot run because the receiver stopped. */
export function skipped({ name, rule }: Case): CaseResult {
  const what = 'skipped: the receiver stopped'
  return { name, rule, isPassed: false, what, fix: '', note: '', durationMs: 0 }
}

async function firstWrong(receiver: Receiver, steps: readonly Step[], notes: string[]): Promise<Wrong | undefined> {
  for (const step of steps) {
    const wrong = await take(receiver, step, notes)
    if (wrong) return { ...wrong, what: `${step.what}: ${wrong.what}` }
  }
  return undefined
}

/** Delivers and retries as the service does, and returns what was wrong with the receiver's response. */
async function take(receiver: Receiver, step: Step, notes: string[]): Promise<Wrong | undefined> {
  if (step.brokenOff) await breakOff(receiver.endpoint, deliveryOf(receiver, step), step.brokenOff)
  const replies: Reply[] = []
  do {
    if (replies.length > 0) await pause(betweenMs)
    replies.push(await post(receiver.endpoint, deliveryOf(receiver, step), receiver.signal))
  } while (step.must === 'accept' && isTransient(replies.at(-1)) && replies.length < attemptsMax)
  const last = replies.at(-1)
  if (replies.length > 1) notes.push(`${step.what} took ${replies.length} attempts: ${replies.map(shown).join(', ')}`)
  else if (last && last.durationMs > slowMs) notes.push(`${step.what} took ${last.durationMs} ms`)
  if (last?.kind === 'broken' && last.code === 'ECONNREFUSED') return stopped
  const what = last && wrongWith(step.must, last)
  return what === undefined ? undefined : { what }
}

const stopped: Wrong = {
  what: 'the receiver stopped, because of this delivery or the one before',
  fix: 'Handle a connection that is cut while you read it, and a body you cannot read, without stopping.',
}

/** Whether a retry may succeed. */
function isTransient(reply: Reply | undefined): boolean {
  return reply?.kind === 'responded' ? reply.status >= 500 || reply.status === 429 : reply?.kind === 'broken'
}

function wrongWith(must: Step['must'], reply: Reply): string | undefined {
  if (reply.kind === 'silent')
    return `no response within ${timeoutMs / 1000} s, when Malipo gives up; respond first and do the work later`
  if (reply.kind === 'broken') return `the connection broke (${reply.code}) before a response`
  const { status } = reply
  if (status >= 300 && status < 400) return `response ${status} is a redirect, which Malipo does not follow`
  return must === 'accept' ? wrongAcceptance(status) : wrongRefusal(status)
}

const wrongAcceptance = (status: number) => (status >= 200 && status < 300 ? undefined : `expected 2xx, got ${status}`)

function wrongRefusal(status: number): string | undefined {
  if (status >= 400 && status < 500) return undefined
  if (status >= 500) return `expected 4xx, got ${status}: the receiver failed`
  return `expected 4xx, got ${status}: the event was accepted`
}

const shown = (reply: Reply) => (reply.kind === 'responded' ? String(reply.status) : reply.kind)

/** Every attempt is signed again, as the service does: same id and bytes, new time. */
function deliveryOf({ secret }: Receiver, step: Step): Delivery {
  const signed = JSON.stringify(step.body)
  const stranger = `whsec_${randomBytes(32).toString('base64')}`
  const secrets = { stranger: [stranger], rotated: [stranger, secret], own: [secret] }[step.signedBy ?? 'own']
  const at = new Date(Date.now() + (step.awaySeconds ?? 0) * 1000)
  const signature = webhooks.testHeaders(signed, secrets, { at })
  const headers = Object.entries(signature).filter(([name]) => name !== step.withoutHeader)
  return {
    headers: {
      'content-type': 'application/json',
      'user-agent': 'Malipo-Webhooks/1.0',
      ...Object.fromEntries(headers),
    },
    body: step.sentBody ? JSON.stringify(step.sentBody) : signed,
  }
}

/** Reads what the receiver holds. It may work after its response, so an expected status is polled for. */
async function wrongHeld({ readUrl, signal }: Receiver, holds: Case['holds']): Promise<Wrong | undefined> {
  if (readUrl === undefined || !holds) return undefined
  const url = readUrl.replaceAll('{reference}', encodeURIComponent(holds.reference))
  const deadline = performance.now() + readForMs
  for (;;) {
    const reply = await read(url)
    const isHeld = new RegExp(`\\b${holds.status}\\b`, 'i').test(reply)
    if (isHeld === holds.isTrue) return undefined
    if (!holds.isTrue) return { what: `the response was right, but ${url} says ${holds.status}: the event was stored` }
    if (performance.now() > deadline || signal?.aborted)
      return { what: `all events were accepted, but ${url} does not say ${holds.status} after ${readForMs / 1000} s` }
    await pause(betweenMs)
  }
}

const read = (url: string) =>
  fetch(url, { signal: AbortSignal.timeout(readForMs) }).then(
    (reply) => (reply.ok ? reply.text() : ''),
    () => '',
  )
