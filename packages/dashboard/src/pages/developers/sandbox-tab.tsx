import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { numbers, phones, refunds } from '../../generated/sandbox.ts'
import { Badge } from '../../ui/badge.tsx'
import { Card } from '../../ui/card.tsx'
import { CopyText } from '../../ui/copy-text.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Empty } from '../../ui/empty.tsx'
import { SelectField } from '../../ui/field.tsx'
import { useMay, usePlace } from '../use-place.ts'
import { ClockCard } from './clock-card.tsx'
import { ScenariosCard } from './scenarios-card.tsx'

/** What an integrator tests with: numbers that choose the outcome, faults between the systems, the clock and the handset. */
export function SandboxTab() {
  const place = usePlace()
  const mayChange = useMay().has('developers:write')
  if (place.env === 'live')
    return (
      <div className="rounded-card border border-line">
        <Empty
          action={
            <Link
              className="font-medium text-brand underline"
              params={{ ...place, env: 'sandbox' }}
              search={{ tab: 'sandbox' }}
              to="/m/$merchantId/$env/developers"
            >
              Go to the sandbox
            </Link>
          }
          title="These tools exist in the sandbox only"
        >
          In live, every number is a real one, and no fault can be injected.
        </Empty>
      </div>
    )
  return (
    <div className="grid items-start gap-4 wide:grid-cols-12">
      <div className="grid min-w-0 gap-4 wide:col-span-5">
        <NumbersCard />
        <RefundsCard />
      </div>
      <div className="grid min-w-0 gap-4 wide:col-span-7">
        <ClockCard mayChange={mayChange} />
        <Card title="Handset">
          <p className="mb-2 text-ink-2">
            Plays the phone of your customer: the prompt appears, the PIN is entered, declined, or not answered in time.
          </p>
          <a className="font-medium text-brand underline" href="/handset">
            Open the handset
          </a>
        </Card>
        <ScenariosCard mayChange={mayChange} />
      </div>
    </div>
  )
}

type Number = (typeof numbers)[number]

function NumbersCard() {
  const [country, setCountry] = useState('KE')
  const start = phones.find((each) => each.country === country)?.start ?? ''
  return (
    <Card isFlush title="Numbers that choose the outcome">
      <div className="px-4 pb-3">
        <SelectField
          label="Country"
          onChange={(event) => setCountry(event.target.value)}
          options={phones.map((each) => ({ value: each.country, word: each.name }))}
          value={country}
        />
      </div>
      <DataTable
        columns={numberColumns(start)}
        keyOf={({ ending, of }) => `${ending} ${of}`}
        label="Table of numbers"
        rows={numbers}
      />
      <p className="border-t border-line px-4 py-2.5 text-xs text-ink-3">
        The last three digits decide, in every country, also of account and till numbers.
      </p>
    </Card>
  )
}

const numberColumns = (start: string): readonly Column<Number>[] => [
  { head: 'Number', cell: ({ ending }) => <CopyText isWhole text={start + ending} what="Number" /> },
  { head: 'Payment', cell: ({ of }) => (of === 'both' ? 'charge or payout' : of) },
  {
    head: 'Outcome',
    cell: ({ outcome, what }) => (
      <span title={what}>
        <Outcome outcome={outcome} />
      </span>
    ),
  },
]

const outcomeLooks = {
  SUCCESSFUL: { tone: 'ok', icon: 'done', word: 'Completed in 2 s' },
  PENDING: { tone: 'wait', icon: 'hourglass', word: 'Stays pending' },
} as const

function Outcome({ outcome }: { readonly outcome: string }) {
  if (outcome === 'SUCCESSFUL' || outcome === 'PENDING') return <Badge {...outcomeLooks[outcome]} />
  const words = outcome.replaceAll('_', ' ').toLowerCase()
  return <Badge icon="failed" tone="fail" word={words.charAt(0).toUpperCase() + words.slice(1)} />
}

const RefundsCard = () => (
  <Card about="the last two digits of the whole amount" isFlush title="Refunds">
    <DataTable
      columns={[
        { head: 'Amount ends in', cell: ({ ending }) => <code className="font-mono text-xs">…{ending}</code> },
        { head: 'Outcome', cell: ({ outcome }) => <Outcome outcome={outcome} /> },
        { head: 'What happens', cell: ({ what }) => <span className="text-xs text-ink-2">{what}</span> },
      ]}
      keyOf={({ ending }) => ending}
      label="Refunds that choose the outcome"
      rows={refunds}
    />
  </Card>
)
