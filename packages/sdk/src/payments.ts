import { DuplicateReferenceError } from './errors.ts'
import type { Operations, Schemas } from './generated/api.ts'
import type { ScenarioName } from './sandbox.ts'
import { accountOf, type Status, statusOf, type TransactionDetails, type VirtualAccount } from './transactions.ts'
import type { CallOptions, Transport } from './transport.ts'

/** In major units. A text such as '1500.00' is read exactly, or refused. */
export type Amount = number | string

type WithAmount<Body> = Omit<Body, 'amount'> & { amount: Amount }

export type CardCharge = WithAmount<Schemas['CardCharge']>
export type MobileMoneyCharge = WithAmount<Schemas['MomoCharge']>
export type BankTransferCharge = WithAmount<Schemas['TransferCharge']>
export type Authorisation = Schemas['Authorise']
export type Payout = WithAmount<Schemas['Payout']>
export type NextAction = Schemas['NextAction']
export type FailureReason = NonNullable<Schemas['OneTransaction']['failureReason']>

export interface PaymentOptions extends CallOptions {
  /** In the sandbox: what shall go wrong with this payment. */
  readonly scenario?: ScenarioName | undefined
}

/** A charge that has begun. */
export interface StartedCharge {
  transactionId: string
  externalReference: string
  status: Status
  /** What the customer must do now. */
  nextAction: NextAction
  failureReason?: FailureReason
}

/** A charge that waits for money in an account of its own. */
export interface OpenedAccount extends StartedCharge {
  virtualAccount: VirtualAccount
}

/** A payout whose money is held, and which will be sent. */
export interface AcceptedPayout {
  transactionId: string
  externalReference: string
  status: Status
}

/** What became of one payout of many. */
export type BulkResult =
  | { success: true; message: string; externalReference: string; transactionId: string }
  | { success: false; message: string; externalReference: string; errorCode: string }

/**
 * Money in. Every call may be repeated safely: it carries an Idempotency-Key, and where a try of ours got through and its
 * answer was lost, the charge it made is what you get.
 */
export interface Charges {
  card(charge: CardCharge, options?: PaymentOptions): Promise<StartedCharge>
  mobileMoney(charge: MobileMoneyCharge, options?: PaymentOptions): Promise<StartedCharge>
  bankTransfer(charge: BankTransferCharge, options?: PaymentOptions): Promise<OpenedAccount>
  /** Passes on the customer's PIN, code or address. */
  authorise(transactionId: string, answer: Authorisation, options?: CallOptions): Promise<{ message: string }>
}

/** Money out, as safe to repeat as {@link Charges}. */
export interface Payouts {
  create(payout: Payout, options?: PaymentOptions): Promise<AcceptedPayout>
  /** At most 1,000, each accepted or refused by itself; results are in the same order. */
  bulk(payouts: readonly Payout[], options?: PaymentOptions): Promise<BulkResult[]>
  /** While it has not been sent. Its money is back when this returns. */
  cancel(transactionId: string, options?: CallOptions): Promise<{ message: string }>
}

type Read = (reference: string, options?: CallOptions) => Promise<TransactionDetails>

export function chargesOf({ call }: Transport, read: Read): Charges {
  return {
    card: (charge, options) =>
      orExisting(read, { ...charge, type: 'deposit', method: 'card' }, startedBefore, options, async () => {
        const { body } = await call('postFiatDepositCard', bodyOf(charge), options, headersOf(options))
        return started(charge, body.data)
      }),
    mobileMoney: (charge, options) =>
      orExisting(read, { ...charge, type: 'deposit', method: 'momo' }, startedBefore, options, async () => {
        const { body } = await call('postFiatDepositMomo', bodyOf(charge), options, headersOf(options))
        return started(charge, body)
      }),
    bankTransfer: (charge, options) =>
      orExisting(read, { ...charge, type: 'deposit', method: 'bank-transfer' }, openedBefore, options, async () => {
        const { body } = await call('postFiatDepositBankTransfer', bodyOf(charge), options, headersOf(options))
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
        const { body } = await call('postFiatPayout', bodyOf(payout), options, headersOf(options))
        return {
          transactionId: body.transactionId,
          externalReference: body.externalReference,
          status: statusOf(body.status),
        }
      }),
    bulk: async (payouts, options) => {
      const items: Operations['postFiatPayoutsBulk']['body'] = { payouts: payouts.map((payout) => bodyOf(payout).body) }
      const { body } = await call('postFiatPayoutsBulk', { body: items }, options, headersOf(options))
      return body.data as BulkResult[]
    },
    cancel: async (transactionId, options) => {
      const { body } = await call('postFiatPayoutTransactionIdCancel', { path: { transactionId } }, options)
      return { message: body.message }
    },
  }
}

function headersOf({ scenario }: PaymentOptions = {}): Record<string, string> {
  return scenario === undefined ? {} : { 'x-sandbox-scenario': scenario }
}

const bodyOf = <Body extends { amount: Amount }>(body: Body) => ({
  body: { ...body, amount: exactNumber(body.amount) },
})

/** The number that a text stands for. One that no number stands for exactly goes as it is: the server says what is wrong. */
export function exactNumber(amount: Amount): number {
  if (typeof amount === 'number') return amount
  const [, whole = '', decimals = ''] = /^0*(\d+?)(?:\.(\d*?)0*)?$/.exec(amount.trim()) ?? []
  const shortest = decimals === '' ? whole : `${whole}.${decimals}`
  return String(Number(shortest)) === shortest ? Number(shortest) : (amount as unknown as number)
}

function started(
  { externalReference }: { externalReference: string },
  { transactionId, status = 'pending', nextAction, failureReason }: Told,
): StartedCharge {
  return {
    transactionId,
    externalReference,
    status: statusOf(status),
    nextAction,
    ...(failureReason && { failureReason }),
  }
}

interface Told {
  readonly transactionId: string
  readonly nextAction: NextAction
  readonly status?: string
  readonly failureReason?: FailureReason | undefined
}

/** What a call asked for, as far as the transaction it made can be recognised by it. */
interface Wish {
  readonly externalReference: string
  readonly amount: Amount
  readonly type: string
  readonly method?: string | undefined
  readonly currency?: string | undefined
  readonly country?: string | undefined
  readonly destination?: string | undefined
  readonly payoutMethod?: { readonly accountNumber?: string | undefined } | undefined
}

/**
 * Where a try of this same call may have got through, a reference that is used is most likely its doing: the transaction is
 * read, and is the answer if it is what was asked for. Anybody else's use of the reference stays an error.
 */
async function orExisting<Result>(
  read: Read,
  wish: Wish,
  present: (transaction: TransactionDetails) => Result | undefined,
  options: CallOptions | undefined,
  start: () => Promise<Result>,
): Promise<Result> {
  try {
    return await start()
  } catch (error) {
    if (!(error instanceof DuplicateReferenceError) || !error.isAfterRetry) throw error
    const found = await read(wish.externalReference, { ...options, idempotencyKey: undefined })
    const result = isMeant(found, wish) ? present(found) : undefined
    if (result === undefined) throw error
    return result
  }
}

function isMeant(found: TransactionDetails, wish: Wish): boolean {
  const names = ['type', 'method', 'currency', 'country', 'destination'] as const
  const isAlike = names.every((name) => wish[name] === undefined || wish[name] === found[name])
  const to = wish.payoutMethod?.accountNumber
  const isSameParty = to === undefined || bare(to) === bare(found.beneficiary.accountNumber)
  return isAlike && isSameParty && found.amount === exactNumber(wish.amount)
}

/** Without the plus sign and blanks that a number may be written with. */
const bare = (accountNumber: string) => accountNumber.replaceAll(/[^\dA-Za-z]/g, '')

const startedBefore = (found: TransactionDetails): StartedCharge => started(found, found)

const openedBefore = (found: TransactionDetails): OpenedAccount | undefined =>
  found.virtualAccount && { ...startedBefore(found), virtualAccount: found.virtualAccount }

const acceptedBefore = ({ transactionId, externalReference, status }: TransactionDetails): AcceptedPayout => ({
  transactionId,
  externalReference,
  status,
})
