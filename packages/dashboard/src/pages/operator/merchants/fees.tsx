import { useQuery } from '@tanstack/react-query'
import { operatorApi } from '../../../api/operator-api.ts'
import { Card } from '../../../ui/card.tsx'
import { type Column, DataTable } from '../../../ui/data-table.tsx'
import { SelectField, TextField } from '../../../ui/field.tsx'
import { moneyText } from '../../../ui/money.tsx'
import { Time } from '../../../ui/time.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'
import { Nothing } from '../parts/nothing.tsx'
import { QueryProblem } from '../parts/query-problem.tsx'
import { useOperator } from '../parts/use-operator.ts'
import { methodText, upperFirst } from '../parts/words.ts'
import { feesQuery, type Overview } from './queries.ts'
import type { PartProps } from './wallets.tsx'

type Fee = Overview['fees'][number]

/** Fee rules of this merchant and of every merchant, in force or to come. */
export function Fees({ merchant, env }: PartProps) {
  const { may } = useOperator()
  const { data = [], error } = useQuery(feesQuery(env))
  const rules = data.filter(
    ({ merchantId = merchant.id, status }) => merchantId === merchant.id && status !== 'superseded',
  )
  return (
    <Card actions={may('fees:write') && <ProposeFee env={env} merchant={merchant} />} isFlush title="Fees">
      <div className="px-4">
        <QueryProblem error={error} />
      </div>
      <DataTable
        columns={columns}
        empty={
          <Nothing title="No fee rule">
            A payment without a rule is not accepted: set one here, or for every merchant with malipo fees set.
          </Nothing>
        }
        keyOf={({ id }) => id}
        label="Fees, table"
        rows={rules}
      />
    </Card>
  )
}

/** A rule that does not name it is for all. */
const isAny = (name: string) => name === '*' || name === ''

const columns: readonly Column<Fee>[] = [
  {
    head: 'Of',
    cell: ({ operation, method, currency, merchantId }) => (
      <>
        <b className="block font-semibold">
          {upperFirst(operation)}s, {isAny(currency) ? 'every currency' : currency}
        </b>
        <span className="text-xs text-ink-3">
          {isAny(method) ? 'every method' : methodText(method)},{' '}
          {merchantId === undefined ? 'every merchant' : 'this merchant'}
        </span>
      </>
    ),
  },
  { head: 'Price', isNumber: true, cell: priceOf },
  {
    head: 'From',
    isWideOnly: true,
    cell: ({ effectiveFrom, status }) => (
      <>
        {upperFirst(status)}
        {new Date(effectiveFrom).getTime() > 0 && (
          <Time at={effectiveFrom} className="block text-xs text-ink-3" isDate />
        )}
      </>
    ),
  },
]

function priceOf({ basisPoints, fixed, currency, min, max, isReturned }: Fee) {
  const parts = [
    `${basisPoints / 100} %`,
    ...(Number(fixed) === 0 ? [] : [`+ ${moneyText(fixed, currency)}`]),
    ...(min === undefined ? [] : [`min ${moneyText(min, currency)}`]),
    ...(max === undefined ? [] : [`max ${moneyText(max, currency)}`]),
    ...(isReturned ? ['returned with refunds'] : []),
  ]
  return parts.join(', ')
}

const operations = [
  { value: '', word: 'Charges and payouts' },
  { value: 'charge', word: 'Charges' },
  { value: 'payout', word: 'Payouts' },
  { value: 'refund', word: 'Refunds' },
]

function ProposeFee({ merchant: { id, name }, env }: PartProps) {
  return (
    <FormDialog
      done="The fee is set"
      run={({ operation, method, currency, percent = '0', fixed, min, max, from, reason = '' }) =>
        operatorApi('postFees', {
          body: {
            env,
            merchant: id,
            basisPoints: Math.round(Number(percent.replace(',', '.')) * 100),
            reason,
            ...(operation !== undefined && { operation: operation as Fee['operation'] }),
            method,
            currency: currency?.toUpperCase(),
            fixed,
            min,
            max,
            from,
          },
        })
      }
      title={`A fee of ${name}`}
      verb={env === 'live' ? 'Propose the fee' : 'Set the fee'}
      word="Set a fee"
    >
      {env === 'live' && <p className="text-ink-2">Live: another person must approve it.</p>}
      <div className="grid grid-cols-2 gap-3">
        <SelectField label="Of" name="operation" options={operations} />
        <TextField hint="momo, bank, card; empty: all" label="Method" name="method" />
        <TextField hint="Empty: all" label="Currency" maxLength={3} name="currency" />
        <TextField hint="Such as 1.5" inputMode="decimal" label="Percent" name="percent" required />
        <TextField inputMode="decimal" label="Plus a fixed amount" name="fixed" />
        <TextField hint="A day such as 2026-12-01; empty: now" label="From" name="from" />
        <TextField inputMode="decimal" label="At least" name="min" />
        <TextField inputMode="decimal" label="At most" name="max" />
      </div>
    </FormDialog>
  )
}
