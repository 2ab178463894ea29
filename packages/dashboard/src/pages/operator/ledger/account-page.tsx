import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { Money } from '../../../ui/money.tsx'
import { StatusBadge } from '../../../ui/status.tsx'
import { QueryProblem } from '../parts/query-problem.tsx'
import { Tile, Tiles } from '../parts/tiles.tsx'
import { accountKinds, accountLines, upperFirst } from '../parts/words.ts'
import { MoneyTab } from '../payments/money-tab.tsx'
import { paymentQuery } from '../payments/queries.ts'
import { EntriesTable } from './entries-table.tsx'
import { type Account, entriesQuery } from './queries.ts'

/** One account: its balance, its entries with the running balance, and the payment of a chosen entry drawn. */
export function AccountPage() {
  const { account: id } = useParams({ from: '/operator/ledger/accounts/$account' })
  const { open } = useSearch({ from: '/operator/ledger/accounts/$account' })
  const navigate = useNavigate({ from: '/operator/ledger/accounts/$account' })
  const { data, error, hasNextPage, fetchNextPage, isFetching } = useInfiniteQuery(entriesQuery(id))
  const account = data?.pages[0]?.account
  const entries = data?.pages.flatMap((page) => page.entries) ?? []
  const show = (transactionId: string | undefined) =>
    void navigate({
      search: (before) => ({ ...before, open: transactionId }) as never,
      replace: true,
      resetScroll: false,
    })
  return (
    <div className="mx-auto grid w-full max-w-[1440px] gap-4 px-6 pt-5 pb-10 max-phone:px-4">
      <nav aria-label="Path" className="flex flex-wrap items-center gap-2">
        <Link className="text-ink-2 hover:text-brand" to="/operator/ledger">
          Ledger
        </Link>
        <span className="text-ink-3">/</span>
        {account && (
          <Link className="text-ink-2 hover:text-brand" search={{ kind: account.kind }} to="/operator/ledger">
            {accountKinds[account.kind].word}
          </Link>
        )}
        {account?.merchant && <span className="text-ink-3">/ {account.merchant.name} /</span>}
        <h1 className="text-xl font-semibold tracking-[-0.01em]">
          {account ? accountLines(account.name)[0] : 'Account'}
        </h1>
      </nav>
      <QueryProblem error={error} />
      {account && <Figures account={account} />}
      {open !== undefined && <Drawn id={open} onClose={() => show(undefined)} />}
      {account && (
        <Card about="newest first, posted entries only" isFlush title="Entries">
          <EntriesTable currency={account.currency} entries={entries} onOpen={show} opened={open} />
          {hasNextPage && (
            <div className="border-t border-line p-3">
              <Button isBusy={isFetching} onClick={() => void fetchNextPage()}>
                Show older entries
              </Button>
            </div>
          )}
        </Card>
      )}
    </div>
  )
}

function Figures({ account }: { readonly account: Account }) {
  const { balance, held, debits, credits, currency, side } = account
  const money = (amount: string) => <Money amount={amount} currency={currency} />
  return (
    <Tiles label="Balance">
      <Tile
        about={side === 'credit' ? 'credits less debits' : 'debits less credits'}
        name="Balance now"
        value={money(balance)}
      />
      <Tile about="reserved for payments under way" name="Held" value={money(held)} />
      <Tile about="posted since the first entry" name="Debits" value={money(debits)} />
      <Tile about="posted since the first entry" name="Credits" value={money(credits)} />
    </Tiles>
  )
}

function Drawn({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const { data: payment, error } = useQuery(paymentQuery(id))
  return (
    <Card
      onClose={onClose}
      title={payment ? `${upperFirst(payment.type)} ${payment.externalReference}, drawn` : 'Payment, drawn'}
    >
      <QueryProblem error={error} />
      {payment && (
        <div className="grid gap-3">
          <div>
            <StatusBadge of={payment.stage} />
          </div>
          <MoneyTab payment={payment} />
        </div>
      )}
    </Card>
  )
}
