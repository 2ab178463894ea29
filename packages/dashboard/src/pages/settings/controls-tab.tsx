import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Money } from '../../ui/money.tsx'
import { Note } from '../../ui/note.tsx'
import { controlsQuery } from '../approvals/approvals-query.ts'
import { useMay, usePlace } from '../use-place.ts'
import { ApprovalsDialog, LimitsDialog } from './controls-dialogs.tsx'
import type { Controls } from './settings-query.ts'

type CurrencyControls = Controls['currencies'][number]

/** How much may leave, and what a second person decides. */
export function ControlsTab() {
  const place = usePlace()
  const mayChange = useMay().has('controls:write')
  const { data, error } = useQuery(controlsQuery(place))
  const [limits, setLimits] = useState<CurrencyControls | 'new'>()
  const [isChangingRules, setChangingRules] = useState(false)
  return (
    <div className="grid gap-4">
      {error && <Note look="fail">{error.message}</Note>}
      {!mayChange && (
        <Note>Changing limits and rules needs the permission controls:write. An owner of your team has it.</Note>
      )}
      {mayChange && place.env === 'live' && (
        <Note>
          In live you can only tighten them. Staff of the operator weaken them, with two people: ask them, with the
          reason.
        </Note>
      )}
      <Card
        about="Per day in UTC; what is pending counts"
        actions={
          mayChange && (
            <Button icon="plus" onClick={() => setLimits('new')}>
              Limit a currency
            </Button>
          )
        }
        isFlush
        title="Limits"
      >
        <DataTable
          columns={[...columns, ...(mayChange ? [changeColumn(setLimits)] : [])]}
          empty={
            data && (
              <Empty title="No limit is set">Payouts are limited by the balance only. Limit a currency sets one.</Empty>
            )
          }
          keyOf={({ currency }) => currency}
          label="Table of limits"
          rows={data?.currencies ?? []}
        />
      </Card>
      <Rules controls={data} mayChange={mayChange} onChange={() => setChangingRules(true)} />
      <LimitsDialog onClose={() => setLimits(undefined)} wanted={limits} />
      <ApprovalsDialog controls={isChangingRules ? data : undefined} onClose={() => setChangingRules(false)} />
    </div>
  )
}

const limitColumn = (head: string, name: keyof CurrencyControls): Column<CurrencyControls> => ({
  head,
  isNumber: true,
  cell: (row) => <Limit amount={row[name]} currency={row.currency} />,
})

function Limit({ amount, currency }: { readonly amount: string | undefined; readonly currency: string }) {
  if (amount === undefined) return <span className="text-ink-3">no limit</span>
  return <Money amount={amount} currency={currency} />
}

const columns: readonly Column<CurrencyControls>[] = [
  { head: 'Currency', cell: ({ currency }) => <b className="font-medium">{currency}</b> },
  limitColumn('One payout', 'perPayout'),
  limitColumn('Merchant, a day', 'perMerchantDay'),
  limitColumn('Person or key, a day', 'perCredentialDay'),
  limitColumn('Beneficiary, a day', 'perBeneficiaryDay'),
]

const changeColumn = (change: (row: CurrencyControls) => void): Column<CurrencyControls> => ({
  head: 'Actions',
  isNumber: true,
  cell: (row) => (
    <Button aria-label={`Change the limits of ${row.currency}`} onClick={() => change(row)}>
      Change
    </Button>
  ),
})

interface RulesProps {
  readonly controls: Controls | undefined
  readonly mayChange: boolean
  readonly onChange: () => void
}

function Rules({ controls, mayChange, onChange }: RulesProps) {
  if (!controls) return null
  const above = controls.currencies.filter(({ approvalAbove }) => approvalAbove !== undefined)
  const yes = (isSet: boolean) => (isSet ? 'a second person decides' : 'no approval')
  return (
    <Card
      about="Without a decision a payout is rejected after 72 hours"
      actions={mayChange && <Button onClick={onChange}>Change the rules</Button>}
      title="Approval rules"
    >
      <dl className="grid gap-2">
        <Rule name="Large payouts">
          {above.length === 0
            ? 'no approval'
            : above.map(({ currency, approvalAbove = '' }) => (
                <span className="block" key={currency}>
                  above <Money amount={approvalAbove} currency={currency} /> a second person decides
                </span>
              ))}
        </Rule>
        <Rule name="First payout to an account">{yes(controls.newBeneficiariesNeedApproval)}</Rule>
        <Rule name="Bulks">{yes(controls.bulkNeedsApproval)}</Rule>
      </dl>
    </Card>
  )
}

const Rule = ({ name, children }: { readonly name: string; readonly children: React.ReactNode }) => (
  <div className="grid gap-x-6 phone:grid-cols-[220px_1fr]">
    <dt className="text-ink-3">{name}</dt>
    <dd>{children}</dd>
  </div>
)
