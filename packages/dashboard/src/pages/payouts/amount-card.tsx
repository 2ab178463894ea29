import { readAmount } from '../../ui/amount.ts'
import { Card } from '../../ui/card.tsx'
import { countryText } from '../../ui/country.ts'
import { SelectField, TextField } from '../../ui/field.tsx'
import { moneyText } from '../../ui/money.tsx'
import { type PayoutDraft, type Wallet, walletKey } from './payout-draft.ts'
import type { PayoutCheck } from './use-payout-check.ts'

interface AmountCardProps {
  readonly draft: PayoutDraft
  readonly onChange: (draft: PayoutDraft) => void
  readonly wallets: readonly Wallet[]
  readonly wallet: Wallet | undefined
  readonly check: PayoutCheck
}

/** How much, from which wallet, and under which reference. */
export function AmountCard({ draft, onChange, wallets, wallet, check }: AmountCardProps) {
  const { currency } = draft.account
  const read = draft.amount === '' ? undefined : readAmount(draft.amount, currency)
  const walletProblem = check.problemOf('debitCurrency') ?? check.problemOf('debitCountry')
  return (
    <Card title="Amount">
      <div className="grid gap-3.5">
        <div className="grid gap-3 phone:grid-cols-[7fr_5fr]">
          <TextField
            inputMode="decimal"
            isLarge
            label={currency === '' ? 'Beneficiary receives' : `Beneficiary receives, ${currency}`}
            onChange={({ target }) => onChange({ ...draft, amount: target.value })}
            problem={read?.problem ?? check.problemOf('amount')}
            value={draft.amount}
          />
          <SelectField
            hint={wallet && `${moneyText(wallet.available, wallet.currency)} available`}
            label="Pay from"
            onChange={({ target }) => onChange({ ...draft, wallet: target.value })}
            options={wallets.map((each) => ({
              value: walletKey(each),
              word: `${each.currency} wallet, ${countryText(each.country)}`,
            }))}
            problem={walletProblem}
            value={wallet ? walletKey(wallet) : ''}
          />
        </div>
        <TextField
          hint="Use each reference once: it protects against paying twice."
          label="Your reference"
          maxLength={100}
          onChange={({ target }) => onChange({ ...draft, reference: target.value })}
          placeholder="supplier-0093"
          problem={referenceProblem(draft.reference) ?? check.problemOf('externalReference')}
          value={draft.reference}
        />
      </div>
    </Card>
  )
}

function referenceProblem(reference: string): string | undefined {
  return reference === '' || /^[\x21-\x7e]{1,100}$/.test(reference.trim())
    ? undefined
    : 'Letters, digits and signs without spaces, at most 100.'
}
