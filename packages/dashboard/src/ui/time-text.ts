const formats = new Map<Intl.DateTimeFormatOptions, Map<string, Intl.DateTimeFormat>>()

/** Making a format is slow, and a list has many times. There are as many sets of options as constants here. */
function format(zone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const ofOptions = formats.get(options) ?? new Map<string, Intl.DateTimeFormat>()
  const found = ofOptions.get(zone) ?? new Intl.DateTimeFormat('en-GB', { ...options, timeZone: zone })
  formats.set(options, ofOptions.set(zone, found))
  return found
}

const clock = { hour: '2-digit', minute: '2-digit', second: '2-digit' } as const
const short = { day: 'numeric', month: 'short' } as const
const long = { day: 'numeric', month: 'short', year: 'numeric' } as const

const dayOf = (date: Date, zone: string) => format(zone, long).format(date)

/** The time today, the day and time before that, with the year where it is another. */
export function timeText(at: string | Date, zone: string, now = new Date()): string {
  const date = new Date(at)
  const time = format(zone, clock).format(date)
  const day = dayOf(date, zone)
  if (day === dayOf(now, zone)) return time
  const isThisYear = day.slice(-4) === dayOf(now, zone).slice(-4)
  return `${isThisYear ? format(zone, short).format(date) : day} ${time}`
}

const minutes = { hour: '2-digit', minute: '2-digit' } as const

/** Hours and minutes today, the day before that. */
export function shortTimeText(at: string, zone: string, now = new Date()): string {
  const date = new Date(at)
  const isToday = dayOf(date, zone) === dayOf(now, zone)
  const time = format(zone, minutes).format(date)
  return isToday ? time : `${format(zone, short).format(date)} ${time}`
}

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
  return relative.format(Math.trunc(seconds / size), unit)
}
