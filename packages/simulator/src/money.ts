/** Amounts are in ten-thousandths of a major unit: no provider accepts more than four decimals. */
const places = 4
const scale = 10n ** BigInt(places)

export function toUnits(amount: string): bigint {
  const [whole = '0', fraction = ''] = amount.split('.')
  return BigInt(whole) * scale + BigInt(fraction.padEnd(places, '0'))
}

/** The shortest text: no trailing zeros. */
export function toAmount(units: bigint): string {
  const size = units < 0n ? -units : units
  const fraction = (size % scale).toString().padStart(places, '0').replace(/0+$/, '')
  return `${units < 0n ? '-' : ''}${size / scale}${fraction === '' ? '' : `.${fraction}`}`
}

/** With this many decimals; smaller digits are cut off. */
export function toFixed(units: bigint, decimals: number): string {
  const [whole = '0', fraction = ''] = toAmount(units).split('.')
  return decimals === 0 ? whole : `${whole}.${fraction.padEnd(decimals, '0').slice(0, decimals)}`
}

export const decimalsOf = (amount: string): number => amount.split('.')[1]?.length ?? 0
