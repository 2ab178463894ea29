import { moneyParts } from '../../../ui/money.tsx'

interface DoubleRuleProps {
  readonly amount: string
  readonly currency: string
  /** The server has checked the sum. Without it there is one line, and a sum that differs is marked. */
  readonly isVerified: boolean
}

/** A sum. The accountant's double rule stands only under one that the server has verified. */
export function DoubleRule({ amount, currency, isVerified }: DoubleRuleProps) {
  const { sign, whole, decimals } = moneyParts(amount, currency)
  return (
    <span
      className={`font-semibold tabular-nums ${isVerified ? 'border-b-[3px] border-double border-current text-ok' : 'text-fail'}`}
    >
      {sign}
      {whole}
      {decimals}
    </span>
  )
}
