import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { exponents } from '../../../generated/values.ts'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { type Column, DataTable } from '../../../ui/data-table.tsx'
import { Empty } from '../../../ui/empty.tsx'
import { SelectField } from '../../../ui/field.tsx'
import { Money } from '../../../ui/money.tsx'
import { useIsPhone } from '../../../ui/use-media.ts'
import { QueryProblem } from '../parts/query-problem.tsx'
import { useOperator } from '../parts/use-operator.ts'
import { accountKindNames, accountKinds, accountLines } from '../parts/words.ts'
import { type Account, accountsQuery } from './queries.ts'

const any = { value: '', word: 'Any' }
const kindOptions = [any, ...accountKindNames.map((value) => ({ value, word: accountKinds[value].word }))]
const currencyOptions = [any, ...Object.keys(exponents).map((value) => ({ value, word: value }))]

/** More are shown on request: below them on a phone are the checks of the books. */
const phoneMax = 10

/** Accounts with their balances, by kind and currency. */
export function Accounts() {
  const { env } = useOperator()
  const search = useSearch({ from: '/operator/ledger' })
  const navigate = useNavigate({ from: '/operator/ledger' })
  const { kind, currency, merchant } = search
  const wanted = {
    env,
    ...(currency !== undefined && { currency }),
    ...(merchant !== undefined && { merchant }),
    ...(kind !== undefined && kind in accountKinds && { kind: kind as Account['kind'] }),
  }
  const { data, error, hasNextPage, fetchNextPage } = useInfiniteQuery(accountsQuery(wanted))
  const { rows, hidden, showAll } = useShortened(data?.pages.flatMap(({ accounts }) => accounts) ?? [])
  const set = (name: string, value: string) =>
    void navigate({
      search: (before) => ({ ...before, [name]: value === '' ? undefined : value }) as never,
      replace: true,
      resetScroll: false,
    })
  return (
    <Card isFlush title="Accounts">
      <div className="grid scroll-mt-4 grid-cols-2 gap-3 px-4 pb-3" id="accounts">
        <SelectField
          label="Kind"
          onChange={(event) => set('kind', event.target.value)}
          options={kindOptions}
          value={kind ?? ''}
        />
        <SelectField
          label="Currency"
          onChange={(event) => set('currency', event.target.value)}
          options={currencyOptions}
          value={currency ?? ''}
        />
      </div>
      {merchant !== undefined && (
        <div className="px-4 pb-3">
          <Button icon="close" look="quiet" onClick={() => set('merchant', '')}>
            Merchant is {merchant}
          </Button>
        </div>
      )}
      <div className="px-4">
        <QueryProblem error={error} />
      </div>
      {data && (
        <DataTable
          columns={columns}
          empty={<Empty title="No account fits">Choose another kind or currency.</Empty>}
          keyOf={({ account }) => account}
          label="Accounts, table"
          rows={rows}
        />
      )}
      {(hidden > 0 || hasNextPage) && (
        <div className="border-t border-line p-3">
          <Button onClick={hidden > 0 ? showAll : () => void fetchNextPage()}>Show more accounts</Button>
        </div>
      )}
    </Card>
  )
}

function useShortened(accounts: readonly Account[]) {
  const [isWhole, setWhole] = useState(false)
  const rows = useIsPhone() && !isWhole ? accounts.slice(0, phoneMax) : accounts
  return { rows, hidden: accounts.length - rows.length, showAll: () => setWhole(true) }
}

const columns: readonly Column<Account>[] = [
  {
    head: 'Account',
    cell: ({ account, name, merchant }) => (
      <>
        <Link
          className="font-semibold hover:text-brand hover:underline"
          params={{ account }}
          to="/operator/ledger/accounts/$account"
        >
          {accountLines(name)[0]}
        </Link>
        {merchant && <span className="block text-xs text-ink-3">{merchant.name}</span>}
      </>
    ),
  },
  {
    head: 'Held',
    isNumber: true,
    isWideOnly: true,
    cell: ({ held, currency }) => (Number(held) === 0 ? '–' : <Money amount={held} currency={currency} />),
  },
  {
    head: 'Balance',
    isNumber: true,
    cell: ({ balance, currency, side }) => (
      <>
        <Money amount={balance} currency={currency} />
        <span className="block text-2xs text-ink-3">{side}</span>
      </>
    ),
  },
]
