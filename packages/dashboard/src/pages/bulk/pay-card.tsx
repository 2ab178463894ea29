import { useState } from 'react'
import type { Schemas } from '../../generated/merchant-api.ts'
import { ActionProblem } from '../../ui/action-problem.tsx'
import { fromMinor, readAmount, toMinor } from '../../ui/amount.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { counted } from '../../ui/counted.ts'
import { TextField } from '../../ui/field.tsx'
import { type Figure, Figures, Verified } from '../../ui/figures.tsx'
import { Money } from '../../ui/money.tsx'
import { Note } from '../../ui/note.tsx'
import { type Sum, sumsByCurrency, sumsByDestination, sumsByWallet } from './bulk-sums.ts'
import type { CheckedRow } from './use-bulk.ts'

interface PayCardProps {
  readonly ready: readonly CheckedRow[]
  readonly totals: readonly Schemas['WalletTotal'][]
  /** The rows as shown are checked. */
  readonly isChecked: boolean
  readonly isBusy: boolean
  readonly error: Error | null
  readonly onPay: () => void
}

/** What the ready rows come to, and the button after the totals are typed. */
export function PayCard({ ready, totals, isChecked, isBusy, error, onPay }: PayCardProps) {
  const sums = sumsByCurrency(ready)
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({})
  const isTyped = sums.every(({ currency, amount }) => readAmount(typed[currency] ?? '', currency).amount === amount)
  const missing = totals.filter((total) => total.missing > 0)
  return (
    <Card className="shadow-raised" title={`If you pay the ${counted(ready.length, 'ready row')}`}>
      <div className="grid gap-3.5">
        <Destinations ready={ready} sums={sums} />
        <Figures figures={sumsByWallet(ready).flatMap((sum) => walletFacts(sum, totals))} />
        {missing.map(({ currency, missing: lacks }) => (
          <Note key={currency} look="warn">
            The {currency} wallet lacks <Money amount={lacks} currency={currency} /> for all rows. Rows are taken in the
            order of the file.
          </Note>
        ))}
        {sums.map(({ currency, amount }) => (
          <TextField
            hint="The total without fees."
            inputMode="decimal"
            key={currency}
            label={`Type ${plain(amount)} to confirm, ${currency}`}
            onChange={({ target }) => setTyped({ ...typed, [currency]: target.value })}
            value={typed[currency] ?? ''}
          />
        ))}
        <ActionProblem error={error} />
        <Button
          className="h-10"
          disabled={ready.length === 0 || !isTyped || !isChecked}
          icon="out"
          isBusy={isBusy}
          look="primary"
          onClick={onPay}
        >
          {outcomeOf(ready)}
        </Button>
        <p className="text-xs text-ink-3">
          Each row is its own payout with its own outcome. Sending the same file again pays nothing twice: references
          are unique. Names of account holders are not looked up for files.
        </p>
      </div>
    </Card>
  )
}

/** As a person types it: without decimals that are zero. */
const plain = (amount: string) => amount.replace(/\.0+$/, '')

function outcomeOf(ready: readonly CheckedRow[]): string {
  const waiting = ready.filter(({ item }) => item?.needsApproval).length
  const paid = ready.length - waiting
  if (waiting === 0) return `Pay ${paid.toLocaleString('en')}`
  if (paid === 0) return `Send ${waiting.toLocaleString('en')} for approval`
  return `Pay ${paid.toLocaleString('en')}, send ${waiting.toLocaleString('en')} for approval`
}

function walletFacts(
  { currency, country, amount }: Sum & { country: string },
  totals: PayCardProps['totals'],
): Figure[] {
  const total = totals.find((each) => each.currency === currency && each.country === country)
  const after = total && fromMinor(toMinor(total.available, currency) - toMinor(amount, currency), currency)
  return [
    { name: `Leaves your ${currency} wallet`, value: <Money amount={amount} currency={currency} />, look: 'total' },
    ...(total && after !== undefined
      ? [
          { name: `Available now, ${currency}`, value: <Money amount={total.available} currency={currency} /> },
          { name: `Available after, ${currency}`, value: <Money amount={after} currency={currency} /> },
        ]
      : []),
  ]
}

const cell = 'py-1.5 pl-3 text-right whitespace-nowrap first:pl-0 first:text-left'

function Destinations({ ready, sums }: { readonly ready: readonly CheckedRow[]; readonly sums: readonly Sum[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: an area that scrolls sideways is reached by keyboard.
    <section aria-label="Totals by destination" className="overflow-x-auto" tabIndex={0}>
      <table className="w-full">
        <thead>
          <tr className="border-b border-line text-2xs text-ink-3">
            {['Destination', 'Rows', 'Amount', 'Fees'].map((head) => (
              <th className={`font-medium ${cell}`} key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {sumsByDestination(ready).map(({ destination, currency, debitCurrency, rows, amount, fee }) => (
            <tr className="border-b border-line" key={`${destination} ${currency} ${debitCurrency}`}>
              <td className={cell}>{destination}</td>
              <td className={cell}>{rows.toLocaleString('en')}</td>
              <td className={cell}>
                <Money amount={amount} currency={currency} />
              </td>
              <td className={`text-ink-3 ${cell}`}>
                <Money amount={fee} currency={debitCurrency} />
              </td>
            </tr>
          ))}
        </tbody>
        <tfoot className="border-t border-line-3">
          {sums.map(({ currency, rows, amount }) => (
            <tr key={currency}>
              <th className={`font-semibold ${cell}`} scope="row">
                Total
              </th>
              <td className={`font-semibold ${cell}`}>{rows.toLocaleString('en')}</td>
              <td className={cell}>
                <Verified>
                  <Money amount={amount} currency={currency} />
                </Verified>
              </td>
              <td />
            </tr>
          ))}
        </tfoot>
      </table>
    </section>
  )
}
