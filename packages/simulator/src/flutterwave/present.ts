import { isEnd, type Payment, type Receipt } from '../entries.ts'
import { toAmount, toUnits } from '../money.ts'

/** What a charge stores of its order. For a card, only the digits that may be shown. */
export interface ChargeDetails {
  readonly id: number
  readonly reference: string
  readonly kind: 'card' | 'bank_transfer'
  readonly email: string
  readonly fullname?: string
  readonly phone?: string
  readonly ip?: string
  readonly fingerprint?: string
  readonly narration?: string
  readonly redirectUrl?: string
  readonly pageUrl?: string
  readonly meta?: unknown
  readonly card?: CardShown
  readonly values?: 'published' | 'both'
  readonly asks?: string
}

interface CardShown {
  readonly first_6digits: string
  readonly last_4digits: string
  readonly issuer: string
  readonly country: string
  readonly type: string
  readonly expiry: string
}

export const chargeDetails = (payment: Payment): ChargeDetails => payment.details as unknown as ChargeDetails

/** The issuer's words for the failure codes of the control API. */
const issuerWords: Readonly<Record<string, string>> = {
  PAYMENT_NOT_APPROVED: 'Declined',
  INSUFFICIENT_BALANCE: 'Insufficient Funds',
  PAYER_LIMIT_REACHED: 'Transaction not permitted',
  PAYER_NOT_FOUND: 'Invalid transaction',
  REVERSED: 'Reversed',
}

/** The reference as the merchant wrote it. A reference invented by a fault comes with an unknown id. */
const namesOf = ({ key }: Payment, reference: string, id: number | string) =>
  key === reference.toLowerCase() ? { reference, id: Number(id) } : { reference: key, id: Number(id) + 1 }

/** The data of a card charge, or of a failed account charge without payments. */
export function presentCharge(payment: Payment): Record<string, unknown> {
  const details = chargeDetails(payment)
  return {
    ...common(payment, { id: details.id, amount: payment.amount, at: payment.acceptedAt }),
    processor_response: processorText(payment),
    auth_model: authModels[details.asks ?? ''] ?? 'NOAUTH',
    status: statusText(payment),
    auth_url: details.pageUrl ?? 'N/A',
    ...(details.card && { card: details.card }),
  }
}

const authModels: Readonly<Record<string, string>> = { pin: 'PIN', address: 'AVS', redirect: 'VBVSECURECODE' }

/** Each payment into an account is its own transaction. */
export function presentReceipt(payment: Payment, receipt: Receipt): Record<string, unknown> {
  const { id, amount, at, reversedAt } = receipt
  const isReversed = reversedAt !== undefined
  return {
    ...common(payment, { id, amount, at }),
    processor_response: isReversed ? 'Reversed' : 'Transaction successful',
    auth_model: 'AUTH',
    status: isReversed ? 'reversed' : 'successful',
    auth_url: 'N/A',
  }
}

/** A status read shows more than the charge call did. */
export function withSettlement(payment: Payment, data: Record<string, unknown>): Record<string, unknown> {
  const { meta = null } = chargeDetails(payment)
  const settled = toUnits(String(data['amount'])) - feeOf(String(data['amount']))
  return { ...data, meta, amount_settled: data['status'] === 'successful' ? Number(toAmount(settled)) : null }
}

/** The provider documents no callback about a refund. */
export function callbackBody(payment: Payment, receipt?: Receipt): unknown {
  if (payment.operation === 'refund') return undefined
  if (payment.operation === 'payout') return transferCallback(payment)
  const { kind } = chargeDetails(payment)
  if (receipt)
    return {
      event: 'charge.completed',
      data: presentReceipt(payment, receipt),
      meta_data: {
        originatoraccountnumber: '21******9000',
        originatorname: 'MOCK PAYER',
        bankname: 'Mock Payer Bank',
        originatoramount: receipt.amount,
      },
      'event.type': 'BANK_TRANSFER_TRANSACTION',
    }
  const type = kind === 'card' ? 'CARD_TRANSACTION' : 'BANK_TRANSFER_TRANSACTION'
  return { event: 'charge.completed', data: presentCharge(payment), 'event.type': type }
}

interface TransactionFields {
  readonly id: number | string
  readonly amount: string
  readonly at: number
}

function common(payment: Payment, { id: ownId, amount, at }: TransactionFields) {
  const { reference, kind, ip, fingerprint, narration, email, fullname, phone, ...details } = chargeDetails(payment)
  const { id, reference: shown } = namesOf(payment, reference, ownId)
  const created = new Date(at).toISOString()
  const customer = {
    id: details.id % 1_000_000,
    phone_number: phone ?? null,
    name: fullname ?? 'Anonymous customer',
    email,
  }
  return {
    id,
    tx_ref: shown,
    flw_ref: flwRefOf(id),
    device_fingerprint: fingerprint ?? 'N/A',
    amount: Number(amount),
    charged_amount: Number(amount),
    app_fee: Number(toAmount(feeOf(amount))),
    merchant_fee: 0,
    currency: payment.currency,
    ip: ip ?? '::127.0.0.1',
    narration: narration ?? (kind === 'card' ? 'CARD Transaction' : 'BANK TRANSFER'),
    payment_type: kind,
    plan: null,
    fraud_status: 'ok',
    charge_type: 'normal',
    created_at: created,
    account_id: 1,
    customer: { ...customer, created_at: created },
  }
}

/** The provider's own reference of a transaction. */
export const flwRefOf = (id: number): string => `FLW-MOCK-${id}`

/** 1.4 percent, truncated to the cent. */
function feeOf(amount: string): bigint {
  const cent = 100n
  return ((toUnits(amount) * 14n) / 1000n / cent) * cent
}

const statusText = ({ state }: Payment) => {
  if (state === 'completed') return 'successful'
  return isEnd(state) ? 'failed' : 'pending'
}

const otpText = 'Please enter the OTP sent to your mobile number 080****** and email'

function processorText(payment: Payment): string {
  const { state, failure, progress } = payment
  if (state === 'completed') return 'successful'
  if (failure) return issuerWords[failure.code] ?? failure.message
  if (progress?.['step'] !== 'otp') return 'Pending validation'
  const { email } = chargeDetails(payment)
  return `${otpText} ${email.slice(0, 2)}***${email.slice(email.indexOf('@'))}`
}

interface TransferDetails {
  readonly id: number
  readonly reference: string
  readonly narration: string
  readonly name: string
  readonly meta?: unknown
}

/** The provider's words for the outcome of a transfer. */
const transferWords: Readonly<Record<string, string>> = {
  RECIPIENT_NOT_FOUND: 'DISBURSE FAILED: Invalid account number',
  WALLET_LIMIT_REACHED: 'DISBURSE FAILED: Beneficiary account limit exceeded',
  RECIPIENT_LIMIT_REACHED: 'DISBURSE FAILED: Beneficiary daily limit exceeded',
  UNSPECIFIED_FAILURE: 'DISBURSE FAILED: Unable to process',
  FLOAT_EMPTY: 'DISBURSE FAILED: Insufficient funds in customer wallet',
  REVERSED: 'REVERSED: The beneficiary bank returned the money',
}

export function presentTransfer(payment: Payment, now: number): Record<string, unknown> {
  const { full_name, ...rest } = transferData(payment, now)
  return { ...rest, full_name }
}

function transferCallback(payment: Payment): unknown {
  const { full_name: fullname, ...rest } = transferData(payment, Number.POSITIVE_INFINITY)
  return { event: 'transfer.completed', 'event.type': 'Transfer', data: { ...rest, fullname, approver: null } }
}

function transferData(payment: Payment, now: number) {
  const { id, reference, narration, name, meta = null } = payment.details as unknown as TransferDetails
  const names = namesOf(payment, reference, id)
  return {
    id: names.id,
    account_number: payment.account,
    bank_code: payment.operator,
    bank_name: 'Mock Bank',
    full_name: name,
    created_at: new Date(payment.acceptedAt).toISOString(),
    currency: payment.currency,
    debit_currency: payment.currency,
    amount: Number(payment.amount),
    fee: 0,
    status: transferStatus(payment, now),
    reference: names.reference,
    meta,
    narration,
    complete_message: completeText(payment),
    requires_approval: 0,
    is_approved: 1,
  }
}

/** New while it waits for its turn, then pending at the bank. */
function transferStatus({ state, acceptedAt, settleMs }: Payment, now: number): string {
  if (state === 'completed') return 'SUCCESSFUL'
  if (isEnd(state)) return 'FAILED'
  const isNew = state === 'enqueued' || (state === 'accepted' && now < acceptedAt + settleMs / 2)
  return isNew ? 'NEW' : 'PENDING'
}

function completeText({ state, failure }: Payment): string {
  if (failure) return transferWords[failure.code] ?? `DISBURSE FAILED: ${failure.message}`
  return state === 'completed' ? 'Successful' : ''
}
