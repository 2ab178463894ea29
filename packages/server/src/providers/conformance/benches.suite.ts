import { randomUUID } from 'node:crypto'
import type { TestContext } from 'node:test'
import { freePort } from '../../dev-stack/processes.ts'
import { startSimulator } from '../../dev-stack/simulator.ts'
import type { Currency } from '../../money/currencies.ts'
import { Secret } from '../../platform/secret.ts'
import { openInbox } from '../../testing/inbox.ts'
import type {
  CardChargeAttempt,
  Connector,
  MomoChargeAttempt,
  PayoutAttempt,
  PayoutTarget,
  TransferChargeAttempt,
} from '../contract.ts'
import type { FailureCode } from '../failure-codes.ts'
import { createFlutterwave } from '../flutterwave/connector.ts'
import { createHouse } from '../house/connector.ts'
import { createPawapay, type PawapayOperator, type PawapayOptions } from '../pawapay/connector.ts'
import type { Bench, CardExamples, Examples } from './bench.suite.ts'

const settleMs = 60_000
const token = 'token-of-a-test'
const secret = 'secret-of-a-test'

const operators = {
  mtn_ug: { code: 'MTN_MOMO_UGA', country: 'UG', currency: 'UGX' },
  mpesa_ke: { code: 'MPESA_KEN', country: 'KE', currency: 'KES' },
  wave_sn: { code: 'WAVE_SEN', country: 'SN', currency: 'XOF' },
  orange_bf: { code: 'ORANGE_BFA', country: 'BF', currency: 'XOF' },
} as const satisfies Record<string, PawapayOperator>

/** The last three digits of a number choose the outcome. */
const at = (operator: keyof typeof operators, phone: string, amount: bigint) => ({
  key: randomUUID() as string,
  country: operators[operator].country as string,
  currency: operators[operator].currency as Currency,
  amount,
  operator: operator as string,
  phone,
})

const charge = (ending: string): MomoChargeAttempt => at('mtn_ug', `+256783456${ending}`, 15_000n)
const payout = (ending: string): PayoutAttempt => {
  const { operator, phone, ...ref } = at('mpesa_ke', `+254703456${ending}`, 12_820n)
  return { ...ref, to: { kind: 'momo', operator, phone, name: 'Juma Otieno' } }
}

const chargeEndings: Partial<Record<FailureCode, string>> = {
  PAYER_LIMIT_REACHED: '019',
  PAYER_NOT_FOUND: '029',
  PAYMENT_NOT_APPROVED: '039',
  INSUFFICIENT_BALANCE: '049',
  PAYMENT_IN_PROGRESS: '059',
  UNSPECIFIED_FAILURE: '069',
}
const payoutEndings: Partial<Record<FailureCode, string>> = {
  RECIPIENT_NOT_FOUND: '089',
  WALLET_LIMIT_REACHED: '099',
  RECIPIENT_LIMIT_REACHED: '109',
  UNSPECIFIED_FAILURE: '119',
}
const each = <Attempt>(endings: Partial<Record<FailureCode, string>>, make: (ending: string) => Attempt) =>
  Object.fromEntries(Object.entries(endings).map(([code, ending]) => [code, () => make(ending)]))

const links = { successUrl: 'https://shop.example/yes', failureUrl: 'https://shop.example/no' }
const charges: Examples<MomoChargeAttempt> = {
  succeeds: () => charge('789'),
  stays: () => charge('129'),
  fails: each(chargeEndings, charge),
  refused: { AMOUNT_NOT_ACCEPTED: () => ({ ...charge('789'), amount: 499n }) },
  redirects: () => ({ ...at('wave_sn', '+221773456789', 5_000n), ...links }),
  withCode: {
    right: () => ({ ...at('orange_bf', '+22607345678', 5_000n), otpCode: '123456' }),
    wrong: () => ({ ...at('orange_bf', '+22607345678', 5_000n), otpCode: '654321' }),
  },
}
const payouts: Examples<PayoutAttempt> = {
  succeeds: () => payout('789'),
  stays: () => payout('129'),
  fails: each(payoutEndings, payout),
  refused: { AMOUNT_NOT_ACCEPTED: () => ({ ...payout('789'), amount: 999n }) },
}

const houseCharge = (operator: string, phone: string): MomoChargeAttempt => {
  return { key: randomUUID(), country: 'CI', currency: 'XOF', amount: 5_000n, operator, phone }
}
const houseCharges: Examples<MomoChargeAttempt> = {
  succeeds: () => houseCharge('MTN_CI', '+2250503456789'),
  stays: () => houseCharge('MTN_CI', '+2250503456129'),
  fails: each(chargeEndings, (ending) => houseCharge('MTN_CI', `+2250503456${ending}`)),
  withCode: {
    right: () => ({ ...houseCharge('ORANGE_CI', '+2250703456789'), otpCode: '123456' }),
    wrong: () => ({ ...houseCharge('ORANGE_CI', '+2250703456789'), otpCode: '654321' }),
  },
}

const accountName = 'Juma Otieno'
/** On every rail the last digits of a number choose the outcome of a payout. */
const rails: Readonly<Record<PayoutTarget['kind'], (ending: string) => PayoutTarget>> = {
  momo: (ending) => ({ kind: 'momo', operator: 'MPESA_KE', phone: `+254703456${ending}`, name: accountName }),
  bank: (ending) => {
    return { kind: 'bank', bankCode: '068', branchCode: '', accountNumber: `0123456${ending}`, accountName }
  },
  paybill: (ending) => {
    return { kind: 'paybill', businessNumber: '522522', accountNumber: `1234567${ending}`, accountName }
  },
  till: (ending) => ({ kind: 'till', tillNumber: `456${ending}`, accountName }),
}

function housePayouts(rail: PayoutTarget['kind']): Examples<PayoutAttempt> {
  const make = (ending: string): PayoutAttempt => {
    return { key: randomUUID(), country: 'KE', currency: 'KES', amount: 12_820n, to: rails[rail](ending) }
  }
  return { succeeds: () => make('789'), stays: () => make('129'), fails: each(payoutEndings, make) }
}

const account = (country: string, currency: Currency): TransferChargeAttempt => {
  return { key: randomUUID(), country, currency, amount: 150_000n, email: 'amina@example.com', lifeSeconds: 7200 }
}
/** The customer does not pay unless a case makes them pay. */
const transfersIn = (country: string, currency: Currency): Examples<TransferChargeAttempt> => {
  return { succeeds: () => account(country, currency), stays: () => account(country, currency), fails: {} }
}

const card = (number: string, expiry = '09/2032'): CardChargeAttempt => {
  const [expMonth = '', expYear = ''] = expiry.split('/')
  return {
    key: randomUUID(),
    country: 'NG',
    currency: 'NGN',
    amount: 150_050n,
    card: { number, cvv: '564', expMonth, expYear },
    customer: { email: 'amina@example.com', firstName: 'Amina', lastName: 'Okafor', ipAddress: '102.89.1.7' },
    returnUrl: 'https://shop.example/back',
  }
}
const cards: CardExamples = {
  succeeds: () => card('4000002760003184'),
  stays: () => card('4187427415564246'),
  fails: {
    CARD_DECLINED: () => card('4000000000000002'),
    INSUFFICIENT_BALANCE: () => card('4000000000009995'),
    SUSPECTED_FRAUD: () => card('5590131743294314', '11/2032'),
    CARD_EXPIRED: () => card('4242424242424242', '01/2020'),
    UNSPECIFIED_FAILURE: () => card('5258589130149016', '11/2030'),
  },
  steps: {
    ends: () => card('4242424242424242'),
    asksPin: () => card('5531886652142950'),
    asksAddress: () => card('4556052704172643'),
    declinedAfter: {
      pin: [() => card('5399834697894723', '09/2031'), 'AUTHENTICATION_FAILED'],
      address: [() => card('5143010522339965', '08/2032'), 'CARD_DECLINED'],
    },
  },
  values: {
    pin: '1234',
    otp: '123456',
    emptyOtp: '6648',
    wrong: ['0000', '9999', '12', 'abcd', '1234567890', ''],
    address: { street1: '1 Marina Road', city: 'Lagos', state: 'LA', zip: '100001', country: 'NG' },
  },
}

const bankPayout = (ending: string): PayoutAttempt => ({
  key: randomUUID(),
  country: 'UG',
  currency: 'UGX',
  amount: 12_820n,
  to: {
    kind: 'bank',
    bankCode: 'UG000001',
    branchCode: 'UG280103',
    accountNumber: `0123456${ending}`,
    accountName: 'Juma Otieno',
  },
})
const bankPayouts: Examples<PayoutAttempt> = {
  succeeds: () => bankPayout('789'),
  stays: () => bankPayout('129'),
  fails: each(payoutEndings, bankPayout),
  refused: { AMOUNT_NOT_ACCEPTED: () => ({ ...bankPayout('789'), amount: 499n }) },
}

/** What is specific to one provider's bench. */
interface Fittings
  extends Omit<Bench, 'connector' | 'unreachable' | 'secrets' | 'control' | 'inbox' | 'settleMs' | 'callbacks'> {
  /** Settings of the simulator. */
  readonly settings: Readonly<Record<string, string>>
  readonly callbacks: {
    readonly areProof: boolean
    readonly areKnown: boolean
    readonly arePathBound: boolean
    readonly ageMaxMs?: number
  }
  connect(baseUrl: string, now: () => number): Connector
}

/** A simulator of the provider and two connectors: one reaches it, the other reaches no provider. */
async function openBench(t: TestContext, { settings, callbacks, connect, ...rest }: Fittings): Promise<Bench> {
  const inbox = await openInbox()
  t.after(() => inbox.close())
  const simulator = await startSimulator(t, {
    SIMULATOR_CALLBACK_BASE: `${inbox.url}/callbacks`,
    SIMULATOR_SETTLE_MS: String(settleMs),
    ...settings,
  })
  let aheadMs = 0
  const now = () => Date.now() + aheadMs
  const connector = connect(`${simulator.url}/${rest.provider}`, now)
  const unreachable = connect(`http://127.0.0.1:${await freePort()}/${rest.provider}`, now)
  t.after(() => Promise.all([connector.close(), unreachable.close()]))
  const { ageMaxMs, ...rules } = callbacks
  const moveClock = (ms: number) => {
    aheadMs += ms
  }
  return {
    ...rest,
    connector,
    unreachable,
    secrets: [token, secret],
    control: simulator.control,
    inbox,
    settleMs,
    callbacks: { ...rules, ...(ageMaxMs !== undefined && { aging: { ageMaxMs, moveClock } }) },
  }
}

export function pawapayBench(t: TestContext, options: Partial<PawapayOptions>, settings: Record<string, string> = {}) {
  const areProof = options.areCallbacksSigned ?? true
  return openBench(t, {
    provider: 'pawapay',
    settings: { SIMULATOR_PAWAPAY_TOKEN: token, ...settings },
    connect: (baseUrl, now) =>
      createPawapay({
        baseUrl,
        now,
        token: new Secret(token),
        operators: new Map(Object.entries(operators)),
        ...options,
      }),
    charges,
    payouts,
    callbacks: { areProof, areKnown: areProof, arePathBound: areProof, ...(areProof && { ageMaxMs: 120_000 }) },
  })
}

/** House charges are tested once, with the payouts of the first rail. */
export function houseBench(t: TestContext, rail: PayoutTarget['kind']) {
  const isFirst = rail === 'momo'
  return openBench(t, {
    provider: 'house',
    settings: { SIMULATOR_HOUSE_TOKEN: token, SIMULATOR_HOUSE_SECRET: secret },
    connect: (baseUrl, now) => {
      const { momoCharges, transferCharges, ...house } = createHouse({
        baseUrl,
        now,
        token: new Secret(token),
        secret: new Secret(secret),
      })
      return { ...house, ...(isFirst && momoCharges && transferCharges && { momoCharges, transferCharges }) }
    },
    ...(isFirst && { charges: houseCharges, transfers: transfersIn('KE', 'KES') }),
    payouts: housePayouts(rail),
    showsReturned: true,
    callbacks: { areProof: true, areKnown: true, arePathBound: false, ageMaxMs: 301_000 },
  })
}

export function flutterwaveBench(t: TestContext) {
  const encryptionKey = 'encryption-of-a-test-123'
  return openBench(t, {
    provider: 'flutterwave',
    settings: {
      SIMULATOR_FLUTTERWAVE_TOKEN: token,
      SIMULATOR_FLUTTERWAVE_ENCRYPTION_KEY: encryptionKey,
      SIMULATOR_FLUTTERWAVE_HASH: secret,
    },
    connect: (baseUrl) =>
      createFlutterwave({
        baseUrl: `${baseUrl}/v3`,
        secretKey: new Secret(token),
        encryptionKey: new Secret(encryptionKey),
        webhookHash: new Secret(secret),
        bankCodes: new Map([['UG:UG000001', 'UG000001']]),
      }),
    cards,
    transfers: transfersIn('NG', 'NGN'),
    payouts: bankPayouts,
    areTransfersSilent: true,
    refusesInSentences: true,
    takesWithoutFloat: true,
    takesRefundsWithoutKey: true,
    callbacks: { areProof: false, areKnown: true, arePathBound: false },
  })
}
