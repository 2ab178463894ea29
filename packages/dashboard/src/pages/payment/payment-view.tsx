import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { CallError } from '../../api/call.ts'
import type { Place } from '../../api/place.ts'
import { permissionsIn, useMe } from '../../session.ts'
import { Button } from '../../ui/button.tsx'
import { Note } from '../../ui/note.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { type Payment, paymentQuery } from '../payments/payments-query.ts'
import { ApiTab } from './api-tab.tsx'
import { MoneyTab } from './money-tab.tsx'
import { PaymentActions } from './payment-actions.tsx'
import { PaymentHead } from './payment-head.tsx'
import { type OnePayment, readPayment, webhooksQuery } from './payment-queries.ts'
import { RawTab } from './raw-tab.tsx'
import { TimelineTab } from './timeline-tab.tsx'
import { WebhooksTab } from './webhooks-tab.tsx'

interface PaymentViewProps {
  readonly place: Place
  readonly transactionId: string
  readonly isInDrawer: boolean
  /** What a list has of the payment: it is shown while the rest is read. */
  readonly known?: Payment | undefined
}

/** One payment: the amount and what happened in one sentence, then by time, money, webhooks and requests. */
export function PaymentView({ place, transactionId, isInDrawer, known }: PaymentViewProps) {
  const { data: payment, error, refetch } = useQuery(paymentQuery(place, transactionId))
  const may = permissionsIn(useMe(), place)
  const queries = useQueryClient()
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each payment; what is read again follows its queries.
  useEffect(() => readPayment(queries, place, transactionId, may), [transactionId])
  if (!payment && error) return <Problem error={error} onAgain={() => void refetch()} />
  const shown = payment ?? known
  if (!shown) return <Loading />
  return (
    <>
      <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-4 px-5 pb-6 max-phone:px-4">
        <PaymentHead isInDrawer={isInDrawer} payment={shown} place={place} />
        <Parts may={may} payment={payment} place={place} transactionId={transactionId} />
      </div>
      {payment ? <PaymentActions may={may} payment={payment} place={place} /> : <ActionsToCome />}
    </>
  )
}

/** As high as the actions: they depend on what is still being read. */
const ActionsToCome = () => (
  <div className="sticky bottom-0 mt-auto h-[57px] flex-none border-t border-line bg-surface max-wide:bottom-14" />
)

const names = ['timeline', 'money', 'webhooks', 'api', 'raw'] as const
type Name = (typeof names)[number]
const words: Readonly<Record<Name, string>> = {
  timeline: 'Timeline',
  money: 'Money',
  webhooks: 'Webhooks',
  api: 'API',
  raw: 'Raw',
}

/** Walking along the list keeps the tab. */
let lastOpen: Name = 'timeline'

interface PartsProps {
  readonly place: Place
  readonly transactionId: string
  readonly payment: OnePayment | undefined
  readonly may: ReadonlySet<string>
}

function Parts({ place, transactionId, payment, may }: PartsProps) {
  const [open, setOpen] = useState<Name>(lastOpen)
  const { data: webhooks } = useQuery(webhooksQuery(place, transactionId, may.has('webhooks:read')))
  const show = (name: Name) => {
    lastOpen = name
    setOpen(name)
  }
  const parts: Readonly<Record<Name, () => ReactNode>> = {
    timeline: () => (payment ? <TimelineTab may={may} payment={payment} place={place} /> : loadingPart),
    money: () => <MoneyTab place={place} transactionId={transactionId} />,
    webhooks: () => <WebhooksTab may={may} place={place} transactionId={transactionId} />,
    api: () => <ApiTab may={may} place={place} transactionId={transactionId} />,
    raw: () => (payment ? <RawTab payment={payment} /> : loadingPart),
  }
  const tabs = names.map((name) => ({
    name,
    word: words[name],
    ...(name === 'webhooks' && webhooks && webhooks.length > 0 && { count: webhooks.length }),
  }))
  return (
    <Tabs label="Parts of the payment" onOpen={show} open={open} tabs={tabs}>
      {parts[open]()}
    </Tabs>
  )
}

const loadingPart = <div aria-busy="true" className="skeleton delayed mt-4 h-64" />

function Problem({ error, onAgain }: { readonly error: Error; readonly onAgain: () => void }) {
  const isMissing = error instanceof CallError && error.status === 404
  return (
    <div className="grid gap-3 px-5 py-4">
      <Note look="fail">{isMissing ? 'There is no such payment in this environment.' : error.message}</Note>
      {!isMissing && (
        <div>
          <Button onClick={onAgain}>Try again</Button>
        </div>
      )}
    </div>
  )
}

function Loading() {
  return (
    <div aria-busy="true" aria-label="Loading the payment" className="delayed grid gap-4 px-5 py-2" role="status">
      <span className="skeleton h-5 w-40" />
      <span className="skeleton h-9 w-56" />
      <span className="skeleton h-16" />
      <span className="skeleton h-10" />
      <span className="skeleton h-64" />
    </div>
  )
}
