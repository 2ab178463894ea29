import { DuplicateReferenceError } from './errors.ts'
import type { Operations, Schemas } from './generated/api.ts'
import type { ScenarioName } from './sandbox.ts'
import { accountOf, type Status, statusOf, type TransactionDetails, type VirtualAccount } from './transactions.ts'
import type { CallOptions, Transport } from './transport.ts'

/** In major units. A string such as '1500.00' is read exactly, or refused. */
export type Amount = number | string

/** Of each form of the body separately, so that a union stays one. */
type WithAmount<Body> = Body extends unknown ? Omit<Body, 'amount'> & { amount: Amount } : never

export type CardCharge = WithAmount<Schemas['CardCharge']>
export type MobileMoneyCharge = WithAmount<Schemas['MomoCharge']>
export type BankTransferCharge = WithAmount<Schemas['TransferCharge']>
export type Authorisation = Schemas['Authorise']
export type Payout = WithAmount<Exclude<Schemas['Payout'], Schemas['PayoutByQuote']>>
/** A payout at the figures of its quote. */
export type QuotedPayout = Omit<Schemas['PayoutByQuote'], 'amount'> & { amount?: Amount | undefined }
/** A payout that was tried: every problem at once, and its price. */
export type ValidatedPayout = Schemas['ValidatedPayout']
/** Payouts that were tried together, and what each wallet would pay. */
export type ValidatedBulk = Schemas['ValidatedBulk']
export type NextAction = Schemas['NextAction']
export type FailureReason = NonNullable<Schemas['OneTransaction']['failureReason']>

export interface PaymentOptions extends CallOptions {
  /** In the sandbox: the fault to inject into this payment. */
  readonly scenario?: ScenarioName | undefined
}

/** A started charge. */
export interface StartedCharge {
  transactionId: string
  externalReference: string
  status: Status
  /** What the customer must do now. */
  nextAction: NextAction
  failureReason?: FailureReason
}

/** A charge that waits for a transfer to its own virtual account. */
export interface OpenedAccount extends StartedCharge {
  virtualAccount: VirtualAccount
}

/** A payout whose money is held and that will be sent. */
export interface AcceptedPayout {
  transactionId: string
  externalReference: string
  status: Status
}

/** The result of one payout in a bulk request. */
export type BulkResult =
  | { success: true; message: string; externalReference: string; transactionId: string }
  | { success: false; message: string; externalReference: string; errorCode: string }

/**
 * Money in. Every call is safe to repeat: it carries an Idempotency-Key. If an attempt reached the server and its
 * response was lost, the call returns the charge that this attempt made.
 */
export interface Charges {
  card(charge: CardCharge, options?: PaymentOptions): Promise<StartedCharge>
  mobileMoney(charge: MobileMoneyCharge, options?: PaymentOptions): Promise<StartedCharge>
  bankTransfer(charge: BankTransferCharge, options?: PaymentOptions): Promise<OpenedAccount>
  /** Sends the customer's PIN, code or address. */
  authorise(transactionId: string, answer: Authorisation, options?: CallOptions): Promise<{ message: string }>
}

/** Money out, as safe to repeat as {@link Charges}. */
export interface Payouts {
  create(payout: Payout | QuotedPayout, options?: PaymentOptions): Promise<AcceptedPayout>
  /** At most 1,000. Each is accepted or refused independently; results are in the same order. */
  bulk(payouts: readonly (Payout | QuotedPayout)[], options?: PaymentOptions): Promise<BulkResult[]>
  /** Tries a payout without making it. It takes no reference, and what it finds may change. */
  validate(payout: Payout | QuotedPayout, options?: CallOptions): Promise<ValidatedPayout>
  validateBulk(payouts: readonly (Payout | QuotedPayout)[], options?: CallOptions): Promise<ValidatedBulk>
  /** Only before the payout is sent. The money is back in the wallet when this returns. */
  cancel(transactionId: string, options?: CallOptions): Promise<{ message: string }>
}

export type Read = (reference: string, options?: CallOptions) => Promise<TransactionDetails>

export function chargesOf({ call }: Transport, read: Read): Charges {
  return {
    card: (charge, options) =>
      orExisting(read, { ...charge, type: 'deposit', method: 'card' }, startedBefore, options, async () => {
        const { body } = await call('postFiatDepositCard', bodyOf(charge), options, scenarioHeaders(options))
        return started(charge, body.data)
      }),
    mobileMoney: (charge, options) =>
      orExisting(read, { ...charge, type: 'deposit', method: 'momo' }, startedBefore, options, async () => {
        const { body } = await call('postFiatDepositMomo', bodyOf(charge), options, scenarioHeaders(options))
        return started(charge, body)
      }),
    bankTransfer: (charge, options) =>
      orExisting(read, { ...charge, type: 'deposit', method: 'bank-transfer' }, openedBefore, options, async () => {
        const { body } = await call('postFiatDepositBankTransfer', bodyOf(charge), options, scenarioHeaders(options))
        return { ...started(charge, body.data), virtualAccount: accountOf(body.data.virtualAccount) }
      }),
    authorise: async (transactionId, answer, options) => {
      const input = { path: { transactionId }, body: answer }
      const { body } = await call('postFiatDepositTransactionIdAuthorise', input, options)
      return { message: body.message }
    },
  }
}

export function payoutsOf({ call }: Transport, read: Read): Payouts {
  return {
    create: (payout, options) =>
      orExisting(read, { ...payout, type: 'withdrew' }, acceptedBefore, options, async () => {
        const { body } = await call('postFiatPayout', bodyOf(payout), options, scenarioHeaders(options))
        return {
          transactionId: body.transactionId,
          externalReference: body.externalReference,
          status: statusOf(body.status),
        }
      }),
    bulk: async (payouts, options) => {
      const items: Operations['postFiatPayoutsBulk']['body'] = { payouts: payouts.map((payout) => bodyOf(payout).body) }
      const { body } = await call('postFiatPayoutsBulk', { body: items }, options, scenarioHeaders(options))
      return body.data as BulkResult[]
    },
    validate: async (payout, options) => (await call('postFiatPayoutValidate', bodyOf(payout), options)).body.data,
    validateBulk: async (payouts, options) => {
      const items = { payouts: payouts.map((payout) => bodyOf(payout).body) }
      return (await call('postFiatPayoutsBulkValidate', { body: items }, options)).body.data
    },
    cancel: async (transactionId, options) => {
      const { body } = await call('postFiatPayoutTransactionIdCancel', { path: { transactionId } }, options)
      return { message: body.message }
    },
  }
}

export function scenarioHeaders({ scenario }: PaymentOptions = {}): Record<string, string> {
  return scenario === undefined ? {} : { 'x-sandbox-scenario': scenario }
}

/** The body with exact numbers for its amounts. */
export const bodyOf = <Body extends object>(body: Body) => ({ body: withNumbers(body) })

const amountNames = ['amount', 'toAmount', 'debitAmount'] as const

type Numbered<Body> = Body extends unknown
  ? { [Name in keyof Body]: Name extends (typeof amountNames)[number] ? Exclude<Body[Name], string> : Body[Name] }
  : never

function withNumbers<Body extends object>(body: Body): Numbered<Body> {
  const amounts = amountNames.flatMap((name) => {
    const amount = (body as { readonly [Name in typeof name]?: Amount })[name]
    return amount === undefined ? [] : [[name, exactNumber(amount)]]
  })
  return { ...body, ...Object.fromEntries(amounts) } as Numbered<Body>
}

/** The number in a string. A string without an exact number is sent unchanged, and the server reports the error. */
export function exactNumber(amount: Amount): number {
  if (typeof amount === 'number') return amount
  const [, whole = '', decimals = ''] = /^0*(\d+?)(?:\.(\d*?)0*)?$/.exec(amount.trim()) ?? []
  const shortest = decimals === '' ? whole : `${whole}.${decimals}`
  return String(Number(shortest)) === shortest ? Number(shortest) : (amount as unknown as number)
}

function started(
  { externalReference }: { externalReference: string },
  { transactionId, status = 'pending', nextAction, failureReason }: Reported,
): StartedCharge {
  return {
    transactionId,
    externalReference,
    status: statusOf(status),
    nextAction,
    ...(failureReason && { failureReason }),
  }
}

interface Reported {
  readonly transactionId: string
  readonly nextAction: NextAction
  readonly status?: string
  readonly failureReason?: FailureReason | undefined
}

/** The fields of a request that identify the transaction it made. */
interface ChargeInput {
  readonly externalReference: string
  /** Missing where the server chooses it: a refund of all that is left, or a payout by its quote. */
  readonly amount?: Amount | undefined
  readonly type: string
  readonly method?: string | undefined
  readonly currency?: string | undefined
  readonly country?: string | undefined
  readonly destination?: string | undefined
  readonly payoutMethod?: { readonly accountNumber?: string | undefined } | undefined
}

/**
 * If an earlier attempt of this call may have reached the server, that attempt is the likely reason why the reference is in
 * use: the transaction is read, and returned if it matches the request. Any other use of the reference stays an error.
 */
export async function orExisting<Result>(
  read: Read,
  input: ChargeInput,
  present: (transaction: TransactionDetails) => Result | undefined,
  options: CallOptions | undefined,
  start: () => Promise<Result>,
): Promise<Result> {
  try {
    return await start()
  } catch (error) {
    if (!(error instanceof DuplicateReferenceError) || !error.isAfterRetry) throw error
    const found = await read(input.externalReference, { ...options, idempotencyKey: undefined })
    const result = isMeant(found, input) ? present(found) : undefined
    if (result === undefined) throw error
    return result
  }
}

function isMeant(found: TransactionDetails, input: ChargeInput): boolean {
  const names = ['type', 'method', 'currency', 'country', 'destination'] as const
  const isAlike = names.every((name) => input[name] === undefined || input[name] === found[name])
  const to = input.payoutMethod?.accountNumber
  const isSameCounterparty = to === undefined || bare(to) === bare(found.beneficiary.accountNumber)
  // A payout by its quote is recognised by no transaction, because the quote is not read again.
  const isSameAmount = input.amount === undefined ? input.type === 'refund' : found.amount === exactNumber(input.amount)
  return isAlike && isSameCounterparty && isSameAmount
}

/** Without the plus sign, blanks and other separators. */
const bare = (accountNumber: string) => accountNumber.replaceAll(/[^\dA-Za-z]/g, '')

const startedBefore = (found: TransactionDetails): StartedCharge => started(found, found)

const openedBefore = (found: TransactionDetails): OpenedAccount | undefined =>
  found.virtualAccount && { ...startedBefore(found), virtualAccount: found.virtualAccount }

const acceptedBefore = ({ transactionId, externalReference, status }: TransactionDetails): AcceptedPayout => ({
  transactionId,
  externalReference,
  status,
})
