import { agoText, dateText, shortTimeText, timeText } from './time-text.ts'
import { zoneChoice, zoneName } from './zone.ts'

interface TimeProps {
  readonly at: string
  readonly className?: string
  /** `3 hours ago` instead of the time. */
  readonly isRelative?: boolean
  /** The day instead of the time: for when something was added. */
  readonly isDate?: boolean
}

/** A time in the chosen zone. Its title has UTC and how long ago it was. */
export function Time({ at, className = '', isRelative = false, isDate = false }: TimeProps) {
  const zone = zoneName(zoneChoice.use())
  return (
    <time
      className={`whitespace-nowrap tabular-nums ${className}`}
      dateTime={at}
      title={`${new Date(at).toISOString()}\n${timeText(at, zone)} ${zone}\n${agoText(at)}`}
    >
      {isRelative ? agoText(at) : isDate ? dateText(at, zone) : timeText(at, zone)}
    </time>
  )
}

/** A time for narrow places, without seconds. Its title has all of it. */
export function ShortTime({ at, className = '' }: Pick<TimeProps, 'at' | 'className'>) {
  const zone = zoneName(zoneChoice.use())
  return (
    <time
      className={`whitespace-nowrap tabular-nums ${className}`}
      dateTime={at}
      title={`${new Date(at).toISOString()}\n${timeText(at, zone)} ${zone}`}
    >
      {shortTimeText(at, zone)}
    </time>
  )
}
