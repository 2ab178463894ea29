import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useEffect, useMemo, useState } from 'react'
import type { Place } from '../../api/place.ts'
import { permissionsIn, useMe } from '../../session.ts'
import { ActionProblem } from '../../ui/action-problem.tsx'
import { Button } from '../../ui/button.tsx'
import { buttonLook } from '../../ui/button-look.ts'
import { Card } from '../../ui/card.tsx'
import { countryText } from '../../ui/country.ts'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Empty } from '../../ui/empty.tsx'
import { TextField } from '../../ui/field.tsx'
import { Page } from '../../ui/page.tsx'
import { Time } from '../../ui/time.tsx'
import { type Account, draftOf } from './account-draft.ts'
import { useRailName } from './account-fields.tsx'
import { allBeneficiariesQuery } from './beneficiaries-query.ts'
import { BeneficiaryDialog } from './beneficiary-dialog.tsx'
import { DeleteDialog } from './delete-dialog.tsx'

type Open = { readonly kind: 'add' } | { readonly kind: 'edit' | 'delete'; readonly account: Account } | undefined

/** The accounts that this merchant pays again and again. */
export function BeneficiariesPage() {
  const place = useParams({ strict: false }) as Place
  const may = permissionsIn(useMe(), place)
  const [open, setOpen] = useState<Open>()
  const [text, setText] = useState('')
  const { accounts, hasMore, loadMore, isLoading, error } = useFound(place, text)
  const canWrite = may.has('beneficiaries:write')
  const columns = useColumns(place, canWrite ? setOpen : undefined, may.has('payouts:create'))
  const add = (
    <Button icon="plus" look="primary" onClick={() => setOpen({ kind: 'add' })}>
      Add a beneficiary
    </Button>
  )
  return (
    <Page actions={canWrite && add} title="Beneficiaries">
      <Card isFlush>
        <div className="max-w-[380px] px-4 pb-3">
          <TextField
            label="Search"
            onChange={({ target }) => setText(target.value)}
            placeholder="Name or number"
            value={text}
          />
        </div>
        <div className="px-4">
          <ActionProblem error={error} />
        </div>
        {!isLoading && !error && (
          <DataTable
            columns={columns}
            empty={<NoBeneficiaries canWrite={canWrite} isFiltered={text !== ''} onClear={() => setText('')} />}
            keyOf={({ externalAccountId }) => externalAccountId}
            label="Beneficiaries"
            rows={accounts}
          />
        )}
        {hasMore && (
          <div className="border-t border-line p-3">
            <Button onClick={loadMore}>Show more</Button>
          </div>
        )}
      </Card>
      {open?.kind !== 'delete' && open && (
        <BeneficiaryDialog
          account={open.kind === 'edit' ? open.account : undefined}
          onClose={() => setOpen(undefined)}
          place={place}
        />
      )}
      {open?.kind === 'delete' && (
        <DeleteDialog account={open.account} onClose={() => setOpen(undefined)} place={place} />
      )}
    </Page>
  )
}

/** Searching loads all pages: the text stays in the browser, because it may be a phone number. */
function useFound(place: Place, text: string) {
  const { data, fetchNextPage, hasNextPage, isFetchingNextPage, isLoading, error } = useInfiniteQuery(
    allBeneficiariesQuery(place),
  )
  useEffect(() => {
    if (text !== '' && hasNextPage && !isFetchingNextPage) void fetchNextPage()
  }, [text, hasNextPage, isFetchingNextPage, fetchNextPage])
  const accounts = useMemo(() => {
    const all = data?.pages.flatMap((page) => page.data) ?? []
    const wanted = text.trim().toLowerCase()
    return all.filter(({ payoutMethod: { accountName, accountNumber } }) =>
      `${accountName} ${accountNumber}`.toLowerCase().includes(wanted),
    )
  }, [data, text])
  return { accounts, hasMore: hasNextPage, loadMore: () => void fetchNextPage(), isLoading, error }
}

function useColumns(place: Place, onOpen: ((open: Open) => void) | undefined, canPay: boolean): Column<Account>[] {
  const railName = useRailName(place)
  return [
    {
      head: 'Name',
      cell: ({ payoutMethod: { accountName, accountNumber } }) => (
        <>
          <b className="block font-medium">{accountName}</b>
          <span className="block text-xs text-ink-3 tabular-nums phone:hidden">{accountNumber}</span>
        </>
      ),
    },
    { head: 'Destination', cell: (account) => railName(draftOf(account)), isWideOnly: true },
    {
      head: 'Number',
      isWideOnly: true,
      cell: ({ payoutMethod }) => <span className="tabular-nums">{payoutMethod.accountNumber}</span>,
    },
    { head: 'Country', cell: ({ country, currency }) => `${countryText(country)}, ${currency}`, isWideOnly: true },
    {
      head: 'Added',
      isWideOnly: true,
      cell: ({ createdAt }) => <Time at={new Date(createdAt * 1000).toISOString()} className="text-ink-3" isDate />,
    },
    ...(canPay || onOpen
      ? [
          {
            head: 'Actions',
            isNumber: true,
            className: 'whitespace-nowrap',
            cell: (account: Account) => <RowActions account={account} canPay={canPay} onOpen={onOpen} place={place} />,
          },
        ]
      : []),
  ]
}

interface RowActionsProps {
  readonly account: Account
  readonly place: Place
  readonly canPay: boolean
  readonly onOpen: ((open: Open) => void) | undefined
}

function RowActions({ account, place, canPay, onOpen }: RowActionsProps) {
  const { externalAccountId, payoutMethod } = account
  const whose = payoutMethod.accountName
  return (
    <span className="inline-flex justify-end gap-1.5 max-phone:gap-1">
      {canPay && (
        <Link
          aria-label={`Pay ${whose}`}
          className={buttonLook()}
          params={place}
          search={{ beneficiary: externalAccountId }}
          to="/m/$merchantId/$env/payouts/new"
        >
          Pay
        </Link>
      )}
      {onOpen && (
        <>
          <Button aria-label={`Edit ${whose}`} onClick={() => onOpen({ kind: 'edit', account })}>
            Edit
          </Button>
          <Button aria-label={`Delete ${whose}`} look="danger" onClick={() => onOpen({ kind: 'delete', account })}>
            Delete
          </Button>
        </>
      )}
    </span>
  )
}

interface NoBeneficiariesProps {
  readonly canWrite: boolean
  readonly isFiltered: boolean
  readonly onClear: () => void
}

function NoBeneficiaries({ canWrite, isFiltered, onClear }: NoBeneficiariesProps) {
  if (isFiltered)
    return (
      <Empty action={<Button onClick={onClear}>Show all</Button>} title="No beneficiary matches">
        Search by a part of the name or of the number.
      </Empty>
    )
  return (
    <Empty title="No beneficiaries yet">
      {canWrite
        ? 'Add the accounts that you pay often. Their names are checked once, and a payout then needs only an amount.'
        : 'A person with the permission beneficiaries:write can add them.'}
    </Empty>
  )
}
