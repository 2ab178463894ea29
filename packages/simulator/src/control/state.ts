import type { Tuning } from '../core.ts'
import { parseBase, parseRange } from '../settings.ts'
import { complain } from './complain.ts'
import { fieldsOf } from './fields.ts'
import type { ControlCall } from './routes.ts'

export function health({ core }: ControlCall) {
  const { books, clock, dialects } = core
  return {
    status: 200,
    body: {
      status: 'ok',
      now: new Date(clock.now()).toISOString(),
      payments: books.payments().length,
      movements: books.movements().length,
      dialects: [...dialects.keys()],
    },
  }
}

/** Clears payments, movements, floats, callbacks, faults and timers. The clock keeps its time. */
export function reset({ core }: ControlCall) {
  core.clock.clear()
  core.plans.clear()
  core.callbacks.clear()
  core.faults.clear()
  core.requests.clear()
  core.random.seed(core.tuning.seed)
  core.books.reset()
  return { status: 200, body: { status: 'reset' } }
}

export function readTuning({ core }: ControlCall) {
  const { callbackBase, settleMs, seed, publicUrl } = core.tuning
  const shown = settleMs.min === settleMs.max ? String(settleMs.min) : `${settleMs.min}-${settleMs.max}`
  return { status: 200, body: { callbackBase, settleMs: shown, seed, publicUrl } }
}

/** Changes only the fields sent: all of them, or none. */
export function setTuning(call: ControlCall) {
  const given = Object.entries(fieldsOf(call.json))
  const parsed = given.map(([name, value]) => [name, parsers[name]?.(value)] as const)
  const bad = parsed.find(([, value]) => value === undefined)
  if (bad) return complain(400, `${bad[0]} is unknown or has an invalid value.`)
  const { tuning, random } = call.core
  Object.assign(tuning, Object.fromEntries(parsed))
  if (given.some(([name]) => name === 'seed')) random.seed(tuning.seed)
  return readTuning(call)
}

const parsers: Readonly<Record<string, (value: unknown) => Tuning[keyof Tuning] | undefined>> = {
  callbackBase: (value) => parseBase(String(value)),
  publicUrl: (value) => parseBase(String(value)),
  settleMs: (value) => parseRange(String(value)),
  seed: (value) => (typeof value === 'number' && Number.isInteger(value) ? value : undefined),
}

/** Every due timer has run when this responds. Callbacks have been sent but may not have a response yet. */
export function advanceClock({ core, journal, json }: ControlCall) {
  const { ms } = fieldsOf(json)
  if (typeof ms !== 'number' || !Number.isInteger(ms) || ms < 0) return complain(400, 'ms must be a whole number.')
  const ran = core.clock.advance(ms)
  journal.append({ entry: 'clock', offset: core.clock.offset() })
  return { status: 200, body: { now: new Date(core.clock.now()).toISOString(), ran } }
}

export function readFloats({ core }: ControlCall) {
  return { status: 200, body: { items: core.books.floats.list() } }
}

export function setFloat({ core, json }: ControlCall) {
  const { provider, country, currency, amount } = fieldsOf(json)
  const texts = [provider, country, currency, amount]
  if (!texts.every((text) => typeof text === 'string') || !/^\d{1,18}(\.\d{1,4})?$/.test(String(amount)))
    return complain(400, 'provider, country, currency and amount must be strings, and amount a decimal.')
  if (!core.dialects.has(String(provider))) return complain(400, `${String(provider)} is not a configured provider.`)
  const purse = { provider: String(provider), country: String(country), currency: String(currency) }
  core.books.setFloat(purse, String(amount))
  return { status: 200, body: { provider, country, currency, amount } }
}
