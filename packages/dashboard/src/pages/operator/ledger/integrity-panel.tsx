import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Badge } from '../../../ui/badge.tsx'
import { Card } from '../../../ui/card.tsx'
import { CopyText } from '../../../ui/copy-text.tsx'
import { Icon } from '../../../ui/icons.tsx'
import { Time } from '../../../ui/time.tsx'
import { QueryProblem } from '../parts/query-problem.tsx'
import { countText } from '../parts/words.ts'
import { type Integrity, integrityQuery } from './queries.ts'

const countMax = 10_000

const atMost = (count: number) => (count > countMax ? `over ${countText(countMax)}` : countText(count))

/** How it is proved that the books were not changed, and how far the last check came. */
export function IntegrityPanel() {
  const { data, error } = useQuery(integrityQuery)
  return (
    <Card actions={data && <Result data={data} />} title="Integrity">
      <QueryProblem error={error} />
      {data && <Facts data={data} />}
    </Card>
  )
}

const isIntact = ({ lastSeal, check }: Integrity) => lastSeal?.isIntact === true && check.hasRun

function Result({ data }: { readonly data: Integrity }) {
  if (data.lastSeal?.isIntact === false) return <Badge icon="failed" tone="fail" word="Seal is broken" />
  return isIntact(data) ? (
    <Badge icon="done" tone="ok" word="Verified" />
  ) : (
    <Badge icon="hourglass" tone="wait" word="Not checked yet" />
  )
}

function Facts({ data }: { readonly data: Integrity }) {
  const { lastSeal, unsealedBatches, chains, batches, entriesAbout, check, audit } = data
  return (
    <ul>
      <Fact
        isGood={lastSeal?.isIntact === true}
        name="Last seal"
        value={lastSeal ? <Time at={lastSeal.at} isRelative /> : 'none'}
      >
        {lastSeal
          ? `number ${countText(lastSeal.number)}, ${lastSeal.isIntact ? 'unbroken' : 'BROKEN: run malipo ledger check'}`
          : 'The worker makes the first one within a minute of the first entry.'}
      </Fact>
      <Fact isGood={check.hasRun} name="Entries added up again" value={`about ${countText(entriesAbout)}`}>
        {check.hasRun && check.sealedAt !== undefined ? (
          <>
            up to the seal of <Time at={check.sealedAt} />; {atMost(check.uncheckedBatches)} batches since
          </>
        ) : (
          'No check has run. Run malipo ledger check.'
        )}
      </Fact>
      <Fact isGood={check.hasRun} name="Hash chains" value={countText(chains)}>
        one per writer, {countText(batches)} batches, {atMost(unsealedBatches)} not sealed yet
      </Fact>
      {audit.chains.map(({ chain, entries, verified, head }) => (
        <Fact
          isGood={verified > 0 || entries === 0}
          key={chain}
          name={`Audit trail, chain ${chain}`}
          value={countText(entries)}
        >
          {countText(verified)} verified. Head <CopyText text={head} what="Head" />
        </Fact>
      ))}
      {lastSeal && (
        <li className="pt-2.5 text-xs text-ink-3">
          Head of the ledger <CopyText text={lastSeal.hash} what="Hash" />
        </li>
      )}
    </ul>
  )
}

interface FactProps {
  readonly isGood: boolean
  readonly name: string
  readonly value: ReactNode
  readonly children: ReactNode
}

function Fact({ isGood, name, value, children }: FactProps) {
  return (
    <li className="flex gap-3 border-b border-line py-2.5 first:pt-0 last:border-0">
      <Icon className={`mt-0.5 ${isGood ? 'text-ok' : 'text-warn'}`} name={isGood ? 'done' : 'warn'} />
      <div className="min-w-0 flex-1">
        <div className="flex gap-3">
          <b className="flex-1 font-semibold">{name}</b>
          <b className="font-semibold whitespace-nowrap">{value}</b>
        </div>
        <div className="text-xs text-ink-3">{children}</div>
      </div>
    </li>
  )
}
