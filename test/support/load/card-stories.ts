import assert from 'node:assert/strict'
import { cardBody } from '../../../packages/server/src/testing/charging.ts'
import type { SimulatorControl } from '../cluster/simulator-control.ts'
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
const documented = '5531886652142950'

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
export type Call = (
  method: string,
  path: string,
  body?: string | object,
  headers?: Record<string, string>,
) => Promise<TextResponse>

interface TextResponse {
  readonly status: number
  readonly text: string
}

interface ChargeData {
  readonly transactionId: string
  readonly nextAction: { readonly type: string; readonly redirectUrl?: string }
}

const dataOf = ({ text }: TextResponse) => (JSON.parse(text) as { data?: ChargeData }).data
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

const charge = (call: Call, body: string | object, headers?: Record<string, string>) =>
  call('POST', '/fiat/deposit/card', body, headers)
const authorise = (call: Call, id: string, type: string, value: unknown) =>
  call('POST', `/fiat/deposit/${id}/authorise`, { type, value })
const read = async (call: Call, id: string) => dataOf(await call('GET', `/transactions/${id}`))

const address = { street1: '1 Market Street', city: 'Lagos', state: 'LA', zip: '100001', country: 'NG' }

/** Completes every step of a card, with one wrong answer wherever that is possible. */
async function goThrough(call: Call, number: string, over: object = {}): Promise<void> {
  const response = await charge(call, bodyOf(number, over))
  assert.equal(response.status, 200, response.text)
  const { transactionId: id = '' } = dataOf(response) ?? {}
  for (let steps = 0; steps < 3; steps += 1) {
    const { type, redirectUrl } = (await read(call, id))?.nextAction ?? { type: 'NONE' }
    if (type === 'PIN') await answerTwice(call, id, 'pin', [wrong.pin, pinOf(number)])
    if (type === 'OTP') await answerTwice(call, id, 'otp', [wrong.otp, otpOf(number)])
    if (type === 'ADDRESS') await authorise(call, id, 'address', address)
    if (redirectUrl !== undefined) await press(redirectUrl, 'approve')
  }
}

const pinOf = (number: string) => (number === pinCard ? right.pin : right.publishedPin)
const otpOf = (number: string) => (number === pinCard ? right.otp : right.publishedOtp)

async function answerTwice(call: Call, id: string, type: string, values: readonly string[]): Promise<void> {
  for (const value of values) await authorise(call, id, type, value)
}

async function askedForPin(call: Call, over: object = {}): Promise<string> {
  const { transactionId = '' } = dataOf(await charge(call, bodyOf(pinCard, over))) ?? {}
  assert.equal((await read(call, transactionId))?.nextAction.type, 'PIN')
  return transactionId
}

/** Requests refused before the provider is called. */
function refusals(call: Call): (() => Promise<unknown>)[] {
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
    const { status, text } = await charge(call, body, headers)
    assert.ok(status >= 400 && status < 500, `${status} ${text}`)
  }
  return [
    ...bodies.map((body) => () => isRefused(body)),
    () => isRefused(bodyOf(plainCard), { 'content-type': 'text/plain' }),
    () => isRefused(bodyOf(plainCard), { authorization: 'Bearer unknown' }),
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

function faultStories(call: Call, { fault }: SimulatorControl): (() => Promise<unknown>)[] {
  const aimed = (operation: string, request: object) => {
    const amount = nextAmount()
    const aim = { operation, mode: '', times: 1, match: { amount: String(amount) }, ...request }
    return { amount, set: () => fault(aim) }
  }
  const charged = (request: object) => async () => {
    const { amount, set } = aimed('charge', request)
    await set()
    await charge(call, bodyOf(pinCard, { amount }))
  }
  const answered = (request: object) => async () => {
    const { amount, set } = aimed('authorise', request)
    const id = await askedForPin(call, { amount })
    await set()
    await authorise(call, id, 'pin', right.pin)
    await read(call, id)
  }
  return [slow, ...faults].flatMap((request) => [charged(request), answered(request)])
}

/** Repetitions: a key with another card, a reference that is taken, an attacker with guessed values. */
function repetitions(call: Call): (() => Promise<unknown>)[] {
  const keyed = async () => {
    const [body, key] = [bodyOf(pinCard), { 'idempotency-key': `key-${nextAmount()}` }]
    const first = await charge(call, body, key)
    const again = await charge(call, { ...body, cardDetails: bodyOf(plainCard).cardDetails }, key)
    assert.equal(again.text, first.text)
    assert.equal((await charge(call, body)).status, 409)
  }
  const guessed = async () => {
    const id = await askedForPin(call)
    for (const value of [long.pin, wrong.pin, long.pin])
      assert.equal((await authorise(call, id, 'pin', value)).status, 422)
    assert.equal((await authorise(call, id, 'pin', right.pin)).status, 409)
  }
  const confused = async () => {
    const id = await askedForPin(call)
    assert.equal((await authorise(call, id, 'otp', long.otp)).status, 422)
    assert.equal((await authorise(call, id, 'pin', `${long.pin}${long.pin}`)).status, 400)
    assert.equal((await authorise(call, id, 'pin', { street1: pinCard })).status, 400)
    await call('POST', `/fiat/deposit/${id}/authorise`, `{"type":"pin","value":"${long.pin}`)
  }
  return [keyed, guessed, confused]
}

/** Every scenario of a card. They run side by side, so that their traces mix. */
export function cardStories(call: Call, simulator: SimulatorControl): (() => Promise<unknown>)[] {
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
    ...faultStories(call, simulator),
    ...refusals(call),
    ...repetitions(call),
    ...numbers.map((number) => () => goThrough(call, number)),
    () => goThrough(call, plainCard, { currency: 'USD', device3DSInfo: device }),
    ...[' ', '-'].map((gap) => () => charge(call, bodyOf(plainCard, {}, { number: grouped(plainCard, gap) }))),
  ]
}
