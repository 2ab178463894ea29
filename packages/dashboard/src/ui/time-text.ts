const formats = new Map<Intl.DateTimeFormatOptions, Map<string, Intl.DateTimeFormat>>()

/** Making a format is slow, and a list has many times. There are as many sets of options as constants here. */
function format(zone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const ofOptions = formats.get(options) ?? new Map<string, Intl.DateTimeFormat>()
  const found = ofOptions.get(zone) ?? new Intl.DateTimeFormat('en-GB', { ...options, timeZone: zone })
  formats.set(options, ofOptions.set(zone, found))
  return found
}

const minutes = { hour: '2-digit', minute: '2-digit' } as const
const seconds = { ...minutes, second: '2-digit' } as const
const short = { day: 'numeric', month: 'short' } as const
const long = { ...short, year: 'numeric' } as const
const digits = { day: '2-digit', month: '2-digit', year: 'numeric' } as const

/** `18 Nov 2026`: when something was added, in a list. */
export const dateText = (at: string | Date, zone: string): string => format(zone, long).format(new Date(at))

/** The time today, the day and time before that, with the year where it is another. */
export function timeText(at: string | Date, zone: string, now = new Date(), clock: typeof minutes = seconds): string {
  const date = new Date(at)
  const time = format(zone, clock).format(date)
  const day = dateText(date, zone)
  const today = dateText(now, zone)
  if (day === today) return time
  return `${day.slice(-4) === today.slice(-4) ? format(zone, short).format(date) : day} ${time}`
}

/** Without seconds. */
export const shortTimeText = (at: string, zone: string, now?: Date): string => timeText(at, zone, now, minutes)

/** `2026-11-18`: the day of a moment, as the API takes it. */
export const dayIn = (at: string | number, zone: string): string =>
  format(zone, digits).format(new Date(at)).split('/').reverse().join('-')

/** So many days before today. */
export const dayBefore = (days: number, zone: string, now = Date.now()): string =>
  dayIn(Date.parse(dayIn(now, zone)) - days * 86_400_000, 'UTC')

const steps = [
  [86_400, 'day'],
  [3600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
] as const
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })

export function agoText(at: string | Date, now = new Date()): string {
  const seconds = Math.round((new Date(at).getTime() - now.getTime()) / 1000)
  const [size, unit] = steps.find(([step]) => Math.abs(seconds) >= step) ?? [1, 'second']
  // What lies ahead is rounded: a deadline 72 hours after now is 3 days away, also a second later.
  return relative.format(seconds > 0 ? Math.round(seconds / size) : Math.trunc(seconds / size), unit)
}
