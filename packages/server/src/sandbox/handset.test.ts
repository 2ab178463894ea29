import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { type TestContext, test } from 'node:test'
import { until } from '../dev-stack/until.ts'
import { chargingMalipo, nextReference } from '../testing/charging.ts'
import { testMalipo } from '../testing/malipo.ts'
import type { Prompt } from './handset.ts'

const developing = { MALIPO_DEVELOPMENT: 'on' }
let phones = 0

/** Each test plays its own phone. */
function nextPhone(): string {
  phones += 1
  return `+2547035${String(phones).padStart(2, '0')}781`
}

async function setUp(t: TestContext) {
  const malipo = await chargingMalipo(t, developing)
  const merchant = await malipo.charging()
  const phoneNumber = nextPhone()
  const post = (path: string, body: object, headers: Record<string, string> = {}) =>
    malipo.call('POST', `/handset/v1${path}`, headers, body)
  const prompts = async (of = phoneNumber) => (await post('/prompts', { phoneNumber: of })).body['data'] as Prompt[]
  const charge = async (amount = 1250) => {
    const externalReference = nextReference()
    const body = { amount, currency: 'KES', phoneNumber, externalReference }
    const started = await merchant.send('momo', body)
    assert.equal(started.status, 200, JSON.stringify(started.body))
    return { id: String(started.body['transactionId']), externalReference }
  }
  /** The page is open, and a charge arrives. */
  const prompted = async () => {
    await prompts()
    const charged = await charge()
    const [prompt] = await until('the prompt', async () => {
      const found = await prompts()
      return found.length > 0 && found
    })
    assert.ok(prompt)
    return { ...charged, prompt }
  }
  return { malipo, merchant, phoneNumber, post, prompts, prompted }
}

test('a charge shows on the phone with merchant, amount and reference, and paying it succeeds', async (t) => {
  const { merchant, phoneNumber, post, prompts, prompted } = await setUp(t)
  const { id, externalReference, prompt } = await prompted()

  const { key, secondsLeft, merchant: name, ...shown } = prompt
  assert.deepEqual(shown, { amount: '1250', currency: 'KES', operator: 'M-Pesa', reference: externalReference })
  assert.ok(name.length > 0)
  assert.ok(secondsLeft !== null && secondsLeft > 60 && secondsLeft <= 90)
  assert.equal((await merchant.read(id)).status, 'PENDING')
  const paid = await post('/answer', { phoneNumber, key, answer: 'approve' })

  assert.equal(paid.status, 200, JSON.stringify(paid.body))
  assert.equal((await merchant.ends(id)).status, 'SUCCESSFUL')
  assert.deepEqual(await prompts(), [])
})

test('a declined prompt fails the charge, and a second answer is refused', async (t) => {
  const { merchant, phoneNumber, post, prompted } = await setUp(t)
  const { id, prompt } = await prompted()
  const answer = (word: string) => post('/answer', { phoneNumber, key: prompt.key, answer: word })

  assert.equal((await answer('decline')).status, 200)

  const { status, failureReason } = await merchant.ends(id)
  assert.deepEqual([status, failureReason?.failureCode], ['FAILED', 'PAYMENT_NOT_APPROVED'])
  const again = await answer('approve')
  assert.deepEqual([again.status, again.body['errorCode']], [404, 'PROMPT_NOT_FOUND'])
})

test('a prompt without an answer times out, and the charge fails', async (t) => {
  const { malipo, merchant, prompted } = await setUp(t)
  const { id } = await prompted()

  await malipo.simulator.advance(90_000)

  assert.equal((await merchant.ends(id)).status, 'FAILED')
})

test('a phone neither sees nor answers the prompts of another phone', async (t) => {
  const { merchant, post, prompts, prompted } = await setUp(t)
  const { id, prompt } = await prompted()
  const other = nextPhone()

  assert.deepEqual(await prompts(other), [])
  const refused = await post('/answer', { phoneNumber: other, key: prompt.key, answer: 'approve' })

  assert.deepEqual([refused.status, refused.body['errorCode']], [404, 'PROMPT_NOT_FOUND'])
  assert.equal((await merchant.read(id)).status, 'PENDING')
})

test('a text that is not a mobile number is refused, and no request may have a PIN', async (t) => {
  const { phoneNumber, post } = await setUp(t)

  for (const wrong of ['', '0703456789', "' or 1=1", '+254'])
    assert.equal((await post('/prompts', { phoneNumber: wrong })).status, 400, wrong)
  const answer = { phoneNumber, key: 'x', answer: 'approve' }
  assert.equal((await post('/answer', { ...answer, pin: '1234' })).status, 400)
  assert.equal((await post('/answer', { ...answer, answer: 'reverse' })).status, 400)
})

test('a page of another site, or a foreign name for this machine, cannot answer', async (t) => {
  const { malipo, phoneNumber, post } = await setUp(t)
  const foreign = { origin: 'https://elsewhere.example.com' }

  const refused = await post('/prompts', { phoneNumber }, foreign)

  assert.deepEqual([refused.status, refused.body['errorCode']], [403, 'CROSS_SITE_REQUEST'])
  const own = await post('/prompts', { phoneNumber }, { origin: malipo.url })
  assert.equal(own.status, 200)
  assert.equal(await statusWithHost(malipo.url, 'elsewhere.example.com', { phoneNumber }), 403)
})

/** A name of another site that resolves to this machine: the browser then sends that name. */
async function statusWithHost(url: string, host: string, body: object): Promise<number | undefined> {
  const headers = { host, origin: `http://${host}`, 'content-type': 'application/json' }
  const sent = request(`${url}/handset/v1/prompts`, { method: 'POST', headers }).end(JSON.stringify(body))
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  response.resume()
  return response.statusCode
}

test('the number of the phone is in no line of the log', async (t) => {
  const { malipo, phoneNumber, prompted } = await setUp(t)

  await prompted()

  assert.doesNotMatch(malipo.log.join('\n'), new RegExp(phoneNumber.slice(4)))
})

const simulated = { MALIPO_SIMULATOR_URL: 'http://127.0.0.1:9', MALIPO_SIMULATOR_TOKEN: 'a-token-of-sixteen' }
const live = { MALIPO_PAWAPAY_URL: 'http://127.0.0.1:9', MALIPO_PAWAPAY_TOKEN: 'a-token-of-sixteen' }

for (const [where, settings] of Object.entries({
  'without MALIPO_DEVELOPMENT': simulated,
  'with a live provider': { ...developing, ...simulated, ...live },
  'without a simulator': developing,
  'on a public address': { ...developing, ...simulated, MALIPO_PUBLIC_URL: 'https://pay.example.com' },
}))
  test(`${where} there is no handset`, async (t) => {
    const malipo = await testMalipo(t, settings)
    const statusOf = async (path: string) => (await malipo.call('POST', path, {}, { phoneNumber: nextPhone() })).status
    const pageOf = async (path: string) => (await fetch(malipo.url + path)).status

    assert.equal(await statusOf('/handset/v1/prompts'), await statusOf('/no-such-path'))
    assert.equal(await pageOf('/handset'), await pageOf('/no-such-path'))
    assert.notEqual(await pageOf('/handset'), 200)
  })
