import type { PlannedOutcome } from '../entries.ts'

/** What the issuer asks for before it decides. */
type Ask = 'nothing' | 'pin' | 'address' | 'redirect'

/** How a card behaves. The correct values are named here, not stored. */
export interface Plan {
  readonly asks: Ask
  readonly values: keyof typeof rightValues
  readonly plannedOutcome: PlannedOutcome
}

/** Values of the provider's test pages, of Malipo's contract, or of both. */
export const rightValues = {
  published: { pins: ['3310'], otps: ['12345'] },
  both: { pins: ['3310', '1234'], otps: ['12345', '123456'] },
} as const

export const emptyAccountOtp = '6648'

const fails = (issuerWords: string): PlannedOutcome => ({ kind: 'fails', failure: issuerFailure(issuerWords) })
const completes: PlannedOutcome = { kind: 'completes' }

/** A failure in the issuer's own words. */
export const issuerFailure = (message: string) => ({ code: 'ISSUER', message })

export interface TestCard {
  readonly number: string
  /** As published. Any other expiry that has not passed works too. */
  readonly expiry?: string
  readonly asks?: Ask
  readonly values?: Plan['values']
  readonly words?: string
}

/** Both lists. A card listed twice differs by expiry; the last entry also serves any other expiry. */
const testCards: readonly TestCard[] = [
  { number: '5531886652142950', expiry: '09/32', asks: 'pin', values: 'both' },
  { number: '5061460410120223210', expiry: '10/31', asks: 'pin' },
  { number: '5438898014560229', expiry: '10/31', asks: 'redirect' },
  { number: '4187427415564246', expiry: '09/32', asks: 'redirect' },
  { number: '5640003941605320', expiry: '05/26', asks: 'redirect' },
  { number: '4556052704172643', expiry: '09/32', asks: 'address' },
  { number: '5061460166976054667', expiry: '10/29' },
  { number: '5377283645077450', expiry: '09/31' },
  { number: '340614670471041', expiry: '10/31', asks: 'redirect' },
  { number: '374614826981843', expiry: '10/31' },
  { number: '348784578661852', expiry: '10/31' },
  { number: '5143010522339965', expiry: '08/32', asks: 'address', words: 'Declined by AVS' },
  { number: '5143010522339965', expiry: '08/31', words: 'Do Not Honour' },
  { number: '5590131743294314', expiry: '11/32', words: 'Suspected fraud' },
  { number: '5258585922666506', expiry: '09/31', words: 'Insufficient Funds' },
  { number: '5399834697894723', expiry: '09/31', asks: 'pin', words: 'Wrong PIN' },
  { number: '5551651630381384', expiry: '08/31', words: 'Restricted card' },
  { number: '5551658157653822', expiry: '08/31', words: 'Invalid transaction' },
  { number: '5258582054729020', expiry: '11/30', words: 'Transaction not permitted' },
  { number: '5258588264565682', expiry: '11/30', words: 'Transaction not permitted' },
  { number: '5258589130149016', expiry: '11/30', words: 'Transaction error' },
  { number: '5640007065275380', expiry: '05/26', words: 'Insufficient Funds' },
  { number: '4242424242424242' },
  { number: '4000002760003184', asks: 'redirect' },
  { number: '4000000000000002', words: 'Do Not Honour' },
  { number: '4000000000009995', words: 'Insufficient Funds' },
]

/** The cards that have not expired, each with its behaviour. */
export const usableCards = (now: number): readonly (TestCard & { readonly plan: Plan })[] =>
  testCards
    .filter(({ expiry }) => expiry === undefined || !isOver(expiry, now))
    .map((card) => ({ ...card, plan: planFor(card) }))

/** Undefined for a number that no card can have. */
export function planOf(number: string, expiry: string, now: number): Plan | undefined {
  const listed = testCards.filter((card) => card.number === number)
  const card = listed.find((each) => each.expiry === expiry) ?? listed.at(-1)
  if (card === undefined && !passesLuhn(number)) return undefined
  if (card?.expiry !== expiry && isOver(expiry, now)) return planFor({ number, words: 'Expired card' })
  return planFor(card ?? { number })
}

function planFor({ asks = 'nothing', values = 'published', words: issuerWords }: TestCard): Plan {
  return { asks, values, plannedOutcome: issuerWords === undefined ? completes : fails(issuerWords) }
}

/** A card that is declined for its PIN accepts any PIN and fails afterwards. */
export function isRightPin({ values, plannedOutcome }: Pick<Plan, 'values' | 'plannedOutcome'>, pin: string): boolean {
  return plannedOutcome.kind === 'fails' || (rightValues[values].pins as readonly string[]).includes(pin)
}

export const isRightOtp = (values: Plan['values'], otp: string): boolean =>
  (rightValues[values].otps as readonly string[]).includes(otp)

export function brandOf(number: string): string {
  if (/^(5061|650)/.test(number)) return 'VERVE'
  if (number.startsWith('5640')) return 'AFRIGO'
  if (number.startsWith('4')) return 'VISA'
  return /^3[47]/.test(number) ? 'AMERICAN EXPRESS' : 'MASTERCARD'
}

/** A card is valid until the end of its month. */
function isOver(expiry: string, now: number): boolean {
  const [month, year] = expiry.split('/').map(Number)
  return Date.UTC(2000 + (year ?? 0), month ?? 0) <= now
}

function passesLuhn(number: string): boolean {
  const sum = [...number].reverse().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 0 ? 1 : 2)
    return total + (value > 9 ? value - 9 : value)
  }, 0)
  return sum % 10 === 0
}
