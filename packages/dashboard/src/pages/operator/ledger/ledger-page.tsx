import { useQuery } from '@tanstack/react-query'
import { Page } from '../../../ui/page.tsx'
import { QueryProblem } from '../parts/query-problem.tsx'
import { useOperator } from '../parts/use-operator.ts'
import { Accounts } from './accounts.tsx'
import { FindEntries } from './find-entries.tsx'
import { IntegrityPanel } from './integrity-panel.tsx'
import { trialBalanceQuery } from './queries.ts'
import { TrialBalance } from './trial-balance.tsx'

/** The books: every account of every currency, that they sum to zero, and how that is proved. */
export function LedgerPage() {
  const { env } = useOperator()
  const { data, error } = useQuery(trialBalanceQuery(env))
  return (
    <Page about={`Trial balance, ${env === 'live' ? 'live money' : 'sandbox'}`} title="Ledger">
      <QueryProblem error={error} />
      {data && <TrialBalance data={data} />}
      <div className="grid items-start gap-4 wide:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
        <Accounts />
        <div className="grid min-w-0 gap-4">
          <IntegrityPanel />
          <FindEntries />
        </div>
      </div>
    </Page>
  )
}
