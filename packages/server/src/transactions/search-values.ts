import { type Counterparty, nameOf } from '../payments/model/counterparty.ts'
import {
  nameHashes,
  numberHashes,
  plainHash,
  plainNumber,
  plainReceipt,
  searchableNumber,
} from '../payments/model/lookups.ts'
import { indexedStart, startsWithWords } from '../payments/model/name-words.ts'
import type { Vault } from '../platform/seal.ts'
import type { ReferenceData } from '../reference/data.ts'
import { possiblePhones } from '../reference/phones.ts'

/** Everything that the text of a search may be by its form. Most of it finds nothing. */
export interface SoughtValues {
  readonly hashes: readonly bigint[]
  /** Hashes of values that are not stored beside the transaction. Providers choose them, so none is made to collide. */
  readonly trusted: ReadonlySet<bigint>
  /** Whether a counterparty has the number or the name: another one may have the same hash. */
  isOf(counterparty: Counterparty): boolean
}

export function soughtValues(vault: Vault, { countries }: ReferenceData, q: string): SoughtValues {
  const numbers = new Set([...possiblePhones(q, countries.keys()), plainNumber(q)])
  const name = isNameLike(q) ? indexedStart(q) : undefined
  const trusted = [plainHash('receipt', plainReceipt(q)), plainHash('virtual account', plainNumber(q))]
  return {
    hashes: [
      ...[...numbers].flatMap((number) => numberHashes(vault, number)),
      ...(name === undefined ? [] : nameHashes(vault, name)),
      ...trusted,
    ],
    trusted: new Set(trusted),
    isOf: (counterparty) =>
      numbers.has(searchableNumber(counterparty) ?? '') ||
      (name !== undefined && startsWithWords(nameOf(counterparty), q)),
  }
}

/** Words only: a reference such as order-1042 is not the start of a name. */
const isNameLike = (q: string) => /^[\p{L}\p{M}\p{N}\s'’`.-]+$/u.test(q) && /\p{L}/u.test(q)
