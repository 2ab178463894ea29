import { Type } from 'typebox'
import { invalid } from '../errors.ts'

/** A day in a query. */
export const Day = (description: string) =>
  Type.Optional(Type.String({ maxLength: 10, pattern: '^\\d{4}-\\d{2}-\\d{2}$', description }))

export interface Days {
  readonly startDate?: string | undefined
  readonly endDate?: string | undefined
}

/** Refuses days that are not in the calendar, and a range that ends before it starts. */
export function readDays({ startDate, endDate }: Days): { startDate: string | undefined; endDate: string | undefined } {
  refuseNoDay('startDate', startDate)
  refuseNoDay('endDate', endDate)
  if (startDate !== undefined && endDate !== undefined && startDate > endDate)
    throw invalid([{ field: 'endDate', message: 'endDate is before startDate' }])
  return { startDate: sinceTheEpoch(startDate), endDate: sinceTheEpoch(endDate) }
}

/** No id is older than the Unix epoch. */
function sinceTheEpoch(day: string | undefined): string | undefined {
  return day !== undefined && day < '1970-01-01' ? '1970-01-01' : day
}

function refuseNoDay(field: string, day: string | undefined): void {
  if (day === undefined) return
  const at = Date.parse(`${day}T00:00:00Z`)
  if (Number.isNaN(at) || !new Date(at).toISOString().startsWith(day))
    throw invalid([{ field, message: `${field} is not a calendar day` }])
}
