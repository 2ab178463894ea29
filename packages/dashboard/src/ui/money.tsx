import { exponents } from '../generated/values.ts'

/** Making a format is slow, and a list has many amounts. */
const separated = new Intl.NumberFormat('en')

/** An amount in major units as the API sends it, in parts: sign, whole part with separators, and decimals. */
export function moneyParts(amount: number | string, currency: string) {
  const digits = exponents[currency] ?? 2
  const text = typeof amount === 'number' ? amount.toFixed(digits) : amount
  const isNegative = text.startsWith('-')
  const [whole = '0', decimals = ''] = text.replace('-', '').split('.')
  return {
    sign: isNegative ? '−' : '',
    whole: separated.format(BigInt(whole)),
    decimals: digits === 0 ? '' : `.${decimals.padEnd(digits, '0').slice(0, digits)}`,
  }
}

export function moneyText(amount: number | string, currency: string): string {
  const { sign, whole, decimals } = moneyParts(amount, currency)
  return `${currency} ${sign}${whole}${decimals}`
}

interface MoneyProps {
  readonly amount: number | string
  readonly currency: string
  /** Money that leaves has a true minus. */
  readonly isOut?: boolean
  readonly className?: string
  /** The code steps back further beside a large figure. */
  readonly codeSize?: string
}

/** An amount with its code. The whole part is the heaviest text; code and decimals step back. */
export function Money({ amount, currency, isOut = false, className = '', codeSize = 'text-[0.86em]' }: MoneyProps) {
  const { sign, whole, decimals } = moneyParts(amount, currency)
  return (
    <span className={`whitespace-nowrap tabular-nums ${className}`}>
      <span className={`mr-[0.38em] text-ink-3 ${codeSize}`}>{currency}</span>
      <span className="font-semibold">
        {isOut && sign === '' ? '−' : sign}
        {whole}
      </span>
      <span className="text-ink-3">{decimals}</span>
    </span>
  )
}
