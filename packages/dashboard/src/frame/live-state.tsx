import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { followPayments, noteRead, onLive, useLiveState } from '../api/live.ts'
import type { Place } from '../api/place.ts'
import { meQuery } from '../session.ts'
import { timeText } from '../ui/time-text.ts'
import { zoneChoice, zoneName } from '../ui/zone.ts'

/** Lists and sums that a payment changes. Each page reads them again; the list of payments follows by itself. */
const changed: ReadonlySet<unknown> = new Set([
  'summary',
  'user',
  'latest-payments',
  'doubts',
  'approvals',
  'approvals-count',
])
const gatherMs = 400

/** Whether what is on the screen is current, and since when it is not. It holds the one stream of this window. */
export function LiveState({ merchantId, env }: Place) {
  const queries = useQueryClient()
  useEffect(() => followPayments({ merchantId, env }), [merchantId, env])
  useEffect(() => refresh(queries, merchantId), [queries, merchantId])
  const { status, at } = useLiveState()
  const zone = zoneName(zoneChoice.use())
  const age = useAge(at)
  const isLive = status === 'live'
  const since = at === undefined ? '' : timeText(new Date(at), zone)
  return (
    <span
      className={`flex items-center gap-1.5 text-xs whitespace-nowrap ${isLive ? 'text-ink-2' : 'text-warn'}`}
      data-live={status}
      title={isLive ? `The last change came at ${since}` : undefined}
    >
      <span className={`size-2 rounded-full ${isLive ? 'bg-ok' : 'bg-warn'}`} />
      {isLive && (
        <>
          Up to date <span className="max-phone:hidden">· {age}</span>
        </>
      )}
      {status === 'connecting' && 'Connecting'}
      {status === 'reconnecting' && (
        <>
          Reconnecting…<span className="max-phone:hidden">{since && ` data from ${since}`}</span>
        </>
      )}
    </span>
  )
}

/** `2 s ago`, counted on. */
function useAge(at: number | undefined): string {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [])
  const seconds = Math.max(0, Math.round((now - (at ?? now)) / 1000))
  if (seconds < 60) return `${seconds} s ago`
  return seconds < 3600 ? `${Math.floor(seconds / 60)} min ago` : `${Math.floor(seconds / 3600)} h ago`
}

/** Reads again what changes belong to: many that come together count as one. */
function refresh(queries: QueryClient, merchantId: string): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const ids = new Set<unknown>()
  const flush = async () => {
    timer = undefined
    const known = new Set(ids)
    ids.clear()
    await queries.invalidateQueries({
      predicate: ({ queryKey: [name, place, id] }) =>
        isOf(place, merchantId) && (name === 'payment' ? known.size === 0 || known.has(id) : changed.has(name)),
    })
  }
  const leave = onLive((change) => {
    if (change.kind === 'payment') ids.add(change.payment.transactionId)
    if (change.kind === 'poll') {
      void readPerson(queries)
      void flush().then(noteRead)
    } else timer ??= setTimeout(() => void flush(), gatherMs)
  })
  return () => {
    clearTimeout(timer)
    leave()
  }
}

/** Without a session this leads to the sign-in. Without a response the next poll asks again. */
const readPerson = (queries: QueryClient) => queries.fetchQuery({ ...meQuery, staleTime: 0 }).catch(() => undefined)

const isOf = (place: unknown, merchantId: string) => (place as Place | undefined)?.merchantId === merchantId
