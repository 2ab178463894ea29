import { randomUUID } from 'node:crypto'
import type { Clock } from './clock.ts'
import type { CallbackAttempt } from './dialect.ts'
import type { PaymentRef, State } from './entries.ts'
import { type Post, startPost } from './post.ts'

/** The default retry rule: at once, then after these pauses, then every minute, for fifteen minutes in total. */
const pausesMs = [2_000, 10_000, 30_000, 60_000]
const pauseLastMs = 60_000
const givesUpAfterMs = 15 * 60_000
const inFlightMax = 64
/** A held callback is sent by itself after this time, so that it is late and not lost. */
const holdMaxMs = 30_000
const finishedMax = 20_000

export type CallbackStatus = 'waiting' | 'held' | 'sending' | 'delivered' | 'given_up' | 'dropped'

export interface Callback {
  readonly id: string
  readonly provider: string
  readonly operation: PaymentRef['operation']
  /** The payment of the callback. A fault may make the body name another. */
  readonly key: string
  readonly state: State
  /** The receipt that the callback reports, if any. */
  readonly receipt?: string
  readonly url: string
  readonly body: string
  readonly attempts: { readonly at: string; readonly status: number }[]
  status: CallbackStatus
}

export interface CallbackMessage extends PaymentRef {
  readonly state: State
  readonly receipt?: string
  readonly url: string
  readonly body: string
  readonly dueAt: number
  /** How many attempts carry an invalid signature. */
  readonly forgedAttempts: number
  /** Waits until another callback of this payment, or of this provider, is sent first. */
  readonly after?: 'payment' | 'provider'
}

interface Item {
  readonly callback: Callback
  readonly message: CallbackMessage
  firstAt: number | undefined
  /** The number of plans made for it. A timer of an older plan does nothing. */
  plan: number
  waiters: (() => void)[]
}

export interface CallbackDeps {
  readonly clock: Clock
  /** The host that callbacks name and sign. Empty: the host of their URL. */
  readonly host: string
  headers(provider: string, attempt: CallbackAttempt): Record<string, string>
  /** A provider's own pauses before each retry. Undefined: the default rule applies. */
  pauses(provider: string): readonly number[] | undefined
  delivered(callback: Callback): void
}

/** Every callback in progress, retried by the provider's rule on the simulator's clock. */
export class Callbacks {
  readonly #deps: CallbackDeps
  readonly #items = new Map<string, Item>()
  readonly #latest = new Map<string, Item>()
  readonly #held = new Map<string, Set<Item>>()
  readonly #ready: Item[] = []
  readonly #post: Post = startPost(inFlightMax)
  #inFlight = 0

  constructor(deps: CallbackDeps) {
    this.#deps = deps
  }

  send(message: CallbackMessage): Callback {
    const { provider, operation, key, state, receipt, url, body } = message
    const id = randomUUID()
    const about = { provider, operation, key, state, ...(receipt !== undefined && { receipt }) }
    const callback: Callback = { id, ...about, url, body, attempts: [], status: 'waiting' }
    const item: Item = { callback, message, firstAt: undefined, plan: 0, waiters: [] }
    this.#items.set(id, item)
    this.#latest.set(key, item)
    if (message.after) this.#hold(item, message.after)
    else this.#plan(item, message.dueAt)
    return callback
  }

  find(id: string): Callback | undefined {
    return this.#items.get(id)?.callback
  }

  list(): Callback[] {
    return [...this.#items.values()].map(({ callback }) => callback)
  }

  /** The newest callback about a payment. */
  latestOf(key: string): Callback | undefined {
    return this.#latest.get(key)?.callback
  }

  sendAgain({ id }: Callback): void {
    const item = this.#items.get(id)
    if (item === undefined) return
    item.firstAt = undefined
    this.#plan(item, this.#deps.clock.now())
  }

  drop({ id }: Callback): void {
    const item = this.#items.get(id)
    if (item) this.#finish(item, 'dropped')
  }

  /** Holds a callback until the provider has sent another one. */
  hold({ id }: Callback): void {
    const item = this.#items.get(id)
    if (item) this.#hold(item, 'provider')
  }

  /** Resolves when an attempt got a response or broke off, or after `timeoutMs` of real time. */
  attempted({ id }: Callback, timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, timeoutMs)
      this.#items.get(id)?.waiters.push(() => {
        clearTimeout(timer)
        resolve()
      })
    })
  }

  clear(): void {
    for (const each of [this.#items, this.#latest, this.#held]) each.clear()
    this.#ready.length = 0
  }

  /** Cuts off callbacks in flight. They are not planned again. */
  close(): void {
    this.clear()
    this.#post.close()
  }

  #plan(item: Item, dueAt: number): void {
    item.callback.status = 'waiting'
    const number = ++item.plan
    this.#deps.clock.at(dueAt, () => {
      if (item.plan !== number || item.callback.status !== 'waiting') return
      this.#ready.push(item)
      this.#pump()
    })
  }

  #pump(): void {
    while (this.#inFlight < inFlightMax) {
      const item = this.#ready.shift()
      if (item === undefined) return
      if (item.callback.status === 'waiting') void this.#attempt(item)
    }
  }

  async #attempt(item: Item): Promise<void> {
    const { callback, message } = item
    this.#inFlight++
    callback.status = 'sending'
    item.firstAt ??= this.#deps.clock.now()
    const at = new Date(this.#deps.clock.now()).toISOString()
    const url = new URL(callback.url)
    const isForged = callback.attempts.length < message.forgedAttempts
    const host = this.#deps.host || url.host
    const headers = this.#deps.headers(callback.provider, { url, host, body: callback.body, isForged })
    const status = await this.#post.send(url, { ...headers, host }, callback.body)
    this.#inFlight--
    callback.attempts.push({ at, status })
    this.#after(item, status)
    this.#pump()
  }

  #after(item: Item, status: number): void {
    for (const wake of item.waiters.splice(0)) wake()
    this.#releaseHeld(item)
    if (!this.#items.has(item.callback.id) || item.callback.status !== 'sending') return
    const next = status === 200 ? undefined : this.#nextAttemptAt(item)
    if (status === 200) this.#finish(item, 'delivered')
    else if (next === undefined) this.#finish(item, 'given_up')
    else this.#plan(item, next)
  }

  #nextAttemptAt({ callback, firstAt = 0 }: Item): number | undefined {
    const now = this.#deps.clock.now()
    const own = this.#deps.pauses(callback.provider)
    const pauseMs = (own ?? pausesMs)[callback.attempts.length - 1] ?? (own ? undefined : pauseLastMs)
    if (pauseMs === undefined) return undefined
    return own || now + pauseMs <= firstAt + givesUpAfterMs ? now + pauseMs : undefined
  }

  #finish(item: Item, status: CallbackStatus): void {
    item.callback.status = status
    if (status === 'delivered') this.#deps.delivered(item.callback)
    if (this.#items.size > finishedMax) this.#forgetOldest()
  }

  /** Callbacks end roughly in order of creation, so the oldest has nearly always ended. */
  #forgetOldest(): void {
    for (const [id, { callback }] of this.#items) {
      if (this.#items.size <= finishedMax || !isOver(callback.status)) return
      this.#items.delete(id)
      if (this.#latest.get(callback.key)?.callback.id === id) this.#latest.delete(callback.key)
    }
  }

  #hold(item: Item, after: 'payment' | 'provider'): void {
    const { provider, key } = item.callback
    const name = after === 'payment' ? `${provider}/${key}` : provider
    item.callback.status = 'held'
    const number = ++item.plan
    const waiting = this.#held.get(name) ?? new Set()
    this.#held.set(name, waiting.add(item))
    this.#deps.clock.at(this.#deps.clock.now() + holdMaxMs, () => {
      if (item.plan === number && item.callback.status === 'held') this.#plan(item, this.#deps.clock.now())
    })
  }

  #releaseHeld({ callback }: Item): void {
    if (this.#held.size === 0) return
    for (const name of [`${callback.provider}/${callback.key}`, callback.provider]) {
      const waiting = this.#held.get(name)
      this.#held.delete(name)
      for (const item of waiting ?? []) if (item.callback.status === 'held') this.#plan(item, this.#deps.clock.now())
    }
  }
}

export const isOver = (status: CallbackStatus) =>
  status === 'delivered' || status === 'given_up' || status === 'dropped'
