/**
 * What a field means and which values it has, for the API's document. It only describes: requests are validated by the schemas
 * of their routes, which refuse an unknown currency with an error code of its own.
 */
import { chargeDestinations } from '../../charges/plain-charge.ts'
import { eventNames } from '../../events/catalogue.ts'
import { destinations } from '../../external-accounts/beneficiary.ts'
import { currencies } from '../../money/currencies.ts'
import { publicStatus, stageMeanings } from '../../payments/model/state.ts'
import type { Transaction } from '../../payments/model/store.ts'
import { failureCodes } from '../../providers/failure-codes.ts'
import { scenarioNames } from '../../scenarios/catalogue.ts'
import { lineKinds } from '../../wallets/line-kinds.ts'

/** A named set of values. */
interface Vocabulary {
  readonly values: readonly string[]
  readonly description: string
  /** A newer version may add values. The others are fixed by the specification. */
  readonly isOpen?: true
}

const statuses = [...new Set(Object.values(publicStatus))]
const keysOf = (table: object) => Object.keys(table)
const allOf = <Word extends string>(words: Readonly<Record<Word, true>>) => keysOf(words)

const types = allOf<Transaction['type']>({
  deposit: true,
  withdrew: true,
  refund: true,
  conversion: true,
  adjustment: true,
})
const methods = allOf<Transaction['method']>({
  momo: true,
  card: true,
  'bank-transfer': true,
  bank: true,
  conversion: true,
})
const reasons = allOf<NonNullable<Transaction['reason']>>({
  late_success: true,
  late_receipt: true,
  payout_returned: true,
  charge_reversed: true,
  chargeback_won: true,
  suspense_cleared: true,
  operator: true,
})

/** Each becomes a component of the document, and a type of the SDK. */
export const vocabularies = {
  Currency: { values: keysOf(currencies), description: 'Three-letter ISO 4217 code', isOpen: true },
  Status: { values: statuses.map((word) => word.toUpperCase()), description: 'SUCCESSFUL and FAILED are final' },
  ChargeStatus: { values: statuses, description: 'The status in lower case' },
  Stage: {
    values: keysOf(stageMeanings),
    description: 'Where the payment is, in more detail than its status',
    isOpen: true,
  },
  FailureCode: { values: keysOf(failureCodes), description: 'Why a payment failed', isOpen: true },
  EventName: { values: keysOf(eventNames), description: 'What happened', isOpen: true },
  TransactionType: {
    values: types,
    description: 'deposit: a charge. withdrew: a payout. adjustment: money that moved after the end of a payment',
    isOpen: true,
  },
  PaymentMethod: { values: methods, description: 'How the money moves', isOpen: true },
  NextActionType: {
    values: ['NONE', 'PIN_PROMPT', 'OTP', 'PIN', 'ADDRESS', 'REDIRECT', 'USSD', 'BANK_TRANSFER'],
    description: 'What the customer must do now',
    isOpen: true,
  },
  DeliveryStatus: {
    values: ['CREATED', 'FAILED', 'SUCCESS'],
    description: 'CREATED until the first delivery attempt has ended',
  },
  Destination: { values: destinations, description: 'The kind of account', isOpen: true },
  TransactionDestination: {
    values: [...destinations, ...Object.values(chargeDestinations)],
    description: 'The kind of account, or how a charge is paid',
    isOpen: true,
  },
  LineKind: { values: lineKinds, description: 'What a statement line is for', isOpen: true },
  AdjustmentReason: { values: reasons, description: 'Why money moved after the end of a payment', isOpen: true },
  Direction: { values: ['credit', 'debit'], description: 'Into or out of your wallet' },
  ScenarioName: { values: scenarioNames, description: 'A fault to inject into a sandbox payment', isOpen: true },
} as const satisfies Record<string, Vocabulary>

export type VocabularyName = keyof typeof vocabularies

/** The vocabulary of a field: by the title of its schema and its name, or by its name alone. */
const vocabularyOf: Readonly<Record<string, VocabularyName | undefined>> = {
  currency: 'Currency',
  senderCurrency: 'Currency',
  receiverCurrency: 'Currency',
  debitCurrency: 'Currency',
  walletCurrency: 'Currency',
  stage: 'Stage',
  failureCode: 'FailureCode',
  event: 'EventName',
  direction: 'Direction',
  chargeStatus: 'ChargeStatus',
  kind: 'LineKind',
  scenario: 'ScenarioName',
  'Transaction.status': 'Status',
  'OneTransaction.status': 'Status',
  'StartedCharge.status': 'Status',
  'StartedCardCharge.status': 'Status',
  'AcceptedPayout.status': 'Status',
  'WebhookData.status': 'ChargeStatus',
  'WebhookRecord.status': 'DeliveryStatus',
  'Transaction.type': 'TransactionType',
  'OneTransaction.type': 'TransactionType',
  'WebhookData.type': 'TransactionType',
  'NextAction.type': 'NextActionType',
  'Transaction.destination': 'TransactionDestination',
  'OneTransaction.destination': 'TransactionDestination',
  'ExternalAccount.destination': 'Destination',
  'OneTransaction.method': 'PaymentMethod',
  'WebhookData.method': 'PaymentMethod',
  'OneTransaction.reason': 'AdjustmentReason',
  'WebhookData.reason': 'AdjustmentReason',
}

/** Fields that share a name with a vocabulary's field and mean something else. */
const others = new Set(['TestValues.kind', 'WebhookRecord.response.status'])

export function vocabularyFor(title: string, path: string): VocabularyName | undefined {
  const name = path.slice(path.lastIndexOf('.') + 1)
  if (others.has(`${title}.${path}`) || others.has(`${title}.${name}`)) return undefined
  return vocabularyOf[`${title}.${name}`] ?? vocabularyOf[name]
}

export function meaningFor(title: string, name: string): string | undefined {
  return meanings[`${title}.${name}`] ?? meanings[name]
}

/** By field name, for schemas that do not describe the field themselves. */
const meanings: Readonly<Record<string, string | undefined>> = {
  success: 'true when the request succeeded, false when it was refused',
  message: 'For people; decide by `success` and `errorCode`',
  data: 'The requested data',
  errorCode: 'What failed; see the list of error codes',
  error: 'What failed, for people',
  details: 'The wrong fields, or facts about the error',
  field: 'The field or fact',
  transactionId: 'Malipo’s id of the payment, `txn_…`',
  'getTransactionsTransactionId.transactionId': 'The id of the payment, or your external reference',
  externalReference: 'Your own id of the payment',
  externalAccountId: 'Id of the external account, `ea_…`',
  id: 'Its id',
  type: 'Its kind',
  currency: 'Three-letter ISO 4217 code',
  senderCurrency: 'Currency of `senderAmount`',
  receiverCurrency: 'Currency of `receiverAmount`',
  country: 'Two-letter ISO 3166-1 code',
  amount: 'In major units',
  'Debt.amount': 'What is owed, in major units',
  senderAmount: "What leaves: the customer's side of a charge, your wallet's side of a payout",
  receiverAmount: 'What arrives: in your wallet after the fee, or with the beneficiary',
  status: 'PENDING, then SUCCESSFUL or FAILED',
  nextAction: 'What the customer must do now',
  instructions: 'Sentences for the customer',
  ussdCode: 'What the customer dials if no prompt appears',
  failureReason: 'Why the payment failed',
  failureCode: 'Why it failed; decide by this code',
  failureMessage: 'A sentence that you may show to the customer',
  providerCode: "The provider's own code",
  destination: 'The kind of account: mobile money, bank, paybill or till',
  beneficiary: 'The account that is paid, or that pays',
  payoutMethod: 'The account of the destination',
  accountName: 'Name of the account holder',
  accountNumber: 'Number of the account, phone or till',
  branchCode: 'Code of the bank branch',
  businessNumber: 'Paybill number of the business',
  createdAt: 'ISO 8601 date-time',
  year: 'Year, four digits',
  month: 'Month, in English',
  day: 'Day of the week, in English',
  firstName: 'First name',
  lastName: 'Last name',
  email: 'E-mail address',
  phoneNumber: 'In international form, such as +254703456789',
  wallets: 'One for each currency and country',
  opening: 'Balance before the first line',
  lines: 'Oldest first',
  closing: 'Balance after the last line',
  permanent: 'false: the account is closed at `expiresAt`',
  bankName: 'Name of the bank',
  note: 'What to show to the customer',
  virtualAccount: 'The account that the customer transfers to',
  explanation: 'What happened and what happens next, in plain words',
  rate: 'The exchange rate that was used',
  pair: 'BASE/QUOTE, such as USD/KES',
  side: '`buy` or `sell`',
  'OneTransaction.value': 'The rate, as decimal text',
  'TestValues.value': 'The value to send',
  at: 'ISO 8601 date-time',
  timeline: 'Everything that happened, oldest first',
  stage: 'Where the payment was',
  street1: 'Street and house number',
  city: 'City',
  state: 'State, province or county',
  zip: 'Postal code',
  address: "The cardholder's billing address",
  number: 'Card number, digits only',
  cvv: 'Security code of the card: 3 or 4 digits',
  colorDepth: 'Bits per pixel of the screen',
  screenHeight: 'In pixels',
  screenWidth: 'In pixels',
  userAgent: 'The `User-Agent` header of the browser',
  deviceId: 'Your own id of the device',
  response: "The receiver's last response",
  webhookUrl: 'Where the webhook was sent',
  attempts: 'Number of delivery attempts',
  nextAttemptAt: 'ISO 8601 time of the next attempt, while one is due',
  durationMs: 'Milliseconds until the response',
  'WebhookRecord.error': 'Why there was no response',
  method: '`momo` or `bank`',
  name: 'Name',
  iso2: 'Two-letter ISO 3166-1 code',
  iso3: 'Three-letter ISO 3166-1 code',
  dialing_code: 'Dialling code, with its plus',
  code: 'Code',
  'Countries.code': 'Three-letter ISO 4217 code',
  'Countries.currency': 'Its currency',
  symbol: 'Sign of the currency',
  hasBranches: 'Whether `GET /utilities/branches` lists branches of the bank',
  branch_code: 'Send it as `branchCode`',
  branch_name: 'Name of the branch',
  swift_code: 'SWIFT code, where known',
  bic: 'BIC, where known',
  bank_id: '`id` of its bank',
  from: 'Currency that is exchanged',
  to: 'Currency that it is exchanged into',
  accountId: 'Stable id of the account',
  min: 'Smallest amount',
  max: 'Largest amount',
  phones: 'Phone numbers, and the outcome that each chooses',
  cards: 'Cards, and the outcome that each chooses',
  accounts: 'Account numbers, and the outcome that each chooses',
  amounts: "Operators' limits",
  otps: 'Codes and PINs that are accepted',
  pins: 'Codes and PINs that are accepted',
  scenarios: 'Faults that can be injected into a payment',
  operator: 'Id of the operator',
  scenario: 'The fault to inject',
  setAt: 'ISO 8601 date-time',
  seconds: 'How far the clock was moved',
  after: 'Only events with a higher `number`',
}
