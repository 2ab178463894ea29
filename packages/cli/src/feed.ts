import type { FeedEvent, Malipo } from '@malipo/sdk'
import type { Formatter } from './table.ts'

/** The number of the newest event in a merchant's feed; 0 if there is none. Binary search: numbers have no gaps. */
export async function newestNumber(malipo: Malipo): Promise<number> {
  const hasMore = async (number: number) => (await malipo.account.events({ after: number }).toArray(1)).length > 0
  let above = 1
  while (await hasMore(above - 1)) above *= 2
  let below = Math.floor(above / 2)
  while (above - below > 1) {
    const middle = Math.floor((above + below) / 2)
    if (await hasMore(middle - 1)) below = middle
    else above = middle
  }
  return below
}

/** A feed event as one readable line. */
export function feedLine({ status: painted }: Formatter, { number, event, timestamp, data }: FeedEvent): string {
  const { transactionId, externalReference, status, amount, currency } = data
  const facts = [painted(status), `${amount} ${currency}`, externalReference, transactionId]
  return [timestamp.slice(11, 19), `#${number}`, event, ...facts].join('  ')
}
