import type { PricedConversion } from './price.ts'

/** A conversion as its quote keeps it: JSON has no bigint, so amounts are text. */
export interface KeptConversion extends Pick<PricedConversion, 'from' | 'to' | 'rate'> {
  readonly fromAmount: string
  readonly toAmount: string
}

export function keepConversion(priced: PricedConversion): KeptConversion {
  return { ...priced, fromAmount: String(priced.fromAmount), toAmount: String(priced.toAmount) }
}

/** Reads what {@link keepConversion} kept. */
export function readConversion(kept: KeptConversion): PricedConversion {
  return { ...kept, fromAmount: BigInt(kept.fromAmount), toAmount: BigInt(kept.toAmount) }
}
