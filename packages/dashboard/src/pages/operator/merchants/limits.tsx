import { operatorApi } from '../../../api/operator-api.ts'
import { Card } from '../../../ui/card.tsx'
import { type Column, DataTable } from '../../../ui/data-table.tsx'
import { SelectField, TextField } from '../../../ui/field.tsx'
import { moneyText } from '../../../ui/money.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'
import { Nothing } from '../parts/nothing.tsx'
import { useOperator } from '../parts/use-operator.ts'
import type { Overview } from './queries.ts'
import type { PartProps } from './wallets.tsx'

type Limit = Overview['payoutControls'][number]['currencies'][number]

/** Payout limits, and which payouts need approval. */
export function Limits({ merchant, env }: PartProps) {
  const { may } = useOperator()
  const controls = merchant.payoutControls.find((each) => each.env === env)
  return (
    <Card
      actions={
        may('limits:write') && (
          <>
            <SetLimits env={env} merchant={merchant} />
            <SetApprovals env={env} merchant={merchant} />
          </>
        )
      }
      isFlush
      title="Payout limits and approval"
    >
      <DataTable
        columns={columns}
        empty={<Nothing title="No limit is set">Payouts are limited by the wallet only.</Nothing>}
        keyOf={({ currency }) => currency}
        label="Payout limits, table"
        rows={controls?.currencies ?? []}
      />
      <p className="px-4 py-3 text-xs text-ink-3">
        New beneficiaries {controls?.newBeneficiariesNeedApproval ? 'need' : 'do not need'} approval; bulk payouts{' '}
        {controls?.bulkNeedsApproval ? 'need' : 'do not need'} it.
      </p>
    </Card>
  )
}

type LimitName = Exclude<keyof Limit, 'currency'>

const limit = (head: string, name: LimitName): Column<Limit> => ({
  head,
  isNumber: true,
  cell: (row) => (row[name] === undefined ? '–' : moneyText(row[name], row.currency)),
})

const columns: readonly Column<Limit>[] = [
  { head: 'Currency', cell: ({ currency }) => <b className="font-semibold">{currency}</b> },
  limit('Each payout', 'perPayout'),
  limit('A day', 'perMerchantDay'),
  limit('Key, a day', 'perCredentialDay'),
  limit('Beneficiary, a day', 'perBeneficiaryDay'),
  limit('Approval above', 'approvalAbove'),
]

const second = (env: string) => env === 'live' && <p className="text-ink-2">Live: another person must approve it.</p>

function SetLimits({ merchant: { id, name }, env }: PartProps) {
  return (
    <FormDialog
      done="The limits are set"
      run={({ currency = '', reason = '', ...limits }) =>
        operatorApi('putMerchantsMerchantPayoutLimits', {
          path: { merchant: id },
          body: { env, currency: currency.toUpperCase(), reason, ...limits },
        })
      }
      title={`Payout limits of ${name}`}
      verb={env === 'live' ? 'Propose the limits' : 'Set the limits'}
      word="Set limits"
    >
      {second(env)}
      <TextField label="Currency" maxLength={3} name="currency" required />
      <div className="grid grid-cols-2 gap-3">
        <TextField hint="Empty: unchanged; none: no limit" inputMode="decimal" label="Each payout" name="perPayout" />
        <TextField label="The merchant, a day" name="perMerchantDay" />
        <TextField label="A key pair, a day" name="perCredentialDay" />
        <TextField label="A beneficiary, a day" name="perBeneficiaryDay" />
      </div>
    </FormDialog>
  )
}

const yesNo = [
  { value: '', word: 'Unchanged' },
  { value: 'yes', word: 'Yes' },
  { value: 'no', word: 'No' },
]

function SetApprovals({ merchant: { id, name }, env }: PartProps) {
  return (
    <FormDialog
      done="The rules are set"
      run={({ above, currency, newBeneficiaries, bulk, reason = '' }) =>
        operatorApi('putMerchantsMerchantApprovalRules', {
          path: { merchant: id },
          body: {
            env,
            reason,
            ...(above !== undefined && { above, currency: currency?.toUpperCase() }),
            ...(newBeneficiaries !== undefined && { newBeneficiaries: newBeneficiaries === 'yes' }),
            ...(bulk !== undefined && { bulk: bulk === 'yes' }),
          },
        })
      }
      title={`Which payouts of ${name} need approval`}
      verb={env === 'live' ? 'Propose the rules' : 'Set the rules'}
      word="Set approval"
    >
      {second(env)}
      <div className="grid grid-cols-2 gap-3">
        <TextField hint="An amount, or none" label="Payouts above" name="above" />
        <TextField label="In currency" maxLength={3} name="currency" />
        <SelectField label="New beneficiaries" name="newBeneficiaries" options={yesNo} />
        <SelectField label="Bulk payouts" name="bulk" options={yesNo} />
      </div>
    </FormDialog>
  )
}
