import type { Receipt, Said } from '../contract.ts'
import { cardFailure, reversal } from './failures.ts'
import { type Fields, isSafeUrl, readFee, readId, readMoney, readWords } from './messages.ts'

/** What is said of a charge by its own `data`. Nothing when we cannot be sure what it says. */
export function saidOfCharge(data: Fields): Said | undefined {
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

/** It was successful and the money went back: Flutterwave says so at the beginning of its sentence. */
export const isReversal = (words: unknown) => typeof words === 'string' && /^reversed/i.test(words.trim())

/** Success without an amount that we can read, or by which less was taken than it says, is no success. */
function settled(data: Fields): Said | undefined {
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

/** The page of the customer's bank, or the code it sent, for as long as Flutterwave waits for either. */
function pending({ auth_url: page, processor_response: words }: Fields): Said {
  if (isSafeUrl(page)) return { state: 'waiting', action: { kind: 'redirect', url: page } }
  if (typeof words === 'string' && /\botp\b/i.test(words)) return otpAsked(words)
  return { state: 'submitted' }
}

export function otpAsked(words: unknown): Extract<Said, { state: 'waiting' }> {
  // It may show the end of the customer's phone number.
  const hint = readWords(words, { lengthMax: 200, digitsMax: 4 })
  return { state: 'waiting', action: { kind: 'otp', ...(hint !== undefined && { hint }) } }
}

/** One transfer into an account, reversed or not. Nothing when we cannot be sure what came in. */
export function receiptOf(data: Fields): Receipt | undefined {
  const money = moneyOf(data)
  const id = readId(data['id'])
  if (!money || id === undefined) return undefined
  const fee = readFee(data['app_fee'], money.currency)
  return { id, ...money, ...fee, ...(isTakenBack(data) && { isReversed: true }) }
}

/** A transfer that arrived and was reversed. Flutterwave v3 documents no amount for a reversal: it is of all of it. */
export const isTakenBack = ({ status, processor_response: words }: Fields): boolean =>
  status === 'reversed' || (status === 'failed' && isReversal(words))
