import { Link } from '@tanstack/react-router'
import type { Schemas } from '../../../generated/operator-api.ts'
import { Tile, Tiles } from '../parts/tiles.tsx'
import { ageText, countText } from '../parts/words.ts'

export type MorningCheck = Schemas['MorningCheck']

const ages = [
  { age: 'under_5_minutes', word: 'under 5 min', colour: 'var(--v6)' },
  { age: 'under_1_hour', word: 'under 1 h', colour: 'var(--v2)' },
  { age: 'under_24_hours', word: 'under 24 h', colour: 'var(--v3)' },
  { age: 'over_24_hours', word: 'over 24 h', colour: 'var(--v5)' },
] as const

const sumOf = (counts: readonly number[]) => counts.reduce((sum, count) => sum + count, 0)

export function Gauges({ check }: { readonly check: MorningCheck }) {
  const { openPayments, doubts, lanes } = check
  const inDoubt = sumOf(openPayments.map((each) => each.inDoubt))
  const oldest = Math.max(0, ...doubts.map(({ oldestSeconds }) => oldestSeconds))
  const paused = sumOf(lanes.map((lane) => lane.paused))
  const frozen = sumOf(lanes.map((lane) => lane.frozen))
  const lag = Math.max(0, ...lanes.map(({ oldestDueSeconds = 0 }) => oldestDueSeconds))
  return (
    <Tiles label="Now">
      <Tile
        about={inDoubt === 0 ? 'every outcome is known' : `oldest ${ageText(oldest)}`}
        name="Payments in doubt"
        value={countText(inDoubt)}
      >
        {inDoubt > 0 && <AgeBar openPayments={openPayments} />}
      </Tile>
      <Tile
        about={`${countText(paused)} paused, ${countText(frozen)} of frozen merchants`}
        name="Waiting to be sent"
        value={countText(sumOf(lanes.map((lane) => lane.toSend)))}
      >
        <Link className="mt-2 inline-block text-xs font-medium text-brand" to="/operator/payments">
          Open payments: {countText(sumOf(openPayments.map((each) => each.payments)))}
        </Link>
      </Tile>
      <Tile
        about={`${countText(sumOf(lanes.map((lane) => lane.due)))} payments are due now`}
        name="Queue lag"
        value={ageText(lag)}
      >
        <p className="mt-2 text-xs text-ink-3">
          {lag > 60 ? 'Work waits longer than a minute: check that workers run.' : 'Workers keep up.'}
        </p>
      </Tile>
      <WebhookTile webhooks={check.webhooks} />
    </Tiles>
  )
}

function WebhookTile({ webhooks }: Pick<MorningCheck, 'webhooks'>) {
  const { waiting, isCut, oldestSeconds, retries, failingEndpoints, disabledEndpoints } = webhooks
  const about =
    oldestSeconds === undefined
      ? 'all are delivered'
      : `oldest ${ageText(oldestSeconds)}, ${countText(retries)} tried before`
  return (
    <Tile
      about={about}
      name="Webhooks to deliver"
      value={`${countText(sumOf(waiting.map(({ records }) => records)))}${isCut ? '+' : ''}`}
    >
      <p className="mt-2 text-xs text-ink-3">
        {failingEndpoints + disabledEndpoints === 0
          ? 'No endpoint fails.'
          : `Endpoints: ${failingEndpoints} failing, ${disabledEndpoints} disabled.`}
      </p>
    </Tile>
  )
}

function AgeBar({ openPayments }: Pick<MorningCheck, 'openPayments'>) {
  const parts = ages
    .map((each) => ({
      ...each,
      count: sumOf(openPayments.filter(({ age }) => age === each.age).map(({ inDoubt }) => inDoubt)),
    }))
    .filter(({ count }) => count > 0)
  return (
    <>
      <div aria-hidden="true" className="mt-2.5 flex h-2.5 gap-0.5">
        {parts.map(({ age, colour, count }) => (
          <i className="rounded-[2px]" key={age} style={{ flex: count, background: colour }} />
        ))}
      </div>
      <ul className="mt-2 flex flex-wrap gap-x-3 gap-y-1 text-xs text-ink-2">
        {parts.map(({ age, word, colour, count }) => (
          <li className="flex items-center gap-1.5" key={age}>
            <i aria-hidden="true" className="size-2.5 rounded-[2px]" style={{ background: colour }} />
            <b className="font-semibold">{countText(count)}</b> {word}
          </li>
        ))}
      </ul>
    </>
  )
}
