import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useDeferredValue, useState } from 'react'
import { operatorApi } from '../../../api/operator-api.ts'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { CopyText } from '../../../ui/copy-text.tsx'
import { countryText } from '../../../ui/country.ts'
import { type Column, DataTable } from '../../../ui/data-table.tsx'
import { Empty } from '../../../ui/empty.tsx'
import { TextField } from '../../../ui/field.tsx'
import { Page } from '../../../ui/page.tsx'
import { Time } from '../../../ui/time.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'
import { QueryProblem } from '../parts/query-problem.tsx'
import { useOperator } from '../parts/use-operator.ts'
import { MerchantState } from './merchant-state.tsx'
import { type Merchant, merchantsQuery } from './queries.ts'

/** All merchants. The search looks through those that are loaded. */
export function MerchantsPage() {
  const { may } = useOperator()
  const [typed, setTyped] = useState('')
  const words = useDeferredValue(typed.trim().toLowerCase())
  const { data, error, hasNextPage, fetchNextPage, isFetching } = useInfiniteQuery(merchantsQuery)
  const all = data?.pages.flat()
  const found = all?.filter(({ id, name, email, country }) =>
    [id, name, email, country].some((text) => text.toLowerCase().includes(words)),
  )
  return (
    <Page
      about={all && `${all.length.toLocaleString('en')}${hasNextPage ? '+' : ''} merchants`}
      actions={may('merchants:write') && <NewMerchant />}
      title="Merchants"
    >
      <TextField
        className="max-w-[420px]"
        label="Find a merchant"
        onChange={(event) => setTyped(event.target.value)}
        placeholder="Name, e-mail, country or mer_…"
        type="search"
        value={typed}
      />
      <QueryProblem error={error} />
      {found && (
        <Card className="pt-0!" isFlush>
          <DataTable
            columns={columns}
            empty={
              <Empty title={words === '' ? 'No merchant yet' : 'No merchant fits'}>
                {words === ''
                  ? 'Create the first one here, or with malipo merchants create.'
                  : `Nothing has “${typed.trim()}” in it.`}
              </Empty>
            }
            keyOf={({ id }) => id}
            label="Merchants, table"
            rows={found}
          />
          {hasNextPage && (
            <div className="border-t border-line p-3">
              <Button isBusy={isFetching} onClick={() => void fetchNextPage()}>
                Load more merchants
              </Button>
            </div>
          )}
        </Card>
      )}
    </Page>
  )
}

const columns: readonly Column<Merchant>[] = [
  {
    head: 'Merchant',
    cell: ({ id, name, email }) => (
      <>
        <Link
          className="font-semibold hover:text-brand hover:underline"
          params={{ merchant: id }}
          to="/operator/merchants/$merchant"
        >
          {name}
        </Link>
        <span className="block text-xs break-all text-ink-3">{email}</span>
      </>
    ),
  },
  { head: 'Country', isWideOnly: true, cell: ({ country }) => countryText(country) },
  { head: 'State', cell: ({ state }) => <MerchantState state={state} /> },
  { head: 'Since', isWideOnly: true, cell: ({ createdAt }) => <Time at={createdAt} className="text-ink-3" isDate /> },
  { head: 'Id', isWideOnly: true, cell: ({ id }) => <CopyText text={id} what="Merchant" /> },
]

function NewMerchant() {
  const navigate = useNavigate()
  return (
    <FormDialog
      done="The merchant is created"
      hasReason={false}
      icon="plus"
      look="primary"
      onDone={(made) =>
        void navigate({ to: '/operator/merchants/$merchant', params: { merchant: (made as Merchant).id } })
      }
      run={({ name = '', email = '', firstName = '', lastName = '', country = '' }) =>
        operatorApi('postMerchants', { body: { name, email, firstName, lastName, country: country.toUpperCase() } })
      }
      title="Create a merchant"
      verb="Create the merchant"
      word="Create a merchant"
    >
      <TextField label="Name of the business" name="name" required />
      <TextField label="E-mail" name="email" required type="email" />
      <div className="grid grid-cols-2 gap-3">
        <TextField label="First name of the owner" name="firstName" required />
        <TextField label="Last name of the owner" name="lastName" required />
      </div>
      <TextField hint="Two letters, such as KE" label="Country" maxLength={2} name="country" required />
    </FormDialog>
  )
}
