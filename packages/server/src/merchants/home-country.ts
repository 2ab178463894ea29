import { type Currency, currencies } from '../money/currencies.ts'
import { type Owner, type ReadDb, sql } from '../platform/db.ts'

/** The currency's own country, or the merchant's home country if several countries use the currency. */
export async function countryOf(db: ReadDb, owner: Owner, currency: Currency): Promise<string> {
  const own = currencies[currency]
  return 'country' in own ? own.country : readHomeCountry(db, owner)
}

async function readHomeCountry(db: ReadDb, owner: Owner): Promise<string> {
  const [merchant] = await db.query<{ home_country: string }>(
    owner,
    sql`select home_country from merchants where id = ${owner.merchant_id}`,
  )
  return merchant?.home_country ?? ''
}
