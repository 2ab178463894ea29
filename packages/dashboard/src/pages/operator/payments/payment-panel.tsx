import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { CopyText } from '../../../ui/copy-text.tsx'
import { Money, moneyText } from '../../../ui/money.tsx'
import { StatusBadge } from '../../../ui/status.tsx'
import { type Tab, Tabs } from '../../../ui/tabs.tsx'
import { Time } from '../../../ui/time.tsx'
import { QueryProblem } from '../parts/query-problem.tsx'
import { methodText, providerText, upperFirst } from '../parts/words.ts'
import { DecideTab } from './decide-tab.tsx'
import { EventsTab } from './events-tab.tsx'
import { EvidenceTab } from './evidence-tab.tsx'
import { MoneyTab } from './money-tab.tsx'
import { type Payment, paymentQuery } from './queries.ts'

type TabName = 'decide' | 'evidence' | 'money' | 'events'

/** One payment as staff see it: why it is where it is, the evidence, and what can be done. */
export function PaymentPanel({ id }: { readonly id: string }) {
  const { data: payment, error } = useQuery(paymentQuery(id))
  const [tab, setTab] = useState<TabName>('decide')
  if (!payment) return <QueryProblem error={error} />
  const tabs: readonly Tab<TabName>[] = [
    { name: 'decide', word: 'Next steps' },
    { name: 'evidence', word: 'Evidence', count: payment.attempts.length + (payment.callbacks?.length ?? 0) },
    { name: 'money', word: 'Ledger' },
    { name: 'events', word: 'Timeline', count: payment.events.length },
  ]
  return (
    <div className="grid gap-4">
      <Head payment={payment} />
      <QueryProblem error={error} />
      <Tabs label="Parts of the payment" onOpen={setTab} open={tab} tabs={tabs}>
        <div className="pt-4">
          {tab === 'decide' && <DecideTab payment={payment} />}
          {tab === 'evidence' && <EvidenceTab payment={payment} />}
          {tab === 'money' && <MoneyTab payment={payment} />}
          {tab === 'events' && <EventsTab payment={payment} />}
        </div>
      </Tabs>
    </div>
  )
}

function Head({ payment }: { readonly payment: Payment }) {
  const { amount, currency, stage, id, merchant, externalReference, wallet, createdAt } = payment
  const facts = [
    ['Merchant', merchant.isFrozen ? `${merchant.name} (frozen)` : merchant.name],
    ['Reference', externalReference],
    ['Counterparty', [payment.accountName, payment.account].filter((text) => text !== '').join(' ') || '–'],
    ['Fee', moneyText(wallet.fee, wallet.currency)],
  ] as const
  return (
    <div className="grid gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <Money amount={amount} className="text-2xl tracking-[-0.02em]" currency={currency} />
        <span className="flex-1" />
        <StatusBadge of={stage} />
      </div>
      <div className="flex flex-wrap items-center gap-x-3 text-xs text-ink-2">
        <span>
          {upperFirst(methodText(payment.method))} {payment.code} by{' '}
          {providerText(payment.provider) || 'no provider yet'}
        </span>
        <Time at={createdAt} className="text-ink-3" />
        <span className="flex-1" />
        <CopyText text={id} what="Payment" />
      </div>
      <dl className="grid grid-cols-2 gap-x-6 gap-y-2">
        {facts.map(([name, value]) => (
          <div className="min-w-0" key={name}>
            <dt className="text-2xs text-ink-3">{name}</dt>
            <dd className="truncate font-medium" title={value}>
              {value}
            </dd>
          </div>
        ))}
      </dl>
    </div>
  )
}
