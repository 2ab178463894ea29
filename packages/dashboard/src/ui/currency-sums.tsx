import { Money } from './money.tsx'

interface CurrencySumsProps {
  /** What is summed: `In doubt`. */
  readonly label: string
  readonly sums: readonly {
    readonly currency: string
    readonly amount: string
    readonly isOut?: boolean
    /** How many, and of what. */
    readonly about: string
  }[]
}

/** The sum of each currency. Sums of different currencies are never added. */
export function CurrencySums({ label, sums }: CurrencySumsProps) {
  if (sums.length === 0) return null
  return (
    <ul
      aria-label={label}
      className="flex flex-wrap gap-x-6 gap-y-1 border-t border-line-3 px-4 py-2.5 text-xs text-ink-3"
    >
      <li className="font-semibold text-ink-2">{label}</li>
      {sums.map(({ currency, amount, isOut = false, about }) => (
        <li key={`${currency} ${isOut}`}>
          <Money amount={amount} className="text-sm text-ink" currency={currency} isOut={isOut} /> {about}
        </li>
      ))}
    </ul>
  )
}
