import { type Static, Type } from 'typebox'
import { countryOf } from '../merchants/home-country.ts'
import { DayFields, type Days, readDays } from '../platform/days.ts'
import type { Owner, ReadDb } from '../platform/db.ts'
import { currencyOf } from '../reference/momo.ts'

/** Which wallet, and which days. */
export const StatementFields = {
  currency: Type.String({ maxLength: 100, description: 'Three-letter code of the wallet' }),
  country: Type.Optional(
    Type.String({
      maxLength: 2,
      pattern: '^[A-Z]{2}$',
      description: "The wallet's country; required only if the currency has several",
    }),
  ),
  ...DayFields,
}

const StatementQuery = Type.Object(StatementFields)

/** The wallet, and its time in microseconds: from is included, to is not. */
export async function readStatementQuery(db: ReadDb, owner: Owner, query: Static<typeof StatementQuery> & Days) {
  const currency = currencyOf(query.currency)
  const { from, below } = readDays(query)
  const country = query.country ?? (await countryOf(db, owner, currency))
  return { currency, country, from: microseconds(from), to: microseconds(below) }
}

const microseconds = (at: Date) => BigInt(at.getTime()) * 1000n
