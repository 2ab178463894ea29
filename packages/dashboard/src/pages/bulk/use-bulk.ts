import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { merchantApi } from '../../api/merchant-api.ts'
import type { Place } from '../../api/place.ts'
import type { Schemas } from '../../generated/merchant-api.ts'
import { amountFix, amountProblem, type BulkRow, type Column, payoutOf } from './bulk-file.ts'

type Problem = Schemas['PayoutProblem']

/** A row with what the server found. */
export interface CheckedRow {
  readonly row: BulkRow
  readonly item: Schemas['ValidatedItem'] | undefined
  readonly problems: readonly Problem[]
  readonly state: 'ready' | 'problem' | 'left-out' | 'unchecked'
}

interface BulkState {
  readonly rows: readonly BulkRow[]
  /** Grows with each change, so that an earlier check is never taken for this one. */
  readonly version: number
}

/** The rows of a file, changed in place and checked again by the server after each change. */
export function useBulk(place: Place, first: readonly BulkRow[]) {
  const [{ rows, version }, setState] = useState<BulkState>({ rows: first, version: 0 })
  const sent = useMemo(() => rows.filter(({ isLeftOut }) => !isLeftOut), [rows])
  const checked = useQuery({
    queryKey: ['bulk-validation', place, version, first],
    queryKeyHashFn: () => `bulk ${place.merchantId} ${place.env} ${version} ${idOf(first)}`,
    enabled: sent.length > 0,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const startedAt = performance.now()
      const body = { payouts: sent.map(payoutOf) }
      const { data } = await merchantApi(place)('postFiatPayoutsBulkValidate', { body, signal })
      const items = new Map(sent.map(({ number }, index) => [number, data.items[index]]))
      return { items, totals: data.totals, ms: performance.now() - startedAt }
    },
  })
  const all = useMemo(
    () => rows.map((row) => checkedRow(row, checked.data?.items.get(row.number))),
    [rows, checked.data],
  )
  const change = (number: number, next: (row: BulkRow) => BulkRow) =>
    setState((before) => ({
      rows: before.rows.map((row) => (row.number === number ? next(row) : row)),
      version: before.version + 1,
    }))
  return {
    rows: all,
    totals: sent.length === 0 ? [] : (checked.data?.totals ?? []),
    checkedInMs: checked.data?.ms,
    isChecking: checked.isFetching,
    error: checked.error,
    edit: (number: number, column: Column, value: string) =>
      change(number, (row) => ({ ...row, fields: { ...row.fields, [column]: value.trim() } })),
    leaveOut: (number: number, isLeftOut: boolean) => change(number, (row) => ({ ...row, isLeftOut })),
  }
}

export type Bulk = ReturnType<typeof useBulk>

const ids = new WeakMap<object, number>()
let files = 0

/** Hashing a thousand rows on each render would be slow: a file is known by its own number. */
function idOf(file: object): number {
  const known = ids.get(file)
  if (known !== undefined) return known
  files += 1
  ids.set(file, files)
  return files
}

function checkedRow(row: BulkRow, item: Schemas['ValidatedItem'] | undefined): CheckedRow {
  if (row.isLeftOut) return { row, item: undefined, problems: [], state: 'left-out' }
  const problem = amountProblem(row.fields.amount)
  const found = (item?.problems ?? []).filter(({ field }) => problem === undefined || field !== 'amount')
  const own: Problem[] =
    problem === undefined ? [] : [{ field: 'amount', errorCode: 'AMOUNT', message: problem, fix: amountFix }]
  const problems = [...own, ...found]
  if (problems.length > 0) return { row, item, problems, state: 'problem' }
  return { row, item, problems, state: item ? 'ready' : 'unchecked' }
}
