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

/** How it is proved that the books were not changed: what was checked, when, over what, and what a failure means. */
export function IntegrityPanel() {
  const { data, error } = useQuery(integrityQuery)
  return (
    <Card actions={data && <Result data={data} />} title="Integrity">
      <p className="mb-3 text-xs text-ink-2">
        Three checks show whether the books were changed outside Malipo. They cover all merchants and currencies, live
        and sandbox.
      </p>
      <QueryProblem error={error} />
      {data && (
        <ul>
          <SealFact data={data} />
          <CheckFact data={data} />
          <AuditFact data={data} />
        </ul>
      )}
    </Card>
  )
}

const hasDifference = ({ check: { lastRun, lastFullRun } }: Integrity) =>
  lastRun?.isGood === false || lastFullRun?.isGood === false

function Result({ data }: { readonly data: Integrity }) {
  if (data.lastSeal?.isIntact === false) return <Badge icon="failed" tone="fail" word="Seal is broken" />
  if (hasDifference(data)) return <Badge icon="failed" tone="fail" word="Difference found" />
  return data.lastSeal && data.check.hasRun ? (
    <Badge icon="done" tone="ok" word="No difference" />
  ) : (
    <Badge icon="hourglass" tone="wait" word="Not checked yet" />
  )
}

function SealFact({ data: { lastSeal, unsealedBatches, chains, batches } }: FactOf) {
  return (
    <Fact
      failure="an entry or a seal was changed in the database. Stop payouts and run malipo ledger check."
      isGood={lastSeal?.isIntact === true}
      name="Seal of the entries"
      value={lastSeal ? <Time at={lastSeal.at} isRelative /> : 'none yet'}
    >
      {lastSeal ? (
        <>
          <p>
            The worker seals all entries once a minute. This page computed the hash of the last seal again now: it{' '}
            {lastSeal.isIntact ? 'is right' : <b className="font-semibold text-fail">is wrong</b>}.
          </p>
          <p>
            Seal {countText(lastSeal.number)} covers {countText(batches)} batches of entries in {countText(chains)} hash
            chains, except {atMost(unsealedBatches)} since then. Hash <CopyText text={lastSeal.hash} what="Hash" />
          </p>
        </>
      ) : (
        <p>The worker makes the first one within a minute of the first entry.</p>
      )}
    </Fact>
  )
}

function CheckFact({ data: { check, entriesAbout } }: FactOf) {
  const { lastRun, lastFullRun, hasRun, sealedAt, uncheckedBatches } = check
  const failed = [lastRun, lastFullRun].find((run) => run?.isGood === false)
  const last = lastRun ?? lastFullRun
  return (
    <Fact
      failure="a balance is not the sum of its entries, or an entry was changed. Stop payouts and follow the runbook of the alert."
      isGood={hasRun && failed === undefined}
      name="Balances computed again"
      value={last ? <Time at={last.at} isRelative /> : 'never'}
    >
      {failed && (
        <p className="text-fail">
          The check of <Time at={failed.at} /> found a difference{failed.problem && `: ${failed.problem}`}
        </p>
      )}
      {hasRun ? (
        <p>
          <code>malipo ledger check</code> computes every balance again from about {countText(entriesAbout)} entries. It
          found no difference
          {sealedAt !== undefined && (
            <>
              {' '}
              up to <Time at={sealedAt} />
            </>
          )}
          ; {atMost(uncheckedBatches)} batches are newer.
        </p>
      ) : (
        <p>
          No check has finished. Run <code>malipo ledger check</code>.
        </p>
      )}
      {hasRun && (
        <p>
          {lastFullRun ? (
            <>
              Last full check, from the first entry: <Time at={lastFullRun.at} />.
            </>
          ) : (
            'No full check yet.'
          )}{' '}
          To check the books now, run <code>malipo ledger check</code>.
        </p>
      )}
    </Fact>
  )
}

function AuditFact({ data: { audit } }: FactOf) {
  const entries = audit.chains.reduce((sum, chain) => sum + chain.entries, 0)
  const verified = audit.chains.reduce((sum, chain) => sum + chain.verified, 0)
  return (
    <Fact
      failure="an entry was changed or removed. malipo audit verify names it."
      isGood={verified > 0 || entries === 0}
      name="Audit trail"
      value={`${countText(verified)} of ${countText(entries)}`}
    >
      <p>
        Each entry has the hash of the entry before. {countText(verified)} entries were computed again and are
        unchanged; the others are newer than the last check. To check them now, run <code>malipo audit verify</code>.
      </p>
      <details className="mt-1">
        <summary className="cursor-pointer text-ink-2">Heads of the chains, to compare with a copy outside</summary>
        <ul>
          {audit.chains.map(({ chain, entries: count, head }) => (
            <li key={chain}>
              Chain {chain}, {countText(count)} entries: <CopyText text={head} what="Head" />
            </li>
          ))}
        </ul>
      </details>
    </Fact>
  )
}

interface FactOf {
  readonly data: Integrity
}

interface FactProps {
  readonly isGood: boolean
  readonly name: string
  readonly value: ReactNode
  /** What it would mean. */
  readonly failure: string
  readonly children: ReactNode
}

function Fact({ isGood, name, value, failure, children }: FactProps) {
  return (
    <li className="flex gap-3 border-b border-line py-2.5 first:pt-0 last:border-0">
      <Icon className={`mt-0.5 ${isGood ? 'text-ok' : 'text-warn'}`} name={isGood ? 'done' : 'warn'} />
      <div className="min-w-0 flex-1">
        <div className="flex gap-3">
          <b className="flex-1 font-semibold">{name}</b>
          <b className="font-semibold whitespace-nowrap">{value}</b>
        </div>
        <div className="text-xs text-ink-3">
          {children}
          <p className="mt-1 text-ink-2">A failure would mean: {failure}</p>
        </div>
      </div>
    </li>
  )
}
