import { BoundedMap } from './bounded-map.ts'

/** PostgreSQL reads an offset such as +03:00 with the other sign, so a zone is only ever a name. */
const zoneName = /^[A-Za-z][A-Za-z0-9_]*(?:\/[A-Za-z0-9_+-]+)*$/

/** The usual name of a time zone; undefined for other text. */
export function zoneNamed(text: string): string | undefined {
  if (!zoneName.test(text)) return undefined
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone
  } catch {
    return undefined
  }
}

const dayMs = 86_400_000

/**
 * The moment at which a calendar day (YYYY-MM-DD) starts in a zone. Where the clock skips midnight, it is the moment of the change;
 * where it shows midnight twice, the first of them. So each day ends where the next one starts, and no moment is in two days. The
 * offsets of the day before and the day after are the only ones that the day can start with.
 */
export function startOfDay(day: string, zone: string): Date {
  const midnight = Date.parse(`${day}T00:00:00Z`)
  const starts = [midnight - dayMs, midnight + dayMs].map((at) => midnight - offsetOf(at, zone)).sort((a, b) => a - b)
  const isReached = (at: number) => at + offsetOf(at, zone) >= midnight
  return new Date(starts.find(isReached) ?? midnight)
}

/** The calendar day of a moment in a zone. */
export const dayIn = (at: Date, zone: string): string =>
  new Date(at.getTime() + offsetOf(at.getTime(), zone)).toISOString().slice(0, 10)

export const dayAfter = (day: string, count = 1): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + count * dayMs).toISOString().slice(0, 10)

/** How many milliseconds the clocks of a zone are ahead of UTC. */
function offsetOf(at: number, zone: string): number {
  if (zone === 'UTC') return 0
  const seconds = Math.floor(at / 1000) * 1000
  const parts = Object.fromEntries(
    formatOf(zone)
      .formatToParts(seconds)
      .map(({ type, value }) => [type, Number(value)]),
  )
  const { year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0 } = parts
  return Date.UTC(year, month - 1, day, hour, minute, second) - seconds
}

const formats = new BoundedMap<string, Intl.DateTimeFormat>(1000)

/** Making a format is slow. */
function formatOf(zone: string): Intl.DateTimeFormat {
  const format = formats.get(zone) ?? new Intl.DateTimeFormat('en', { ...date, ...time, timeZone: zone })
  if (!formats.has(zone)) formats.set(zone, format)
  return format
}

const [numeric, hourCycle] = ['numeric', 'h23'] as const
const date = { year: numeric, month: numeric, day: numeric }
const time = { hour: numeric, minute: numeric, second: numeric, hourCycle }
