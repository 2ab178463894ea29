import { Link } from '@tanstack/react-router'
import type { Place } from '../../api/place.ts'
import { Card } from '../../ui/card.tsx'
import { counted } from '../../ui/counted.ts'
import { Icon, type IconName } from '../../ui/icons.tsx'
import { moneyText } from '../../ui/money.tsx'
import type { Summary } from './summary-query.ts'

interface Matter {
  readonly title: string
  readonly words: string
  readonly icon: IconName
  readonly look: string
  readonly verb: string
  /** Below the merchant and environment. */
  readonly path: string
  readonly search?: Readonly<Record<string, string>>
}

const looks = {
  doubt: 'bg-doubt-soft text-doubt',
  wait: 'bg-wait-soft text-wait',
  fail: 'bg-fail-soft text-fail',
  warn: 'bg-warn-soft text-warn',
} as const

/** What does not end well by itself, each with the place to act. */
export function AttentionCard({
  place,
  attention,
}: {
  readonly place: Place
  readonly attention: Summary['attention']
}) {
  const matters = mattersOf(attention)
  return (
    <Card about={matters.length > 0 ? matters.length : undefined} isFlush title="Needs attention">
      {matters.length === 0 ? (
        <p className="flex items-center gap-2 px-4 pb-4 text-ink-3">
          <Icon className="text-ok" name="done" /> Nothing waits for you.
        </p>
      ) : (
        <ul>
          {matters.map((matter) => (
            <MatterRow key={matter.title} matter={matter} place={place} />
          ))}
        </ul>
      )}
    </Card>
  )
}

function MatterRow({ matter, place }: { readonly matter: Matter; readonly place: Place }) {
  const { title, words, icon, look, verb, path, search } = matter
  return (
    <li className="flex items-start gap-3 border-t border-line px-4 py-3">
      <span className={`grid size-7 shrink-0 place-items-center rounded-sm ${look}`}>
        <Icon name={icon} />
      </span>
      <span className="min-w-0 flex-1">
        <b className="block font-semibold">{title}</b>
        <span className="text-xs text-ink-3">{words}</span>
      </span>
      <Link
        aria-label={`${verb}: ${title}`}
        className="inline-flex h-8 shrink-0 items-center rounded-sm border border-line-2 px-3 font-medium hover:bg-hover"
        search={search as never}
        to={`/m/${place.merchantId}/${place.env}${path}` as never}
      >
        {verb}
      </Link>
    </li>
  )
}

function mattersOf(attention: Summary['attention']): Matter[] {
  return [
    ...doubts(attention),
    ...approvals(attention),
    ...endpoints(attention),
    ...short(attention),
    ...debts(attention),
  ]
}

/** One payment is opened; several are a list. */
const paymentsAt = (ids: readonly string[], count: number, several: Record<string, string>) => ({
  path: '/payments',
  search: count === 1 && ids[0] !== undefined ? { open: ids[0] } : several,
})

function doubts({ inDoubt: { count, transactionIds } }: Summary['attention']): Matter[] {
  if (count === 0) return []
  return [
    {
      title: `${counted(count, 'payment is', 'payments are')} in doubt`,
      words:
        'The provider has not reported the outcome for more than 15 minutes. It is asked again, and what is held stays held.',
      icon: 'doubt',
      look: looks.doubt,
      verb: 'Open',
      ...paymentsAt(transactionIds, count, { stage: 'UNCONFIRMED' }),
    },
  ]
}

function approvals({ payoutsToApprove }: Summary['attention']): Matter[] {
  if (payoutsToApprove === 0) return []
  return [
    {
      title: `${counted(payoutsToApprove, 'payout waits', 'payouts wait')} for approval`,
      words: 'Their money is held. Without a decision within 72 hours they are rejected and it returns.',
      icon: 'person',
      look: looks.wait,
      verb: 'Review',
      path: '/approvals',
    },
  ]
}

function endpoints({ webhookEndpoints: { failing, disabled } }: Summary['attention']): Matter[] {
  const matter = {
    icon: 'developers',
    look: looks.fail,
    verb: 'Inspect',
    path: '/developers',
    search: { tab: 'webhooks' },
  } as const
  return [
    ...(disabled > 0
      ? [
          {
            ...matter,
            title: `${counted(disabled, 'webhook endpoint is', 'webhook endpoints are')} disabled`,
            words: 'Every delivery failed for a long time. Events wait until the endpoint is enabled again.',
          },
        ]
      : []),
    ...(failing > 0
      ? [
          {
            ...matter,
            title: `${counted(failing, 'webhook endpoint is', 'webhook endpoints are')} failing`,
            words: 'The last deliveries failed. They are retried.',
          },
        ]
      : []),
  ]
}

function short({ underpaid: { count, transactionIds } }: Summary['attention']): Matter[] {
  if (count === 0) return []
  return [
    {
      title: `${counted(count, 'bank transfer charge is', 'bank transfer charges are')} short`,
      words: 'The customer has paid a part. The charge succeeds when the rest arrives before it expires.',
      icon: 'hourglass',
      look: looks.warn,
      verb: 'Open',
      ...paymentsAt(transactionIds, count, { status: 'pending', method: 'bank-transfer' }),
    },
  ]
}

function debts({ walletsBelowZero }: Summary['attention']): Matter[] {
  return walletsBelowZero.map(({ currency, country, owed }) => ({
    title: `The ${currency} wallet owes ${moneyText(owed, currency)}`,
    words: 'A provider took money back that the wallet did not have. The next credits cover it.',
    icon: 'balances',
    look: looks.warn,
    verb: 'Open',
    path: '/balances',
    search: { currency, country },
  }))
}
