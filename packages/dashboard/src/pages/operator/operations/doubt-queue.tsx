import { useInfiniteQuery } from '@tanstack/react-query'
import type { Environment } from '../../../api/place.ts'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { counted } from '../../../ui/counted.ts'
import { CurrencySums } from '../../../ui/currency-sums.tsx'
import { type Column, DataTable } from '../../../ui/data-table.tsx'
import { Empty } from '../../../ui/empty.tsx'
import { Money } from '../../../ui/money.tsx'
import { QueryProblem } from '../parts/query-problem.tsx'
import { ageText, methodText, nameText, providerText, upperFirst } from '../parts/words.ts'
import { isOut, type ListedPayment, paymentsQuery } from '../payments/queries.ts'
import type { MorningCheck } from './gauges.tsx'

interface DoubtQueueProps {
  readonly env: Environment
  readonly opened: string | undefined
  readonly onOpen: (id: string) => void
  /** Of all of them, whatever is loaded here. */
  readonly sums: MorningCheck['inDoubt']
}

/** Payments that need a person, the oldest first. */
export function DoubtQueue({ env, opened, onOpen, sums }: DoubtQueueProps) {
  const { data, error, hasNextPage, fetchNextPage } = useInfiniteQuery(paymentsQuery({ isDoubtOnly: true, env }))
  const payments = data?.pages.flatMap((page) => page.payments)
  return (
    <Card about={payments && `${payments.length}${hasNextPage ? '+' : ''} open`} isFlush title="Payments in doubt">
      <div className="px-4">
        <QueryProblem error={error} />
      </div>
      {payments && (
        <DataTable
          columns={columnsOf(onOpen)}
          empty={
            <Empty title="No payment is in doubt">
              A payment comes here when its provider gives no clear response, or when it waits for something that staff
              can remove.
            </Empty>
          }
          isSelected={({ id }) => id === opened}
          keyOf={({ id }) => id}
          label="Payments in doubt, table"
          rows={payments}
        />
      )}
      <CurrencySums
        label="Sums in doubt"
        sums={sums.map(({ payments: count, ...sum }) => ({
          ...sum,
          about: `${counted(count, 'payment')} ${sum.isOut ? 'out' : 'in'}`,
        }))}
      />
      {hasNextPage && (
        <div className="border-t border-line p-3">
          <Button onClick={() => void fetchNextPage()}>Show more</Button>
        </div>
      )}
    </Card>
  )
}

const daySeconds = 86_400

/** The merchant's own name for the payment. */
const Reference = ({ text, className = '' }: { readonly text: string; readonly className?: string }) => (
  <span className={`block max-w-[170px] truncate font-mono text-xs text-ink-2 ${className}`} title={text}>
    {text}
  </span>
)

const columnsOf = (onOpen: (id: string) => void): readonly Column<ListedPayment>[] => [
  {
    head: 'Age and doubt',
    cell: ({ ageSeconds, doubt, stage, merchant, externalReference }) => (
      <>
        <span className="block font-semibold phone:hidden">{merchant.name}</span>
        <Reference className="phone:hidden" text={externalReference} />
        <b className={`block font-semibold whitespace-nowrap ${ageSeconds > daySeconds ? 'text-fail' : ''}`}>
          {ageText(ageSeconds)}
        </b>
        <span className="text-xs text-doubt">{upperFirst(nameText(doubt || stage.toLowerCase()))}</span>
      </>
    ),
  },
  {
    head: 'Amount',
    isNumber: true,
    cell: ({ amount, currency, type }) => (
      <>
        <Money amount={amount} currency={currency} isOut={isOut(type)} />
        <span className="block text-xs text-ink-3">{type}</span>
      </>
    ),
  },
  {
    head: 'Merchant',
    isWideOnly: true,
    cell: ({ merchant, provider, method, externalReference }) => (
      <>
        <b className="block font-semibold">{merchant.name}</b>
        <Reference text={externalReference} />
        <span className="text-xs text-ink-3">
          {provider ? providerText(provider) : 'no provider yet'}, {methodText(method)}
        </span>
      </>
    ),
  },
  {
    head: 'What happens next',
    isWideOnly: true,
    className: 'text-xs text-ink-2 min-w-[170px]',
    cell: ({ reason, nextPollInSeconds }) => (
      <>
        {upperFirst(reason)}
        {nextPollInSeconds !== undefined && nextPollInSeconds > 0 && `; next check in ${ageText(nextPollInSeconds)}`}
      </>
    ),
  },
  {
    head: 'Action',
    isNumber: true,
    cell: ({ id, merchant, amount }) => (
      <Button aria-label={`Open the payment of ${merchant.name}, ${amount}`} onClick={() => onOpen(id)}>
        Open
      </Button>
    ),
  },
]
