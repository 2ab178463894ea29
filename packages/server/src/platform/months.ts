import assert from 'node:assert/strict'
import { firstIdAt, lastId, timeOfId } from './ids.ts'

/**
 * The smallest id of a month, as part of a statement's text: PostgreSQL locks every partition of a plan that it keeps, so such a plan
 * must not have months that the statement does not need. It is made of a number, so no text from outside becomes part of a statement.
 */
export class MonthStart {
  readonly id: string

  /** The months since 1970. */
  constructor(month: number) {
    assert(Number.isSafeInteger(month))
    this.id = startOf(month)
  }
}

type Bound = MonthStart | string

/** Ids from one, included, to another, not included; and how a read of them is planned (`ReadDb` in db.ts). */
export interface IdRange {
  readonly from: Bound
  readonly below: Bound
  readonly plan: 'kept' | 'custom'
}

/** Months whose bounds are part of the text. Each month costs a plan on every connection, so older ones are planned each time. */
const recentMonths = 3

/** For a list that follows another order than that of ids: every month has a place in it. */
export const allMonths: IdRange = { from: firstIdAt(0), below: lastId, plan: 'kept' }

const monthOf = (at: number) => {
  const date = new Date(at)
  return (date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth()
}

const startOf = (month: number) => firstIdAt(Date.UTC(1970, month))

const oldestRecent = (at: number) => monthOf(at) - recentMonths + 1

/** The whole months of these ids, for a statement that names the ids. */
export function monthsOf(ids: readonly string[]): IdRange {
  const now = Date.now()
  const times = ids.length === 0 ? [now] : ids.map(timeOfId)
  const first = monthOf(times.reduce((least, at) => Math.min(least, at)))
  const end = monthOf(times.reduce((most, at) => Math.max(most, at))) + 1
  const isRecent = first >= oldestRecent(now) && end <= monthOf(now) + 2
  return isRecent
    ? { from: new MonthStart(first), below: new MonthStart(end), plan: 'kept' }
    : { from: startOf(first), below: startOf(end), plan: 'custom' }
}

/** A clock may be set back by seconds: what follows a row may have an id from shortly before it. */
const clockMarginMs = 86_400_000

/** The months of what was written after these ids, for a statement that names the ids. */
export function monthsSince(ids: readonly string[]): IdRange {
  const first = ids.reduce((least, id) => Math.min(least, monthOf(timeOfId(id) - clockMarginMs)), monthOf(Date.now()))
  const isRecent = first >= oldestRecent(Date.now())
  return { from: isRecent ? new MonthStart(first) : startOf(first), below: lastId, plan: 'kept' }
}

/** The months from here are recent: where what is needed is not older, a statement has the newest months only. */
export const recentStart = (): MonthStart => new MonthStart(oldestRecent(Date.now()))

/** A range whose end may be the place of a page. */
export interface ListRange extends IdRange {
  readonly below: string
}

/** Plain ids: from the first, included, to the second, not included. */
export interface IdSpan {
  readonly from: string
  readonly below: string
}

/**
 * Reads a list that is ordered by id, newest first: first the newest months of the span, then all others if these have too few rows.
 * `read` returns at most `limit` rows of a range, newest first.
 */
export async function newestFirst<Row>(
  span: IdSpan,
  limit: number,
  read: (range: IdRange, limit: number) => Promise<readonly Row[]>,
): Promise<Row[]> {
  const rows: Row[] = []
  for (const range of newestThenOlder(span))
    if (rows.length < limit) rows.push(...(await read(range, limit - rows.length)))
  return rows
}

/** The newest months of a span, and the others if there are any. */
export function newestThenOlder({ from, below }: IdSpan): readonly [ListRange, ...ListRange[]] {
  const now = Date.now()
  const end = timeOfId(below)
  const start = new MonthStart(oldestRecent(Math.min(end, now)))
  if (start.id <= from) return [{ from, below, plan: 'custom' }]
  const newest: ListRange = end < now ? { from: start.id, below, plan: 'custom' } : { from: start, below, plan: 'kept' }
  return [newest, { from, below: start.id, plan: 'kept' }]
}
