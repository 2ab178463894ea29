import { useSyncExternalStore } from 'react'
import { merchantRoot } from './merchant-api.ts'
import type { Place } from './place.ts'

/** A payment that is new or has changed, as the stream sends it: nothing about a person. */
export interface LivePayment {
  readonly transactionId: string
  readonly type: string
  readonly method: string
  readonly status: string
  readonly stage: string
  readonly amount: number
  readonly currency: string
  readonly at: string
}

/** What happened: one payment, or (without a stream) time to look for changes, and for the end of the session. */
export type LiveChange = { readonly kind: 'payment'; readonly payment: LivePayment } | { readonly kind: 'poll' }

interface LiveState {
  readonly status: 'connecting' | 'live' | 'reconnecting'
  /** When the last change came, or the stream was opened. */
  readonly at: number | undefined
}

const pollMs = 15_000

let state: LiveState = { status: 'connecting', at: undefined }
const watchers = new Set<() => void>()
const listeners = new Set<(change: LiveChange) => void>()

function become(next: Partial<LiveState>): void {
  state = { ...state, ...next }
  for (const watcher of watchers) watcher()
}

function emit(change: LiveChange): void {
  for (const listener of listeners) listener(change)
}

const watch = (watcher: () => void) => {
  watchers.add(watcher)
  return () => watchers.delete(watcher)
}

export const useLiveState = (): LiveState => useSyncExternalStore(watch, () => state)

export function onLive(listener: (change: LiveChange) => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** What is shown was read just now, although no stream is open. */
export const noteRead = (): void => become({ at: Date.now() })

/**
 * Follows the payments of a merchant by one stream of this window, until it is ended. A hidden window has none, and continues where
 * it was. Where no stream can be had, the listeners look for changes at once, because the person's access may have ended, and then
 * every 15 s.
 */
export function followPayments(place: Place): () => void {
  let source: EventSource | undefined
  let position = ''
  let poll: ReturnType<typeof setInterval> | undefined
  const stopPolling = () => {
    clearInterval(poll)
    poll = undefined
  }
  const close = () => {
    source?.close()
    source = undefined
  }
  const open = () => {
    close()
    source = new EventSource(`${merchantRoot(place)}/stream${position === '' ? '' : `?since=${position}`}`)
    source.addEventListener('position', ({ lastEventId }) => {
      position = lastEventId
      stopPolling()
      become({ status: 'live', at: Date.now() })
    })
    source.addEventListener('payment', ({ lastEventId, data }) => {
      position = lastEventId
      become({ status: 'live', at: Date.now() })
      emit({ kind: 'payment', payment: JSON.parse(String(data)) as LivePayment })
    })
    source.addEventListener('error', () => {
      become({ status: 'reconnecting' })
      if (source?.readyState !== EventSource.CLOSED || poll !== undefined) return
      poll = setInterval(look, pollMs)
      emit({ kind: 'poll' })
    })
  }
  const look = () => {
    emit({ kind: 'poll' })
    open()
  }
  const follow = () => {
    stopPolling()
    if (document.hidden) close()
    else open()
  }
  become({ status: 'connecting', at: undefined })
  follow()
  document.addEventListener('visibilitychange', follow)
  return () => {
    document.removeEventListener('visibilitychange', follow)
    stopPolling()
    close()
  }
}
