import type { Failure } from '../contract.ts'
import { type FailureCode, failureCodes } from '../failure-codes.ts'
import { readWords } from './messages.ts'

type Reasons = readonly (readonly [RegExp, FailureCode])[]

/** The issuer's reasons, matched from the first word. */
const issuerReasons: Reasons = [
  [/^insufficient funds?\b/i, 'INSUFFICIENT_BALANCE'],
  [/^(do not honou?r|declined|restricted card|invalid transaction|transaction not permitted)\b/i, 'CARD_DECLINED'],
  [/^expired card\b/i, 'CARD_EXPIRED'],
  [/^suspected fraud\b/i, 'SUSPECTED_FRAUD'],
  [/^(wrong pin|too many attempts)\b/i, 'AUTHENTICATION_FAILED'],
]

/** Why a transfer did not arrive, matched anywhere in the sentence. */
const transferReasons: Reasons = [
  [/invalid account number|account number is invalid|blacklisted account number/i, 'RECIPIENT_NOT_FOUND'],
  [/account limit exceeded/i, 'WALLET_LIMIT_REACHED'],
  [/daily limit exceeded/i, 'RECIPIENT_LIMIT_REACHED'],
]

/** Our balance at Flutterwave, or a limit of our account there, is used up. The payee cannot change it. */
export const isShortfall = (words: unknown): boolean =>
  typeof words === 'string' && /insufficient (funds?|wallet|balance)|exceeded your .{0,200}limit/i.test(words)

/** What a refusal finds wrong with the payout itself, when it names no reason about the recipient. */
const detailReasons: Reasons = [
  [/\bamount\b|minimum|maximum|\blimit\b/i, 'AMOUNT_NOT_ACCEPTED'],
  [
    /\bbank\b|account_bank|account[_ ]number|beneficiary|branch|currency|\bmeta\b|narration|is (required|invalid|not allowed)|must be/i,
    'DETAILS_NOT_ACCEPTED',
  ],
]

/** The sentence may contain field values, so only the field names are stored. */
export function detailFailure(words: string, fields: readonly string[]): Failure | undefined {
  const code = detailReasons.find(([pattern]) => pattern.test(words))?.[1]
  return code && { code, message: failureCodes[code], ...(fields.length > 0 && { providerCode: fields.join(', ') }) }
}

/** The charge cannot be refunded, or not by this amount. */
const refundReasons: Reasons = [
  [
    /refunded|more than|exceed|greater than|amount left|refundable|no transaction|transaction not found|(only|not)( a)? successful/i,
    'CHARGE_NOT_REFUNDABLE',
  ],
]

export const knownRefundFailure = (words: string) => knownBy(refundReasons, words)

/** A refusal with an unknown reason. */
export const unknownRefusal: Failure = {
  code: 'DETAILS_NOT_ACCEPTED',
  message: failureCodes.DETAILS_NOT_ACCEPTED,
}

/** A final failure. An unknown reason is still a failure. */
export const cardFailure = (words: unknown): Failure => failureBy(issuerReasons, words)
export const transferFailure = (words: unknown): Failure => failureBy(transferReasons, words)

/** A refusal becomes a failure only with a known reason. */
export const knownCardFailure = (words: string) => knownBy(issuerReasons, words)
export const knownTransferFailure = (words: string) => knownBy(transferReasons, words)

export function reversal(words: unknown): Failure {
  return { code: 'REVERSED', message: failureCodes.REVERSED, ...providerCode(words) }
}

function knownBy(reasons: Reasons, words: string): Failure | undefined {
  return reasons.some(([pattern]) => pattern.test(words)) ? failureBy(reasons, words) : undefined
}

function failureBy(reasons: Reasons, words: unknown): Failure {
  const found = typeof words === 'string' ? reasons.find(([pattern]) => pattern.test(words.trim())) : undefined
  const code = found?.[1] ?? 'UNSPECIFIED_FAILURE'
  return { code, message: failureCodes[code], ...providerCode(words) }
}

function providerCode(words: unknown): { readonly providerCode?: string } {
  // A security code has three digits, and a bank might repeat it.
  const text = readWords(words, { lengthMax: 100, digitsMax: 2 })
  return text === undefined ? {} : { providerCode: text }
}
