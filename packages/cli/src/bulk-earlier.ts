import { type Malipo, NotFoundError, type TransactionDetails } from '@malipo/sdk'
import type { BulkLine } from './bulk-file.ts'
import { type Method, plainNumber } from './bulk-rules.ts'

/** The payment that has this line's reference, if there is one, and whether it is this payout. */
export interface Earlier {
  readonly payment: TransactionDetails
  readonly isSame: boolean
}

export async function findEarlier(
  malipo: Malipo,
  line: BulkLine,
  signal: AbortSignal | undefined,
): Promise<Earlier | undefined> {
  try {
    const payment = await malipo.transactions.get(line.payout.externalReference, { signal })
    return { payment, isSame: isSame(line, payment) }
  } catch (error) {
    if (error instanceof NotFoundError) return undefined
    throw error
  }
}

/**
 * Whether an earlier payment belongs to this line: every field that the line has and that Malipo shows is the same. An operator's
 * code may be an alias, and its number identifies the account already.
 */
function isSame({ payout }: BulkLine, earlier: TransactionDetails): boolean {
  const { type, amount, currency, country, destination, senderCurrency, beneficiary } = earlier
  const method: Method | undefined = payout.payoutMethod
  const code = payout.destination === 'Bank Account' ? method?.code : undefined
  const pairs: [sent: string | undefined, shown: string][] = [
    [payout.currency, currency],
    [payout.country, country],
    [payout.destination, destination],
    [payout.debitCurrency ?? payout.currency, senderCurrency],
    [method?.accountName?.trim(), beneficiary.accountName],
    [method?.accountNumber && accountOf(method.accountNumber), accountOf(beneficiary.accountNumber)],
    [code, beneficiary.bankCode],
  ]
  return (
    type === 'withdrew' &&
    amount === Number(payout.amount) &&
    pairs.every(([sent, shown]) => sent === undefined || sent === shown)
  )
}

/** Malipo adds the two digits that Benin's numbers got in 2024. */
const accountOf = (number: string) => plainNumber(number).replace(/^229(?!01)(\d{8})$/, '22901$1')
