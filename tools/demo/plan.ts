/** What happens in the month of the demo, decided by a seed and by the time at which it ends. Nothing here calls anything. */
import { amountIn, type Market, markets, type Person, personIn } from './markets.ts'
import { type Chance, chanceOf } from './random.ts'

/** The reason that the provider gives; undefined when the payment succeeds. */
type Failure = string | undefined

export type Activity = { readonly reference: string } & (
  | {
      readonly kind: 'momo'
      readonly market: Market
      readonly payer: Person
      readonly amount: number
      failure: Failure
    }
  | { readonly kind: 'card'; readonly currency: string; readonly payer: Person; readonly amount: number; card: Card }
  | { readonly kind: 'transfer'; readonly payer: Person; readonly amount: number; readonly paid: number }
  | (PayoutActivity & { readonly kind: 'payout' })
  | { readonly kind: 'refund'; readonly of: string; readonly amount: number; readonly reason: string }
  | { readonly kind: 'conversion'; readonly from: string; readonly to: string; readonly amount: number }
  | { readonly kind: 'chargeback'; readonly of: string }
)

interface PayoutActivity {
  readonly market: Market
  readonly payee: Person
  readonly amount: number
  /** A bank's code, for a payout to an account there. */
  readonly bank?: string
  readonly failure: Failure
  /** Another person approves it within the hour. */
  readonly isApproved?: true
}

export type Card = 'succeeds' | 'asksPin' | 'declined' | 'noFunds'

/** Activities of one moment. */
export interface Group {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly activities: readonly Activity[]
}

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const nairobiMs = 3 * hourMs

/** Payments in an hour of a usual day, by the hour in Nairobi. */
const byHour = [
  0, 0, 0, 0, 0, 0.1, 0.3, 0.7, 1, 1.2, 1.3, 1.4, 1.6, 1.4, 1.2, 1.1, 1.2, 1.4, 1.6, 1.7, 1.4, 0.9, 0.4, 0.1,
]
/** From Sunday on. */
const byWeekday = [0.55, 0.95, 0.9, 0.95, 1.05, 1.3, 1.25]
/** Above this a payout in KES needs another person. */
export const approvalAbove = 50_000

export function planDemo({ seed, endAt, days }: { seed: number; endAt: number; days: number }): readonly Group[] {
  const chance = chanceOf(seed)
  const startAt = endAt - days * dayMs
  const shop = createShop(chance)
  const groups: Group[] = []
  for (let at = Math.ceil(startAt / hourMs) * hourMs + hourMs; at < endAt - hourMs; at += hourMs) {
    const growth = 0.85 + (0.35 * (at - startAt)) / (days * dayMs)
    const local = new Date(at + nairobiMs)
    const usual = (byHour[local.getUTCHours()] ?? 0) * (byWeekday[local.getUTCDay()] ?? 1) * growth
    const count = Math.floor(usual + chance.next())
    // The routine comes first: it refunds what was charged before this hour.
    const routine = shop.routine(local, (endAt - at) / dayMs)
    const activities = [...routine, ...Array.from({ length: count }, () => shop.payment())]
    const minute = chance.between(2, 52)
    if (activities.length > 0) groups.push({ at: at + minute * 60_000, activities })
  }
  return groups
}

const failures: readonly (readonly [Failure, number])[] = [
  [undefined, 880],
  ['INSUFFICIENT_BALANCE', 52],
  ['PAYMENT_NOT_APPROVED', 44],
  ['PAYER_LIMIT_REACHED', 9],
  ['PAYER_NOT_FOUND', 8],
  ['UNSPECIFIED_FAILURE', 7],
]
const payoutFailures: readonly (readonly [Failure, number])[] = [
  [undefined, 955],
  ['RECIPIENT_NOT_FOUND', 25],
  ['WALLET_LIMIT_REACHED', 12],
  ['UNSPECIFIED_FAILURE', 8],
]
const cards: readonly (readonly [Card, number])[] = [
  ['succeeds', 80],
  ['asksPin', 8],
  ['declined', 7],
  ['noFunds', 5],
]
const momoMarkets: readonly (readonly [Market, number])[] = [
  [markets.kenya, 58],
  [markets.uganda, 13],
  [markets.tanzania, 8],
  [markets.ghana, 7],
  [markets.rwanda, 4],
  [markets.ivoryCoast, 6],
  [markets.senegal, 4],
]
const kenyanBanks = ['01', '11', '07'] // KCB, Co-operative, NCBA.
const nigerianBanks = ['058', '044'] // GTBank, Access.
const refundReasons = ['size exchanged', 'out of stock', 'ordered twice', 'arrived damaged', 'cancelled by customer']

interface Shop {
  payment(): Activity
  /** What happens besides: payroll on Fridays, suppliers, refunds, conversions, one chargeback. */
  routine(local: Date, daysLeft: number): Activity[]
}

function createShop(chance: Chance): Shop {
  const next = createReferences()
  const staff = Array.from({ length: 7 }, () => personIn(markets.kenya, chance))
  const suppliers = Array.from({ length: 4 }, () => personIn(markets.kenya, chance))
  const importer = personIn(markets.nigeria, chance)
  const refundable: { reference: string; amount: number }[] = []
  let charged: string | undefined
  const momo = (): Activity => {
    const market = chance.weigh(momoMarkets)
    const activity = {
      ...{ kind: 'momo' as const, reference: next('ORD'), market, payer: personIn(market, chance) },
      ...{ amount: amountIn(market, chance), failure: chance.weigh(failures) },
    }
    if (activity.failure === undefined && market === markets.kenya) refundable.push(activity)
    return activity
  }
  const card = (): Activity => {
    const market = chance.pick([markets.kenya, markets.nigeria, markets.nigeria])
    const activity = {
      ...{ kind: 'card' as const, reference: next('ORD'), currency: market.currency, payer: personIn(market, chance) },
      ...{ amount: amountIn(market, chance), card: chance.weigh(cards) },
    }
    if (activity.card === 'succeeds') charged ??= activity.reference
    return activity
  }
  const transfer = (): Activity => {
    const amount = amountIn(markets.nigeria, chance)
    return { kind: 'transfer', reference: next('ORD'), payer: personIn(markets.nigeria, chance), amount, paid: amount }
  }
  const payout = (payee: Person, amount: number, over: Partial<PayoutActivity> = {}): Activity => ({
    ...{ kind: 'payout', reference: next('PAY'), market: markets.kenya, payee, amount },
    ...{ failure: chance.weigh(payoutFailures), ...over },
  })
  const rider = () => payout(personIn(markets.kenya, chance), chance.between(4, 30) * 50)
  const makers = [
    [momo, 78],
    [card, 9],
    [transfer, 5],
    [rider, 8],
  ] as const
  const dated: Record<string, () => Activity[]> = {
    payroll: () => staff.map((payee, index) => payout(payee, 6_500 + index * 750, { failure: undefined })),
    suppliers: () =>
      suppliers.map((payee) => payout(payee, chance.between(12, 44) * 1_000, { bank: chance.pick(kenyanBanks) })),
    importer: () => [
      payout(importer, chance.between(60, 140) * 1_000, { market: markets.nigeria, bank: chance.pick(nigerianBanks) }),
    ],
    rent: () => [payout(suppliers[0] as Person, 85_000, { bank: '01', failure: undefined, isApproved: true })],
    conversion: () => [
      { kind: 'conversion', reference: next('FX'), from: 'UGX', to: 'KES', amount: chance.between(8, 16) * 100_000 },
    ],
    refund: () => {
      const of = refundable.splice(0).at(-1)
      if (!of) return []
      const amount = chance.next() < 0.6 ? of.amount : Math.ceil(of.amount / 100) * 50
      return [{ kind: 'refund', reference: next('RFD'), of: of.reference, amount, reason: chance.pick(refundReasons) }]
    },
    chargeback: () => (charged === undefined ? [] : [{ kind: 'chargeback', reference: next('CB'), of: charged }]),
  }
  return {
    payment: () => chance.weigh(makers)(),
    routine: (local, daysLeft) => routineOf(local, daysLeft).flatMap((name) => dated[name]?.() ?? []),
  }
}

/** By the hour and weekday in Nairobi. */
function routineOf(local: Date, daysLeft: number): string[] {
  const [hour, weekday] = [local.getUTCHours(), local.getUTCDay()]
  const isOn = (day: number, at: number) => weekday === day && hour === at
  return [
    ...(isOn(5, 16) ? ['payroll'] : []),
    ...(isOn(2, 10) ? ['suppliers'] : []),
    ...(isOn(4, 11) ? ['importer'] : []),
    ...(isOn(1, 9) && daysLeft > 5 ? ['rent'] : []),
    ...(isOn(3, 15) ? ['conversion'] : []),
    ...(hour === 11 || hour === 17 ? ['refund'] : []),
    ...(hour === 13 && daysLeft > 8 && daysLeft <= 9 ? ['chargeback'] : []),
  ]
}

/** Numbers that look like those of a shop with a past. */
function createReferences() {
  const last: Record<string, number> = { ORD: 48_210, PAY: 2_204, RFD: 310, FX: 17, CB: 4 }
  return (kind: string) => {
    last[kind] = (last[kind] ?? 0) + 1
    return `${kind}-${last[kind]}`
  }
}
