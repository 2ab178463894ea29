import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Place } from '../../api/place.ts'
import { Sparkline } from '../../ui/charts/sparkline.tsx'
import { counted } from '../../ui/counted.ts'
import { Icon } from '../../ui/icons.tsx'
import { Money } from '../../ui/money.tsx'
import type { PaymentFilters } from '../payments/filters.ts'
import type { Summary } from './summary-query.ts'

interface TilesProps {
  readonly place: Place
  readonly summary: Summary
  /** The hours of the day that have passed, the current one included. */
  readonly hoursPassed: number
}

/** Today in four figures, each a link to the payments behind it. */
export function StatTiles({ place, summary, hoursPassed }: TilesProps) {
  const { currency, today, lastWeek, hours } = summary
  const day = { currency, startDate: today.day, endDate: today.day }
  const ended = { type: 'deposit', ...day } as const
  const sums = (read: (hour: Summary['hours'][number]) => number) => running(hours.map(read))
  return (
    <section
      aria-label="Today"
      className="grid grid-cols-2 gap-px overflow-hidden rounded-card border border-line bg-line wide:grid-cols-4"
    >
      <Tile
        figure={<Sum amount={today.collected.amount} currency={currency} />}
        name="Collected today"
        note={
          <>
            {counted(today.collected.count, 'charge')},{' '}
            <Delta
              after={today.collected.amount}
              before={lastWeek.collected.amount}
              isGood
              words={`vs ${dayText(lastWeek.day)}`}
            />
          </>
        }
        place={place}
        search={{ ...ended, status: 'successful' }}
      >
        <Sparkline
          ghost={sums(({ lastWeekIn }) => lastWeekIn)}
          isFilled
          values={until(
            sums((hour) => total(hour.in)),
            hoursPassed,
          )}
        />
      </Tile>
      <Tile
        figure={<Sum amount={today.paidOut.amount} currency={currency} />}
        name="Paid out today"
        note={
          <>
            {counted(today.paidOut.count, 'payout')},{' '}
            <Delta
              after={today.paidOut.amount}
              before={lastWeek.paidOut.amount}
              words={`vs ${dayText(lastWeek.day)}`}
            />
          </>
        }
        place={place}
        search={{ type: 'withdrew', status: 'successful', ...day }}
      >
        <Sparkline
          colour="var(--v6)"
          ghost={sums(({ lastWeekOut }) => lastWeekOut)}
          isFilled
          values={until(
            sums((hour) => total(hour.out)),
            hoursPassed,
          )}
        />
      </Tile>
      <Tile
        figure={rateFigure(today.charges)}
        name="Charge success rate"
        note={<RateNote summary={summary} />}
        place={place}
        search={ended}
      >
        <Sparkline domain={[0, 1]} values={dayRates(summary)} />
      </Tile>
      <InProgress place={place} summary={summary} />
    </section>
  )
}

/** The code steps back further beside a large figure. */
const Sum = ({ amount, currency }: { readonly amount: number; readonly currency: string }) => (
  <Money amount={amount} codeSize="text-md" currency={currency} />
)

interface TileProps {
  readonly name: string
  readonly figure: ReactNode
  readonly note: ReactNode
  readonly place: Place
  readonly search: PaymentFilters
  readonly children: ReactNode
}

function Tile({ name, figure, note, place, search, children }: TileProps) {
  return (
    <Link
      className="grid min-w-0 content-start gap-0.5 bg-surface p-4 hover:bg-hover max-phone:p-3"
      params={place}
      search={search}
      to="/m/$merchantId/$env/payments"
    >
      <span className="font-medium text-ink-2">{name}</span>
      <span className="truncate text-2xl tabular-nums max-phone:text-lg">{figure}</span>
      <span className="min-h-4 text-xs text-ink-3">{note}</span>
      <span className="mt-2 block">{children}</span>
    </Link>
  )
}

interface DeltaProps {
  readonly after: number
  readonly before: number
  readonly words: string
  /** More is better: the change has a colour. */
  readonly isGood?: boolean
}

function Delta({ after, before, words, isGood = false }: DeltaProps) {
  if (before === 0) return `nothing ${words.replace('vs', 'on')}`
  const change = ((after - before) / before) * 100
  const colour = isGood ? (change < 0 ? 'text-fail' : 'text-ok') : 'text-ink-2'
  return (
    <>
      <Change colour={colour} isDown={change < 0}>
        {Math.abs(change).toFixed(1)} %
      </Change>{' '}
      {words}
    </>
  )
}

const Change = ({ isDown, colour, children }: { isDown: boolean; colour: string; children: ReactNode }) => (
  <b className={`inline-flex items-center gap-0.5 font-semibold ${colour}`}>
    <Icon name={isDown ? 'down' : 'up'} size={11} />
    <span className="sr-only">{isDown ? 'down' : 'up'}</span>
    {children}
  </b>
)

type Ended = Summary['today']['charges']
const rateOf = ({ successful, ended }: Ended) => (ended === 0 ? undefined : successful / ended)

function rateFigure(charges: Ended) {
  const rate = rateOf(charges)
  if (rate === undefined) return '–'
  return (
    <>
      <b className="font-semibold">{(rate * 100).toFixed(1)}</b>
      <span className="font-normal text-ink-3"> %</span>
    </>
  )
}

function RateNote({ summary: { today, lastWeek } }: { readonly summary: Summary }) {
  const [after, before] = [rateOf(today.charges), rateOf(lastWeek.charges)]
  const { successful, ended } = today.charges
  const words = `${successful.toLocaleString('en')} of ${ended.toLocaleString('en')} ended`
  if (after === undefined || before === undefined) return words
  const points = (after - before) * 100
  return (
    <>
      <Change colour={points < 0 ? 'text-fail' : 'text-ok'} isDown={points < 0}>
        {Math.abs(points).toFixed(1)} pt
      </Change>{' '}
      {words}
    </>
  )
}

/** The success rate of all methods together, of the last seven days. */
function dayRates({ methods }: Summary): (number | undefined)[] {
  const [first] = methods
  return (first?.days ?? []).map((_, index) => {
    const days = methods.flatMap(({ days: each }) => each[index] ?? [])
    return rateOf({
      successful: days.reduce((sum, { successful }) => sum + successful, 0),
      ended: days.reduce((sum, { ended }) => sum + ended, 0),
    })
  })
}

function InProgress({ place, summary: { inProgress, currency } }: Pick<TilesProps, 'place' | 'summary'>) {
  const { count, inDoubt, awaitingCustomer, awaitingApproval } = inProgress
  const waiting = awaitingCustomer.count + awaitingApproval.count
  const parts = [
    { count: waiting, word: 'awaiting', colour: 'var(--v2)', ink: '' },
    { count: count - waiting - inDoubt.count, word: 'processing', colour: 'var(--v6)', ink: '' },
    { count: inDoubt.count, word: 'in doubt', colour: 'var(--v4)', ink: 'font-semibold text-doubt' },
  ].filter((part) => part.count > 0)
  const note =
    parts.length === 0
      ? 'everything has ended'
      : parts.map(({ count: some, word, ink }, index) => (
          <span className={ink} key={word}>
            {index > 0 && ' · '}
            {some.toLocaleString('en')} {word}
          </span>
        ))
  return (
    <Tile
      figure={<b className="font-semibold">{count.toLocaleString('en')}</b>}
      name="In progress"
      note={note}
      place={place}
      search={{ status: 'pending', currency }}
    >
      <span className="flex h-[34px] items-center gap-0.5">
        {parts.map(({ count: some, word, colour }) => (
          <span className="h-2 rounded-[2px]" key={word} style={{ background: colour, flexGrow: some }} />
        ))}
      </span>
    </Tile>
  )
}

export const total = (byMethod: Readonly<Record<string, number>>): number =>
  Object.values(byMethod).reduce((sum, amount) => sum + amount, 0)

function running(values: readonly number[]): number[] {
  let sum = 0
  return values.map((value) => {
    sum += value
    return sum
  })
}

const until = (values: readonly number[], count: number) =>
  values.map((value, index) => (index < count ? value : undefined))

/** `Mon 9 Nov`. */
export const dayText = (day: string): string =>
  new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric', month: 'short', timeZone: 'UTC' })
    .format(new Date(`${day}T00:00:00Z`))
    .replace(',', '')
