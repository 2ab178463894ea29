import { Link } from '@tanstack/react-router'
import { operatorApi } from '../../../api/operator-api.ts'
import type { Environment } from '../../../api/place.ts'
import { Card } from '../../../ui/card.tsx'
import { countryText } from '../../../ui/country.ts'
import { type Column, DataTable } from '../../../ui/data-table.tsx'
import { TextField } from '../../../ui/field.tsx'
import { Money } from '../../../ui/money.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'
import { Nothing } from '../parts/nothing.tsx'
import { useOperator } from '../parts/use-operator.ts'
import type { Overview } from './queries.ts'

type Wallet = Overview['wallets'][number]

export interface PartProps {
  readonly merchant: Overview
  readonly env: Environment
}

export function Wallets({ merchant, env }: PartProps) {
  const { may } = useOperator()
  const wallets = merchant.wallets.filter((wallet) => wallet.env === env)
  return (
    <Card
      actions={
        <>
          {may('ledger:read') && (
            <Link
              className="text-xs font-medium text-brand"
              search={{ kind: 'wallet', merchant: merchant.id }}
              to="/operator/ledger"
            >
              In the ledger
            </Link>
          )}
          {may('money:move') && <Fund env={env} merchant={merchant} />}
        </>
      }
      isFlush
      title="Wallets"
    >
      <DataTable
        columns={columns}
        empty={<Nothing title="No wallet yet">The first payment or the first funding in a currency makes it.</Nothing>}
        keyOf={({ currency, country }) => `${currency} ${country}`}
        label="Wallets, table"
        rows={wallets}
      />
    </Card>
  )
}

const money = (name: 'available' | 'pending' | 'owed') => {
  const cell = (wallet: Wallet) =>
    Number(wallet[name]) === 0 ? '–' : <Money amount={wallet[name]} currency={wallet.currency} />
  return cell
}

const columns: readonly Column<Wallet>[] = [
  {
    head: 'Wallet',
    cell: ({ currency, country }) => (
      <>
        <b className="font-semibold">{currency}</b> <span className="text-ink-3">{countryText(country)}</span>
      </>
    ),
  },
  { head: 'Held', isNumber: true, isWideOnly: true, cell: money('pending') },
  { head: 'Owed', isNumber: true, isWideOnly: true, cell: money('owed') },
  {
    head: 'Available',
    isNumber: true,
    cell: ({ available, currency }) => <Money amount={available} currency={currency} />,
  },
]

function Fund({ merchant: { id, name }, env }: PartProps) {
  return (
    <FormDialog
      done="The wallet is funded"
      run={({ currency = '', country = '', amount = '', evidence = '', reason = '' }) =>
        operatorApi('postMerchantsMerchantWalletsFund', {
          path: { merchant: id },
          body: { env, currency: currency.toUpperCase(), country: country.toUpperCase(), amount, evidence, reason },
        })
      }
      title={`Fund a wallet of ${name}`}
      verb={env === 'live' ? 'Propose the funding' : 'Fund the wallet'}
      word="Fund"
    >
      <p className="text-ink-2">
        For money that came to our bank: debit treasury, credit the wallet.
        {env === 'live' && ' Live money: another person sees the entries and approves it.'}
      </p>
      <div className="grid grid-cols-3 gap-3">
        <TextField label="Currency" maxLength={3} name="currency" required />
        <TextField label="Country" maxLength={2} name="country" required />
        <TextField inputMode="decimal" label="Amount" name="amount" required />
      </div>
      <TextField hint="The bank line. It is used once." label="Evidence" name="evidence" required />
    </FormDialog>
  )
}
