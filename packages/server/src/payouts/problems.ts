import { AppError, catalogue, type ErrorKey } from '../errors.ts'
import type { Check } from './price.ts'

/** Why a payout would be refused: what the real request would report. */
export interface Problem {
  readonly field: string
  readonly errorCode: string
  readonly message: string
  readonly fix: string
}

/** The field that each refusal of a payout is about, unless its details name one of the request. */
const fieldOf: Readonly<Partial<Record<ErrorKey, string>>> = {
  VALIDATION: 'body',
  REFERENCE_USED: 'externalReference',
  EXTERNAL_ACCOUNT_MISSING: 'externalAccountId',
  UNSUPPORTED_CURRENCY: 'currency',
  CURRENCY_NOT_ENABLED: 'currency',
  MOMO_CODE_REQUIRED: 'payoutMethod.code',
  PROVIDER_NOT_FOUND: 'payoutMethod.accountNumber',
  PAYOUT_PROVIDER_NOT_FOUND: 'destination',
  AMOUNT_OUT_OF_BOUNDS: 'amount',
  INSUFFICIENT_FUNDS: 'amount',
  PAYOUT_LIMIT_EXCEEDED: 'amount',
  DEBIT_COUNTRY_REQUIRED: 'debitCountry',
  DEBIT_CURRENCY_NOT_SUPPORTED: 'debitCurrency',
  FX_RATE_UNAVAILABLE: 'debitCurrency',
  TRANSACTION_MISSING: 'refundOf',
  TRANSACTION_NOT_REFUNDABLE: 'refundOf',
  REFUND_EXCEEDS_CHARGE: 'amount',
  QUOTE_MISSING: 'quoteId',
  QUOTE_EXPIRED: 'quoteId',
  QUOTE_USED: 'quoteId',
  QUOTE_MISMATCH: 'quoteId',
}

/** The problems of one request, in the order in which they were found. */
export interface ProblemList {
  readonly all: Problem[]
  /** Runs a check and adds what it refuses. Any error besides a refusal of a payout is thrown. */
  readonly check: Check
  add(error: unknown): void
}

export function createProblemList(): ProblemList {
  const all: Problem[] = []
  const add = (error: unknown) => {
    if (!(error instanceof AppError) || fieldOf[error.key] === undefined) throw error
    const roots = new Set(all.map(({ field }) => rootOf(field)))
    // A field that is invalid is reported once: what else is wrong with it follows from that.
    for (const problem of problemsOf(error))
      if (problem.errorCode !== catalogue.VALIDATION.errorCode || !roots.has(rootOf(problem.field))) all.push(problem)
  }
  const check: Check = async (run) => {
    try {
      return await run()
    } catch (error) {
      add(error)
      return undefined
    }
  }
  return { all, check, add }
}

const rootOf = (field: string) => field.split('.')[0] ?? field

function problemsOf(error: AppError): Problem[] {
  const { errorCode } = catalogue[error.key]
  const { message, fix, details = [] } = error
  if (error.key !== 'VALIDATION') return [{ field: fieldOf[error.key] ?? 'body', errorCode, message, fix }]
  return details.map((detail) => ({
    field: detail.field,
    errorCode,
    message: `Validation error: ${detail.message}`,
    fix,
  }))
}
