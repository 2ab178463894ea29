import { Type } from 'typebox'
import { invalid } from '../errors.ts'
import { dayAfter, startOfDay, zoneNamed } from './zones.ts'

const Day = (description: string) =>
  Type.Optional(Type.String({ maxLength: 10, pattern: '^\\d{4}-\\d{2}-\\d{2}$', description }))

/** Days in a query. {@link readDays} makes moments of them. */
export const DayFields = { startDate: Day('YYYY-MM-DD, in UTC'), endDate: Day('The last day, inclusive') }

export const Zone = Type.String({
  maxLength: 64,
  description: 'The time zone of startDate and endDate instead of UTC, such as Africa/Nairobi',
})

export interface Days {
  readonly startDate?: string | undefined
  readonly endDate?: string | undefined
  /** Of people only: the routes of the merchant API refuse it, because their days are UTC. */
  readonly zone?: string | undefined
}

export interface Moments {
  /** Included. */
  readonly from: Date
  /** Not included. */
  readonly below: Date
}

/** No id is older, and no table has rows after the end. */
const epoch = new Date(0)
const end = new Date('9999-12-31T00:00:00Z')

/**
 * The moments between which the days lie: the only place where days of a request become moments. Refuses days that are not in the
 * calendar or before the oldest, a range that ends before it starts, and what is not a zone.
 */
export function readDays({ startDate, endDate, zone = 'UTC' }: Days, { oldest = '0000-01-01' } = {}): Moments {
  const known = readZone(zone)
  refuseNoDay('startDate', startDate, oldest)
  refuseNoDay('endDate', endDate, oldest)
  if (startDate !== undefined && endDate !== undefined && startDate > endDate)
    throw invalid([{ field: 'endDate', message: 'endDate is before startDate' }])
  return {
    from: startDate === undefined ? epoch : within(startDate, known),
    below: endDate === undefined ? end : within(endDate, known, { isAfter: true }),
  }
}

export function readZone(zone: string): string {
  const known = zoneNamed(zone)
  if (known === undefined) throw invalid([{ field: 'zone', message: 'zone is not a time zone such as Africa/Nairobi' }])
  return known
}

function refuseNoDay(field: string, day: string | undefined, oldest: string): void {
  if (day === undefined) return
  const at = Date.parse(`${day}T00:00:00Z`)
  if (Number.isNaN(at) || day < oldest || !new Date(at).toISOString().startsWith(day))
    throw invalid([{ field, message: `${field} is not a calendar day` }])
}

function within(day: string, zone: string, { isAfter = false } = {}): Date {
  if (day < '1970-01-01') return epoch
  if (day >= '9999-12-31') return end
  const start = startOfDay(isAfter ? dayAfter(day) : day, zone)
  return start < epoch ? epoch : start
}
