import type { ProviderStatus, Receipt } from '../contract.ts'
import { cardFailure, reversal } from './failures.ts'
import { type Fields, isSafeUrl, readFee, readId, readMoney, readWords } from './messages.ts'

/** The status in a charge's `data`. Undefined when it is ambiguous. */
export function statusOfCharge(data: Fields): ProviderStatus | undefined {
  const { status, processor_response: words } = data
  switch (status) {
    case 'successful':
      return settled(data)
    case 'failed':
      return isReversal(words)
        ? { state: 'reversed', failure: reversal(words) }
        : { state: 'failed', failure: cardFailure(words) }
    case 'reversed':
      return { state: 'reversed', failure: reversal(words) }
    case 'pending':
    case 'success-pending-validation':
      return pending(data)
    default:
      return undefined
  }
}

/** The charge succeeded and was reversed: Flutterwave's sentence starts with this word. */
export const isReversal = (words: unknown) => typeof words === 'string' && /^reversed/i.test(words.trim())

/** A success without a readable amount, or with less taken than it reports, is not a success. */
function settled(data: Fields): ProviderStatus | undefined {
  const money = moneyOf(data)
  const receipt = readId(data['id'])
  if (!money || receipt === undefined) return undefined
  return { state: 'successful', settled: { ...money, ...readFee(data['app_fee'], money.currency), receipt } }
}

function moneyOf({ amount, charged_amount: charged, currency }: Fields) {
  const money = readMoney(amount, currency)
  if (money === undefined || charged === undefined || charged === null) return money
  const taken = readMoney(charged, currency)
  return taken && taken.amount >= money.amount ? money : undefined
}

/** The bank's page, or the code it sent, while Flutterwave waits for either. */
function pending({ auth_url: page, processor_response: words }: Fields): ProviderStatus {
  if (isSafeUrl(page)) return { state: 'waiting', action: { kind: 'redirect', url: page } }
  if (typeof words === 'string' && /\botp\b/i.test(words)) return otpAsked(words)
  return { state: 'submitted' }
}

export function otpAsked(words: unknown): Extract<ProviderStatus, { state: 'waiting' }> {
  // The hint may show the last digits of the customer's phone number.
  const hint = readWords(words, { lengthMax: 200, digitsMax: 4 })
  return { state: 'waiting', action: { kind: 'otp', ...(hint !== undefined && { hint }) } }
}

/** One transfer into an account, reversed or not. Undefined when the amount is uncertain. */
export function receiptOf(data: Fields): Receipt | undefined {
  const money = moneyOf(data)
  const id = readId(data['id'])
  if (!money || id === undefined) return undefined
  const fee = readFee(data['app_fee'], money.currency)
  return { id, ...money, ...fee, ...(isTakenBack(data) && { isReversed: true }) }
}

/** A transfer that arrived and was reversed. Flutterwave v3 documents no amount for a reversal: it is always full. */
export const isTakenBack = ({ status, processor_response: words }: Fields): boolean =>
  status === 'reversed' || (status === 'failed' && isReversal(words))
