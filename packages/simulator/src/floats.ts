import { toAmount } from './money.ts'

export interface Purse {
  readonly provider: string
  readonly country: string
  readonly currency: string
}

interface FloatState extends Purse {
  readonly available: string
  readonly reserved: string
}

/** The merchant's money at each provider, by country and currency. Every float starts with enough for any test. */
export interface Floats {
  available(purse: Purse): bigint
  reserve(purse: Purse, units: bigint): void
  release(purse: Purse, units: bigint): void
  add(purse: Purse, units: bigint): void
  set(purse: Purse, units: bigint): void
  list(): FloatState[]
  clear(): void
}

/** One thousand million, in ten-thousandths. */
const startUnits = 10n ** 13n

interface Held {
  readonly purse: Purse
  available: bigint
  reserved: bigint
}

export function startFloats(): Floats {
  const purses = new Map<string, Held>()

  const open = ({ provider, country, currency }: Purse): Held => {
    const name = `${provider}/${country}/${currency}`
    const known = purses.get(name)
    if (known) return known
    const fresh = { purse: { provider, country, currency }, available: startUnits, reserved: 0n }
    purses.set(name, fresh)
    return fresh
  }

  const shift = (held: Held, units: bigint) => {
    held.available -= units
    held.reserved += units
  }

  const shiftBy = (purse: Purse, units: bigint) => {
    open(purse).available += units
  }

  return {
    available: (purse) => open(purse).available,
    reserve: (purse, units) => shift(open(purse), units),
    release: (purse, units) => shift(open(purse), -units),
    add: (purse, units) => shiftBy(purse, units),
    set: (purse, units) => shiftBy(purse, units - open(purse).available),
    list: () =>
      [...purses.values()].map(({ purse, available, reserved }) => ({
        ...purse,
        available: toAmount(available),
        reserved: toAmount(reserved),
      })),
    clear: () => purses.clear(),
  }
}
