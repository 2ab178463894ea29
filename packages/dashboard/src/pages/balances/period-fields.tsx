import { TextField } from '../../ui/field.tsx'
import { Segments } from '../../ui/segments.tsx'
import { dayBefore } from '../../ui/time-text.ts'
import { zoneChoice, zoneWord } from '../../ui/zone.ts'
import type { Period } from './balance-queries.ts'

const spans = [
  { name: '6', word: '7 days' },
  { name: '29', word: '30 days' },
  { name: '89', word: '90 days' },
] as const

interface PeriodFieldsProps {
  readonly period: Period
  readonly onChange: (days: Pick<Period, 'startDate' | 'endDate'>) => void
}

/** The days of the statement and of the flow. They are in the URL. */
export function PeriodFields({ period: { startDate, endDate, zone }, onChange }: PeriodFieldsProps) {
  const today = dayBefore(0, zone)
  const span = spans.find(({ name }) => endDate === today && startDate === dayBefore(Number(name), zone))
  return (
    <div className="flex flex-wrap items-end gap-3">
      <TextField
        label={`From, ${zoneWord(zoneChoice.use())}`}
        max={endDate}
        onChange={({ target }) => target.value !== '' && onChange({ startDate: target.value, endDate })}
        type="date"
        value={startDate}
      />
      <TextField
        label="To, inclusive"
        min={startDate}
        onChange={({ target }) => target.value !== '' && onChange({ startDate, endDate: target.value })}
        type="date"
        value={endDate}
      />
      <Segments
        chosen={span?.name ?? ''}
        label="Last days"
        onChoose={(name) => onChange({ startDate: dayBefore(Number(name), zone), endDate: today })}
        options={spans as readonly { readonly name: string; readonly word: string }[]}
      />
    </div>
  )
}
