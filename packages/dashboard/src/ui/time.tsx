/** Times are shown in the person's own zone; the title has the others. */
const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' })
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' })
const whole = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeStyle: 'long' })

const isToday = (date: Date) => date.toDateString() === new Date().toDateString()

export function Time({ at, className = '' }: { readonly at: string; readonly className?: string }) {
  const date = new Date(at)
  return (
    <time className={`whitespace-nowrap tabular-nums ${className}`} dateTime={at} title={`${whole.format(date)}\n${at}`}>
      {isToday(date) ? '' : `${day.format(date)} `}
      {clock.format(date)}
    </time>
  )
}
