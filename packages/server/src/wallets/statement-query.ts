import { type Static, Type } from 'typebox'
import { invalid } from '../errors.ts'
import { countryOf } from '../merchants/home-country.ts'
import type { Owner, ReadDb } from '../platform/db.ts'
import { currencyOf } from '../reference/momo.ts'

const Day = Type.String({ maxLength: 10, pattern: '^\\d{4}-\\d{2}-\\d{2}$', description: 'YYYY-MM-DD, in UTC' })

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
  startDate: Type.Optional(Day),
  endDate: Type.Optional({ ...Day, description: 'The last day, inclusive' }),
}

const StatementQuery = Type.Object(StatementFields)

const dayUs = 86_400_000_000n

/** The wallet, and its time in microseconds: from is included, to is not. */
export async function readStatementQuery(db: ReadDb, owner: Owner, query: Static<typeof StatementQuery>) {
  const { startDate = '1970-01-01', endDate = '9999-12-31' } = query
  const currency = currencyOf(query.currency)
  const [from, until] = [dayOf('startDate', startDate), dayOf('endDate', endDate)]
  if (from > until) throw invalid([{ field: 'endDate', message: 'endDate is before startDate' }])
  const country = query.country ?? (await countryOf(db, owner, currency))
  return { currency, country, from, to: until + dayUs }
}

/** The start of a day in microseconds. */
function dayOf(field: string, day: string): bigint {
  const at = Date.parse(`${day}T00:00:00Z`)
  const isDay = !Number.isNaN(at) && new Date(at).toISOString().startsWith(day)
  if (!isDay) throw invalid([{ field, message: `${field} is not a calendar day` }])
  return BigInt(at) * 1000n
}
