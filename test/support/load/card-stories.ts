import assert from 'node:assert/strict'
import { cardBody } from '../../../packages/server/src/testing/charging.ts'
import type { SimulatorDesk } from '../cluster/simulator-desk.ts'
import { formsOf } from '../oracles/search.ts'
import { press } from './sales.ts'

/** Every card with a scenario in the sandbox, ours first and then those that the provider publishes. */
const numbers = [
  ...['4242424242424242', '5531886652142950', '4556052704172643', '4000002760003184', '4000000000000002'],
  ...['4000000000009995', '5061460410120223210', '5438898014560229', '4187427415564246', '5640003941605320'],
  ...['5061460166976054667', '5377283645077450', '340614670471041', '374614826981843', '348784578661852'],
  ...['5143010522339965', '5590131743294314', '5258585922666506', '5399834697894723', '5551651630381384'],
  ...['5551658157653822', '5258582054729020', '5258588264565682', '5258589130149016', '5640007065275380'],
  '4111111111111111',
]
/** The API reference names it, so a process holds it as text. */
const documented = '4242424242424242'

const [pinCard, plainCard] = ['5531886652142950', '4111111111111111']
const cvv = '739'
/** Longer than real ones, so that a search cannot confuse them with other digits. */
const long = { cvv: '7398461205', pin: '9078461530', otp: '9041785236', number: '4111111111111112' }
/** These reach the provider. */
const wrong = { pin: '907846', otp: '9041783' }
const right = { pin: '1234', otp: '123456', publishedPin: '3310', publishedOtp: '12345' }

/** What must not be found anywhere, whatever the surrounding bytes. */
export const secretForms = [
  ...[...numbers, ...Object.values(long)].flatMap(formsOf),
  ...Object.entries(wrong).flatMap(([name, value]) =>
    [`"${value}"`, `'${value}'`, `=${value}`].map((text) => ({ bytes: Buffer.from(text), name: `a wrong ${name}` })),
  ),
]
/** What no process keeps in memory. */
export const forgottenForms = secretForms.filter(({ name }) => !name.startsWith(documented))
/** As a complete value, in texts that delimit values. */
export const secretValue = new RegExp(
  `["'=](?:${[...Object.values(right), ...Object.values(wrong)].join('|')})\\\\*["'&]|cvv\\W{1,8}${cvv}`,
  'i',
)
/** Calls the API as a merchant. Returns the response as text, headers included. */
export type Say = (
  method: string,
  path: string,
  body?: string | object,
  headers?: Record<string, string>,
) => Promise<ProviderStatus>

interface ProviderStatus {
  readonly status: number
  readonly text: string
}

interface Reported {
  readonly transactionId: string
  readonly nextAction: { readonly type: string; readonly redirectUrl?: string }
}

const reportedBy = ({ text }: ProviderStatus) => (JSON.parse(text) as { data?: Reported }).data
const amounts = { next: 100 }
/** Every charge has its own amount, so that a fault can target it. */
const nextAmount = () => {
  amounts.next += 1
  return amounts.next
}

function bodyOf(number: string, over: object = {}, card: object = {}) {
  const body = cardBody(number, { amount: nextAmount(), ...over })
  const own = {
    cvv: /^3[47]/.test(number) ? `${cvv}1` : cvv,
    ...(number === '5143010522339965' && { expMonth: '08', expYear: '2032' }),
  }
  return { ...body, cardDetails: { ...body.cardDetails, ...own, ...card } }
}

const charge = (say: Say, body: string | object, headers?: Record<string, string>) =>
  say('POST', '/fiat/deposit/card', body, headers)
const authorise = (say: Say, id: string, type: string, value: unknown) =>
  say('POST', `/fiat/deposit/${id}/authorise`, { type, value })
const read = async (say: Say, id: string) => reportedBy(await say('GET', `/transactions/${id}`))

const address = { street1: '1 Market Street', city: 'Lagos', state: 'LA', zip: '100001', country: 'NG' }

/** Completes every step of a card, with one wrong answer wherever that is possible. */
async function goThrough(say: Say, number: string, over: object = {}): Promise<void> {
  const providerStatus = await charge(say, bodyOf(number, over))
  assert.equal(providerStatus.status, 200, providerStatus.text)
  const { transactionId: id = '' } = reportedBy(providerStatus) ?? {}
  for (let steps = 0; steps < 3; steps += 1) {
    const { type, redirectUrl } = (await read(say, id))?.nextAction ?? { type: 'NONE' }
    if (type === 'PIN') await answerTwice(say, id, 'pin', [wrong.pin, pinOf(number)])
    if (type === 'OTP') await answerTwice(say, id, 'otp', [wrong.otp, otpOf(number)])
    if (type === 'ADDRESS') await authorise(say, id, 'address', address)
    if (redirectUrl !== undefined) await press(redirectUrl, 'approve')
  }
}

const pinOf = (number: string) => (number === pinCard ? right.pin : right.publishedPin)
const otpOf = (number: string) => (number === pinCard ? right.otp : right.publishedOtp)

async function answerTwice(say: Say, id: string, type: string, values: readonly string[]): Promise<void> {
  for (const value of values) await authorise(say, id, type, value)
}

async function askedForPin(say: Say, over: object = {}): Promise<string> {
  const { transactionId = '' } = reportedBy(await charge(say, bodyOf(pinCard, over))) ?? {}
  assert.equal((await read(say, transactionId))?.nextAction.type, 'PIN')
  return transactionId
}

/** Requests refused before the provider is called. */
function refusals(say: Say): (() => Promise<unknown>)[] {
  const grouped = plainCard.match(/.{4}/g)?.join(' ') ?? ''
  const bodies: (string | object)[] = [
    bodyOf(long.number),
    bodyOf(plainCard, {}, { cvv: long.cvv }),
    bodyOf(plainCard, {}, { number: `${plainCard}x` }),
    bodyOf(plainCard, {}, { number: [plainCard] }),
    bodyOf(plainCard, {}, { number: Number(plainCard) }),
    bodyOf(plainCard, {}, { expMonth: '13', expYear: '1999' }),
    bodyOf(plainCard, {}, { pin: long.pin }),
    bodyOf(plainCard, { cardNumber: plainCard, card: { number: grouped, cvv: long.cvv } }),
    bodyOf(plainCard, { cardDetails: plainCard }),
    bodyOf(plainCard, { amount: plainCard }),
    bodyOf(plainCard, { ipAddress: plainCard }),
    bodyOf(plainCard, { currency: 'USD' }),
    `${JSON.stringify(bodyOf(plainCard, {}, { cvv: long.cvv })).slice(0, -1)},"pin":"${long.pin}"`,
    `{"cardDetails":{"number":"${grouped}","cvv":"${long.cvv}"`,
    `number=${grouped.replaceAll(' ', '+')}&cvv=${long.cvv}`,
    JSON.stringify(bodyOf(plainCard, { firstName: plainCard.repeat(5000) })),
  ]
  const isRefused = async (body: string | object, headers?: Record<string, string>) => {
    const { status, text } = await charge(say, body, headers)
    assert.ok(status >= 400 && status < 500, `${status} ${text}`)
  }
  return [
    ...bodies.map((body) => () => isRefused(body)),
    () => isRefused(bodyOf(plainCard), { 'content-type': 'text/plain' }),
    () => isRefused(bodyOf(plainCard), { authorization: 'Bearer nobody' }),
  ]
}

/** Every provider fault, on the first request of a charge or on the customer's answer. */
const faults: readonly object[] = [
  { mode: 'drop_before_processing' },
  { mode: 'drop_after_processing' },
  { mode: 'half_response' },
  { mode: 'malformed_json' },
  { mode: 'unknown_words' },
  { mode: 'token_expired' },
  { mode: 'rate_limited' },
  { mode: 'html_503', moment: 'before' },
  { mode: 'html_503', moment: 'after' },
  { mode: 'http_status', status: 400, body: echo('error') },
  { mode: 'http_status', status: 200, body: echo('success') },
  { mode: 'http_status', status: 500, body: echo('error') },
]

/** A provider that echoes its input. */
function echo(status: string) {
  const message = `Card ${pinCard} with cvv ${long.cvv} and pin ${long.pin} is declined`
  return { status, message, data: { status: 'failed', processor_response: message, card_number: pinCard } }
}

/** Longer than the caller waits, so that the caller gets its response before the provider responds. */
const slow = { mode: 'latency', delayMs: 8500 }

function troubles(say: Say, { fault }: SimulatorDesk): (() => Promise<unknown>)[] {
  const aimed = (operation: string, request: object) => {
    const amount = nextAmount()
    const aim = { operation, mode: '', times: 1, match: { amount: String(amount) }, ...request }
    return { amount, set: () => fault(aim) }
  }
  const charged = (request: object) => async () => {
    const { amount, set } = aimed('charge', request)
    await set()
    await charge(say, bodyOf(pinCard, { amount }))
  }
  const answered = (request: object) => async () => {
    const { amount, set } = aimed('authorise', request)
    const id = await askedForPin(say, { amount })
    await set()
    await authorise(say, id, 'pin', right.pin)
    await read(say, id)
  }
  return [slow, ...faults].flatMap((request) => [charged(request), answered(request)])
}

/** Repetitions: a key with another card, a reference that is taken, an attacker with guessed values. */
function repetitions(say: Say): (() => Promise<unknown>)[] {
  const keyed = async () => {
    const [body, key] = [bodyOf(pinCard), { 'idempotency-key': `key-${nextAmount()}` }]
    const first = await charge(say, body, key)
    const again = await charge(say, { ...body, cardDetails: bodyOf(plainCard).cardDetails }, key)
    assert.equal(again.text, first.text)
    assert.equal((await charge(say, body)).status, 409)
  }
  const guessed = async () => {
    const id = await askedForPin(say)
    for (const value of [long.pin, wrong.pin, long.pin])
      assert.equal((await authorise(say, id, 'pin', value)).status, 422)
    assert.equal((await authorise(say, id, 'pin', right.pin)).status, 409)
  }
  const confused = async () => {
    const id = await askedForPin(say)
    assert.equal((await authorise(say, id, 'otp', long.otp)).status, 422)
    assert.equal((await authorise(say, id, 'pin', `${long.pin}${long.pin}`)).status, 400)
    assert.equal((await authorise(say, id, 'pin', { street1: pinCard })).status, 400)
    await say('POST', `/fiat/deposit/${id}/authorise`, `{"type":"pin","value":"${long.pin}`)
  }
  return [keyed, guessed, confused]
}

/** Every scenario of a card. They run side by side, so that their traces mix. */
export function cardStories(say: Say, simulator: SimulatorDesk): (() => Promise<unknown>)[] {
  const grouped = (number: string, gap: string) => number.match(/.{1,4}/g)?.join(gap) ?? ''
  const device = {
    colorDepth: 24,
    screenHeight: 900,
    screenWidth: 1440,
    userAgent: 'Mozilla',
    timeZone: -180,
    deviceId: 'd',
  }
  return [
    ...troubles(say, simulator),
    ...refusals(say),
    ...repetitions(say),
    ...numbers.map((number) => () => goThrough(say, number)),
    () => goThrough(say, plainCard, { currency: 'USD', device3DSInfo: device }),
    ...[' ', '-'].map((gap) => () => charge(say, bodyOf(plainCard, {}, { number: grouped(plainCard, gap) }))),
  ]
}
