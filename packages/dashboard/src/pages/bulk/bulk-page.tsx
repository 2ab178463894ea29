import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { merchantApi } from '../../api/merchant-api.ts'
import type { Place } from '../../api/place.ts'
import { permissionsIn, useMe } from '../../session.ts'
import { ActionProblem } from '../../ui/action-problem.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { counted } from '../../ui/counted.ts'
import { Forbidden } from '../../ui/forbidden.tsx'
import { Page } from '../../ui/page.tsx'
import { useAction } from '../../ui/use-action.ts'
import { PayoutWays } from '../payouts/payout-ways.tsx'
import { payoutOf } from './bulk-file.ts'
import { type BulkResult, BulkResults } from './bulk-results.tsx'
import { ColumnsCard, FileCard, type OpenFile } from './file-card.tsx'
import { PayCard } from './pay-card.tsx'
import { ProblemList } from './problem-list.tsx'
import { ReadyRows } from './ready-rows.tsx'
import { RowMap, RowMapLegend } from './row-map.tsx'
import { type Bulk, type CheckedRow, useBulk } from './use-bulk.ts'

/** Many payouts from a file: every problem is shown before anything is paid. */
export function BulkPage() {
  const place = useParams({ strict: false }) as Place
  const may = permissionsIn(useMe(), place)
  const [file, setFile] = useState<OpenFile>()
  const [results, setResults] = useState<readonly BulkResult[]>()
  const restart = () => {
    setFile(undefined)
    setResults(undefined)
  }
  if (!may.has('payouts:create')) return <Forbidden permission="payouts:create" title="Many payouts" />
  if (file && results) return <BulkResults name={file.name} onAnother={restart} place={place} results={results} />
  if (file) return <CheckedFile file={file} onAnother={restart} onPaid={setResults} place={place} />
  return (
    <Page actions={<PayoutWays place={place} />} title="Many payouts">
      <div className="grid items-start gap-4 wide:grid-cols-[8fr_4fr]">
        <FileCard onRead={setFile} />
        <ColumnsCard />
      </div>
    </Page>
  )
}

interface CheckedFileProps {
  readonly place: Place
  readonly file: OpenFile
  readonly onAnother: () => void
  readonly onPaid: (results: readonly BulkResult[]) => void
}

function CheckedFile({ place, file, onAnother, onPaid }: CheckedFileProps) {
  const bulk = useBulk(place, file.rows)
  const ready = bulk.rows.filter(({ state }) => state === 'ready')
  const pay = usePay(place, onPaid)
  const isChecked = !bulk.isChecking && bulk.error === null
  return (
    <Page
      about={
        <span className="flex flex-wrap items-center gap-x-3">
          <span className="rounded-xs bg-surface-3 px-1.5 py-0.5 font-mono text-xs text-ink-2">{file.name}</span>
          <span aria-live="polite">{progressOf(bulk)}</span>
        </span>
      }
      actions={<Button onClick={onAnother}>Another file</Button>}
      title="Many payouts"
    >
      <ActionProblem error={bulk.error} />
      <div className="grid items-start gap-4 wide:grid-cols-[8fr_4fr]">
        <div className="grid gap-4">
          <Card actions={<RowMapLegend />} isFlush title={headingOf(bulk.rows)}>
            <div className="px-4 pb-4">
              <RowMap rows={bulk.rows} />
            </div>
            <ProblemList bulk={bulk} place={place} />
          </Card>
          <ReadyRows ready={ready} />
        </div>
        <PayCard
          error={pay.error}
          isBusy={pay.isBusy}
          isChecked={isChecked}
          onPay={() => pay.run(ready)}
          ready={ready}
          totals={bulk.totals}
        />
      </div>
    </Page>
  )
}

function progressOf({ rows, isChecking, checkedInMs }: Bulk): string {
  if (isChecking) return `Checking ${counted(rows.length, 'row')}…`
  return checkedInMs === undefined
    ? counted(rows.length, 'row')
    : `${counted(rows.length, 'row')}, checked in ${(checkedInMs / 1000).toFixed(1)} s`
}

function headingOf(rows: readonly CheckedRow[]): string {
  const count = (wanted: CheckedRow['state']) => rows.filter(({ state }) => state === wanted).length
  const problems = count('problem')
  return `${count('ready').toLocaleString('en')} ready, ${problems === 0 ? 'no problems' : counted(problems, 'problem')}`
}

/** The intention is the list of ready rows: trying again after a lost response sends the same list under the same key. */
function usePay(place: Place, onPaid: (results: readonly BulkResult[]) => void) {
  return useAction({
    run: async (ready: readonly CheckedRow[], key) => {
      const body = { payouts: ready.map(({ row }) => payoutOf(row)) }
      const { data } = await merchantApi(place)('postFiatPayoutsBulk', { body, key })
      return data.flatMap((outcome, index) => {
        const checked = ready[index]
        return checked ? [{ checked, outcome }] : []
      })
    },
    done: () => undefined,
    changes: [
      ['user', place],
      ['payments', place],
      ['summary', place],
    ],
    onDone: onPaid,
  })
}
