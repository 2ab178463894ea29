import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { type LivePayment, onLive } from '../../api/live.ts'
import { merchantApi } from '../../api/merchant-api.ts'
import type { Place } from '../../api/place.ts'
import { isUntil } from './filter-fields.ts'
import type { PaymentFilters } from './filters.ts'
import { type LoadedPayments, type Payment, paymentsKey, readPage } from './payments-query.ts'

const gatherMs = 150
const tintMs = 1000
/** Rows that are read whole when they change; of more at once, only stage and status follow. */
const readMax = 10
const none: ReadonlySet<string> = new Set()

export interface LiveRows {
  /** How many new payments wait to be shown. */
  readonly waiting: number
  /** Rows to be tinted. */
  readonly fresh: ReadonlySet<string>
  readonly showWaiting: () => void
}

/** Rows on the screen follow the stream in place. New ones wait, so that the list never jumps. */
export function useLiveRows(place: Place, filters: PaymentFilters, q: string): LiveRows {
  const queries = useQueryClient()
  const [waiting, setWaiting] = useState(none)
  const [fresh, setFresh] = useState(none)
  const key = paymentsKey(place, filters, q)
  const text = JSON.stringify(key)
  const latest = useRef({ place, filters, q, key })
  latest.current = { place, filters, q, key }
  // biome-ignore lint/correctness/useExhaustiveDependencies: what waits belongs to these filters.
  useEffect(() => setWaiting(none), [text])
  useEffect(() => {
    if (fresh.size === 0) return undefined
    const timer = setTimeout(() => setFresh(none), tintMs)
    return () => clearTimeout(timer)
  }, [fresh])
  useEffect(() => {
    const list = listOf(queries, () => latest.current)
    return gather(async (changes, isPoll) => {
      if (isPoll) return setWaiting(new Set(await list.unknownInFirstPage()))
      const changed = list.patch(changes)
      if (changed.size > 0) setFresh(changed)
      const added = list.newOf(changes)
      if (added.length > 0) setWaiting((before) => new Set([...before, ...added]))
      await list.readAgain(changed)
    })
  }, [queries])
  const showWaiting = () => {
    setWaiting(none)
    void listOf(queries, () => latest.current)
      .insertNew()
      .then(setFresh)
  }
  return { waiting: waiting.size, fresh, showWaiting }
}

type Work = (changes: ReadonlyMap<string, LivePayment>, isPoll: boolean) => Promise<void>

/** Changes that come together are one change of the list. */
function gather(work: Work): () => void {
  const changes = new Map<string, LivePayment>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let isPoll = false
  const leave = onLive((change) => {
    if (change.kind === 'payment') changes.set(change.payment.transactionId, change.payment)
    else isPoll = true
    timer ??= setTimeout(() => {
      const [some, polled] = [new Map(changes), isPoll]
      changes.clear()
      timer = undefined
      isPoll = false
      // Without a response the rows stay as they are; the next change tries again.
      work(some, polled).catch(() => undefined)
    }, gatherMs)
  })
  return () => {
    clearTimeout(timer)
    leave()
  }
}

interface Shown {
  readonly place: Place
  readonly filters: PaymentFilters
  readonly q: string
  readonly key: ReturnType<typeof paymentsKey>
}

function listOf(queries: QueryClient, shown: () => Shown) {
  const loaded = () => queries.getQueryData<LoadedPayments>(shown().key)
  const rows = () => loaded()?.pages.flatMap(({ data }) => data) ?? []
  const replace = (change: (row: Payment) => Payment) =>
    queries.setQueryData<LoadedPayments>(shown().key, (before) => before && mapRows(before, change))
  const first = () => readPage(shown().place, shown().filters, shown().q, {})

  return {
    /** Sets stage and status of the rows that changed, and returns which. */
    patch: (changes: ReadonlyMap<string, LivePayment>): ReadonlySet<string> => {
      const known = new Set(
        rows()
          .filter(({ transactionId, stage }) => {
            const change = changes.get(transactionId)
            return change !== undefined && change.stage !== stage
          })
          .map(({ transactionId }) => transactionId),
      )
      if (known.size > 0) replace((row) => (known.has(row.transactionId) ? patched(row, changes) : row))
      return known
    },
    newOf: (changes: ReadonlyMap<string, LivePayment>): string[] => {
      const { filters, q } = shown()
      if (q !== '' || filters.reference !== undefined || loaded() === undefined) return []
      const known = new Set(rows().map(({ transactionId }) => transactionId))
      const newest = rows()[0]?.transactionId ?? ''
      return [...changes.values()].flatMap((change) => {
        const isNew = !known.has(change.transactionId) && (change.transactionId > newest || hasState(filters))
        return isNew && selects(filters, change) ? [change.transactionId] : []
      })
    },
    /** Fee and receipt come with the end of a payment. */
    readAgain: async (ids: ReadonlySet<string>): Promise<void> => {
      const { place } = shown()
      for (const transactionId of [...ids].slice(0, readMax)) {
        const { data } = await merchantApi(place)('getTransactionsTransactionId', { path: { transactionId } })
        const { timeline: _, ...row } = data
        replace((before) => (before.transactionId === transactionId ? row : before))
      }
    },
    unknownInFirstPage: async (): Promise<string[]> => {
      const page = await first()
      const known = new Set(rows().map(({ transactionId }) => transactionId))
      const byId = new Map(page.data.map((row) => [row.transactionId, row]))
      replace((row) => byId.get(row.transactionId) ?? row)
      return [...byId.keys()].filter((id) => !known.has(id))
    },
    /** Puts what is new above what is there, or starts again when it is more than a page. */
    insertNew: async (): Promise<ReadonlySet<string>> => {
      const page = await first()
      const known = new Set(rows().map(({ transactionId }) => transactionId))
      const added = page.data.filter(({ transactionId }) => !known.has(transactionId))
      queries.setQueryData<LoadedPayments>(shown().key, (before) =>
        before && added.length < page.data.length
          ? { ...before, pages: before.pages.map((each, at) => (at === 0 ? withNew(each, added) : each)) }
          : { pages: [page], pageParams: [undefined] },
      )
      return new Set(added.map(({ transactionId }) => transactionId))
    },
  }
}

const withNew = <Page extends { readonly data: Payment[] }>(page: Page, added: readonly Payment[]): Page => ({
  ...page,
  data: [...added, ...page.data].sort((left, right) => (left.transactionId < right.transactionId ? 1 : -1)),
})

/** Pages without a change stay the same object, so that their rows are not drawn again. */
function mapRows(before: LoadedPayments, change: (row: Payment) => Payment): LoadedPayments {
  const pages = before.pages.map((page) => {
    const data = page.data.map(change)
    return data.every((row, at) => row === page.data[at]) ? page : { ...page, data }
  })
  return { ...before, pages }
}

function patched(row: Payment, changes: ReadonlyMap<string, LivePayment>): Payment {
  const change = changes.get(row.transactionId)
  return change ? { ...row, stage: change.stage, status: change.status } : row
}

/** A payment that is not new can come to be selected by where it is. */
const hasState = ({ status, stage }: PaymentFilters) => status !== undefined || stage !== undefined

/** Whether the filters select a payment, as far as the stream has what they look at. */
function selects(filters: PaymentFilters, payment: LivePayment): boolean {
  const { status, stage, minAmount, maxAmount, endDate } = filters
  return (
    (status === undefined || status === payment.status.toLowerCase()) &&
    (stage === undefined || stage === payment.stage) &&
    (['type', 'method', 'currency'] as const).every(
      (name) => filters[name] === undefined || filters[name] === payment[name],
    ) &&
    payment.amount >= (minAmount ?? 0) &&
    payment.amount <= (maxAmount ?? Number.POSITIVE_INFINITY) &&
    isUntil(endDate, payment.at)
  )
}
