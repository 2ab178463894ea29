import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useShortcuts } from '../../../frame/shortcuts.ts'
import { Card } from '../../../ui/card.tsx'
import { Page } from '../../../ui/page.tsx'
import { QueryProblem } from '../parts/query-problem.tsx'
import { useOperator } from '../parts/use-operator.ts'
import { PaymentPanel } from '../payments/payment-panel.tsx'
import { Attention } from './attention.tsx'
import { DoubtQueue } from './doubt-queue.tsx'
import { Floats } from './floats.tsx'
import { Gauges } from './gauges.tsx'
import { operationsQuery } from './operations-query.ts'
import { ProviderBoard } from './provider-board.tsx'

/** What may need a person now, over all merchants. Everything that is not in order has its action beside it. */
export function OperationsPage() {
  const { env, may } = useOperator()
  const { open } = useSearch({ from: '/operator/' })
  const navigate = useNavigate({ from: '/operator/' })
  const { data: check, error } = useQuery(operationsQuery(env))
  const show = (id: string | undefined) =>
    void navigate({ search: (before) => ({ ...before, open: id }) as never, replace: true, resetScroll: false })
  useShortcuts({ Escape: () => show(undefined) })
  return (
    <Page about={`All merchants, ${env === 'live' ? 'live money' : 'sandbox'}`} title="Operations">
      <QueryProblem error={error} />
      {check && <Gauges check={check} />}
      <div className="grid items-start gap-4 wide:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
        <div className="grid min-w-0 gap-4">
          <DoubtQueue env={env} onOpen={show} opened={open} sums={check?.inDoubt ?? []} />
          {may('providers:read') && <ProviderBoard env={env} />}
        </div>
        <div className="grid min-w-0 gap-4 max-wide:order-first">
          {open !== undefined && <Decide id={open} onClose={() => show(undefined)} />}
          {open === undefined && check && <Attention check={check} />}
        </div>
      </div>
      {may('providers:read') && <Floats env={env} />}
    </Page>
  )
}

function Decide({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  return (
    <Card className="shadow-raised" onClose={onClose} title="Decide">
      <PaymentPanel id={id} key={id} />
    </Card>
  )
}
