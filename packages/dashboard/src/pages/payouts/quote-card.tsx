import { fromMinor, toMinor } from '../../ui/amount.ts'
import { Card } from '../../ui/card.tsx'
import { type Figure, Figures, Verified } from '../../ui/figures.tsx'
import { Money } from '../../ui/money.tsx'
import { Note } from '../../ui/note.tsx'
import { Time } from '../../ui/time.tsx'
import type { Wallet } from './payout-draft.ts'
import type { Validation } from './payout-queries.ts'
import { plainMessage } from './plain-message.ts'
import type { PayoutCheck } from './use-payout-check.ts'

interface QuoteCardProps {
  readonly check: PayoutCheck
  readonly wallet: Wallet | undefined
  readonly rail: string
}

/** What the beneficiary gets and what it costs, by the server. */
export function QuoteCard({ check, wallet, rail }: QuoteCardProps) {
  const { validation, quote } = check
  const price = quote ?? validation
  return (
    <Card
      about={
        quote && (
          <>
            held until <Time at={quote.expiresAt} />
          </>
        )
      }
      className="shadow-raised"
      title="Quote"
    >
      {price?.debitAmount === undefined ? (
        <p className="text-ink-3">
          {check.isChecking && validation
            ? 'Checking…'
            : 'Enter a beneficiary and an amount. The fee and the rate appear here.'}
        </p>
      ) : (
        <Price isHeld={quote !== undefined} price={price} rail={rail} wallet={wallet} />
      )}
      <Problems validation={validation} />
    </Card>
  )
}

type Priced = Pick<Validation, 'amount' | 'currency' | 'fee' | 'debitAmount' | 'debitCurrency' | 'rate'>

function Price({
  price,
  wallet,
  rail,
  isHeld,
}: {
  readonly price: Priced
  readonly wallet: Wallet | undefined
  readonly rail: string
  readonly isHeld: boolean
}) {
  const { amount = 0, currency = '', fee = 0, debitAmount = 0, debitCurrency = '', rate } = price
  const minor = (value: number) => toMinor(value, debitCurrency)
  const total = <Money amount={debitAmount} currency={debitCurrency} />
  const facts: Figure[] = [
    { name: 'Beneficiary receives', value: <Money amount={amount} currency={currency} /> },
    ...(rate
      ? [
          { name: `Rate of ${rate.pair}`, value: rate.value },
          {
            name: 'Cost at that rate',
            value: (
              <Money amount={fromMinor(minor(debitAmount) - minor(fee), debitCurrency)} currency={debitCurrency} />
            ),
          },
        ]
      : []),
    { name: `Fee, ${rail}`, value: <Money amount={fee} currency={debitCurrency} /> },
    { name: 'Leaves your wallet', value: isHeld ? <Verified>{total}</Verified> : total, look: 'total' },
    ...(wallet ? [availableAfter(wallet, minor(debitAmount))] : []),
    { name: 'Arrives', value: `when ${rail} confirms` },
  ]
  return (
    <>
      <Figures figures={facts} />
      <Entry amount={debitAmount} currency={debitCurrency} rail={rail} />
    </>
  )
}

function availableAfter({ available, currency }: Wallet, debit: bigint): Figure {
  const after = fromMinor(toMinor(available, currency) - debit, currency)
  return { name: 'Available after', value: <Money amount={after} currency={currency} /> }
}

/** The entry before it is made. */
function Entry({
  amount,
  currency,
  rail,
}: {
  readonly amount: number
  readonly currency: string
  readonly rail: string
}) {
  return (
    <details className="mt-3 border-t border-line pt-2.5">
      <summary className="cursor-pointer text-xs font-medium text-ink-2">What your wallet will hold</summary>
      <div className="mt-2 flex flex-wrap items-center justify-between gap-x-4 gap-y-1 text-xs">
        <span>{currency} wallet, available → held for this payout</span>
        <Money amount={amount} currency={currency} />
      </div>
      <p className="mt-1.5 text-xs text-ink-3">
        When {rail} confirms, it leaves the wallet. If the payout fails, all of it returns, with the fee.
      </p>
    </details>
  )
}

/** Fields that show their problems themselves. */
const shownByFields = new Set([
  'amount',
  'country',
  'currency',
  'debitCountry',
  'debitCurrency',
  'destination',
  'externalReference',
  'payoutMethod.accountName',
  'payoutMethod.accountNumber',
  'payoutMethod.businessNumber',
  'payoutMethod.code',
])

function Problems({ validation }: { readonly validation: Validation | undefined }) {
  const problems = validation?.problems ?? []
  if (problems.length === 0) return null
  return (
    <div className="mt-3 grid gap-2">
      {problems.map(({ field, message, fix }) => (
        <Note key={`${field} ${message}`} look="fail">
          {!shownByFields.has(field) && <p>{plainMessage(message)}</p>}
          <p className={shownByFields.has(field) ? '' : 'text-ink-2'}>{fix}</p>
        </Note>
      ))}
    </div>
  )
}
