import { emptyAccountOtp, rightValues, type TestCard, usableCards } from '../flutterwave/cards.ts'
import {
  endings,
  failureOf,
  preAuthorisationCode,
  refundEndings,
  refundFailure,
  stayingEnding,
  unknownEnding,
} from '../outcomes.ts'
import type { ControlCall } from './routes.ts'

/** The last digits that choose an outcome, with an example number. */
interface Choice {
  readonly value: string
  readonly ending: string
  readonly for: 'charge' | 'payout' | 'charge and payout' | 'refund' | 'resolve'
  readonly outcome: string
  readonly what: string
}

/** Every value that chooses an outcome, read from the same tables that decide it. */
export function testValues({ core }: ControlCall) {
  const phoneOf = (ending: string) => `+254703456${ending}`
  const accountOf = (ending: string) => `0690000${ending}`
  const cards = core.dialects.has('flutterwave') ? usableCards(core.clock.now()) : []
  const body = {
    phones: choices(phoneOf),
    // Bank accounts are never charged: a transfer charge waits for money in its own account.
    accounts: choices(accountOf).filter((choice) => choice.for !== 'charge'),
    refunds,
    cards: cards.map(presentCard),
    otps: [operatorCode, ...(cards.length === 0 ? [] : cardCodes(cards))],
  }
  return { status: 200, body }
}

function choices(numberFor: (ending: string) => string): Choice[] {
  const choice = (ending: string, rest: Omit<Choice, 'ending' | 'value'>) => ({
    value: numberFor(ending),
    ending,
    ...rest,
  })
  const failing = (['charge', 'payout'] as const).flatMap((operation) =>
    Object.entries(endings[operation]).map(([ending, code]) =>
      choice(ending, { for: operation, outcome: code, what: failureOf(code).message }),
    ),
  )
  const both = 'charge and payout' as const
  return [
    {
      ...choice('789', { for: both, outcome: 'SUCCESSFUL', what: 'Any other ending succeeds within 2 seconds.' }),
      ending: '',
    },
    ...failing,
    choice(stayingEnding, {
      for: both,
      outcome: 'PENDING',
      what: 'Stays pending until the payer acts or it expires.',
    }),
    choice(unknownEnding, { for: 'resolve', outcome: 'NOT_FOUND', what: 'This account does not exist.' }),
  ]
}

/** A refund has no number of its own: the end of its whole amount, before the decimal point, chooses. */
const refunds: readonly Choice[] = [
  {
    value: `10${refundEndings.fails}`,
    ending: refundEndings.fails,
    for: 'refund',
    outcome: refundFailure,
    what: 'A refund of such an amount fails.',
  },
  {
    value: `10${refundEndings.stays}`,
    ending: refundEndings.stays,
    for: 'refund',
    outcome: 'PENDING',
    what: 'A refund of such an amount stays pending until simulate-webhook ends it.',
  },
]

type UsableCard = ReturnType<typeof usableCards>[number]

const steps = {
  nothing: 'Asks nothing',
  pin: 'Asks the PIN, then the code',
  address: 'Asks the billing address',
  redirect: "Sends the customer to their bank's page",
} as const

function presentCard({ number, expiry, words, plan }: UsableCard) {
  const isPaid = plan.plannedOutcome.kind === 'completes'
  const { pins, otps } = plan.asks === 'pin' ? rightValues[plan.values] : none
  return {
    number,
    ...(expiry !== undefined && { expiry }),
    asks: plan.asks,
    ...(pins.length > 0 && { pins, otps }),
    outcome: isPaid ? 'SUCCESSFUL' : 'FAILED',
    what: `${steps[plan.asks]}, and is ${isPaid ? 'paid' : `declined: ${words}`}.`,
  }
}

const none = { pins: [], otps: [] } as const

const operatorCode = {
  value: preAuthorisationCode,
  kind: 'otp',
  for: 'mobile money',
  what: 'Code (otpCode) for operators that issue one before a payment; with any other code the payment is not approved.',
}

/** Correct PINs and codes, with their cards. */
function cardCodes(cards: readonly UsableCard[]) {
  const asking = cards.filter(({ plan }) => plan.asks === 'pin' && plan.plannedOutcome.kind === 'completes')
  const rightFor = (kind: 'pins' | 'otps', value: string) =>
    asking.filter(({ plan }) => (rightValues[plan.values][kind] as readonly string[]).includes(value)).map(numberOf)
  const codes = (['pins', 'otps'] as const).flatMap((kind) =>
    rightValues.both[kind].map((value) => ({
      value,
      kind: kind === 'pins' ? 'pin' : 'otp',
      for: 'card',
      what: `Correct for ${rightFor(kind, value).join(', ')}; any other value is wrong.`,
    })),
  )
  const empty = {
    value: emptyAccountOtp,
    kind: 'otp',
    for: 'card',
    what: 'Any card: fails with insufficient funds.',
  }
  return [...codes, empty]
}

const numberOf = ({ number }: TestCard) => number
