import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { type TestContext, test } from 'node:test'
import { webhooks } from '@malipo/sdk'
import { until } from '../../server/src/dev-stack/until.ts'
import { testMalipo } from '../../server/src/testing/malipo.ts'
import { exitCodes } from './exit-codes.ts'
import { createProgram } from './program.ts'

const unreachableSimulator = {
  MALIPO_SIMULATOR_URL: 'http://127.0.0.1:9',
  MALIPO_SIMULATOR_TOKEN: 'a-token-that-is-not-used',
}

/** A merchant, and `listen` as the merchant's developer runs it. */
async function bench(t: TestContext) {
  const malipo = await testMalipo(t, unreachableSimulator)
  const merchant = await malipo.merchant()
  const { publicKey, apiKey } = merchant
  const variables = { MALIPO_URL: malipo.url, MALIPO_PUBLIC_KEY: publicKey, MALIPO_API_KEY: apiKey }
  const end = new AbortController()
  const printed = { out: '', err: '' }
  const write = (text: string) => {
    printed.out += text
  }
  const writeError = (text: string) => {
    printed.err += text
  }
  const listen = (args: string[], others: Record<string, string> = {}) =>
    createProgram({ variables: { ...variables, ...others }, actor: 'wanjiru', write, writeError, signal: end.signal })([
      'listen',
      ...args,
    ])
  let charges = 0
  const charge = () => {
    charges += 1
    const body = { amount: 100, currency: 'KES', phoneNumber: '+254703456789', externalReference: `order-${charges}` }
    return merchant.call('POST', '/api/b2b/fiat/deposit/momo', body)
  }
  return { listen, charge, printed, end: () => end.abort() }
}

test('listen prints new events as they happen, and no earlier ones', async (t) => {
  const { listen, charge, printed, end } = await bench(t)
  for (let index = 0; index < 3; index += 1) await charge()

  const listening = listen([])
  await until('it to listen', async () => printed.out.includes('Listening'))
  await charge()
  await until('the event', async () => printed.out.includes('order-4'))
  end()

  assert.equal(await listening, exitCodes.done)
  assert.match(printed.out, /#4 {2}transaction_created {2}pending {2}100 KES {2}order-4 {2}txn_/)
  assert.doesNotMatch(printed.out, /order-3/)
})

test('listen forwards events with a signature that the session’s secret verifies', async (t) => {
  const { listen, charge, printed, end } = await bench(t)
  const got: { headers: IncomingHttpHeaders; body: string }[] = []
  const receiver = createServer(async (request, reply) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    got.push({ headers: request.headers, body: Buffer.concat(parts).toString() })
    reply.end()
  }).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  t.after(() => receiver.close())
  const address = receiver.address()
  const port = typeof address === 'object' && address ? address.port : 0
  await charge()

  const listening = listen(['--after', '0', '--forward-to', `http://127.0.0.1:${port}/hooks`])
  await until('the delivery', async () => printed.out.includes('delivered: 200'))
  end()
  await listening

  const [secret = ''] = /whsec_\S+/.exec(printed.out) ?? []
  const [{ headers, body } = assert.fail()] = got
  assert.equal(webhooks.verify(body, headers, secret).data.externalReference, 'order-1')
})

test('with --json every event is one document per line, and notes go to standard error', async (t) => {
  const { listen, charge, printed, end } = await bench(t)
  await charge()
  await charge()

  const listening = listen(['--json', '--after', '0', '--forward-to', 'http://127.0.0.1:4/hooks'])
  await until('both events', async () => printed.err.split('cannot reach').length === 3)
  end()

  assert.equal(await listening, exitCodes.done)
  const lines = printed.out.trim().split('\n')
  assert.deepEqual(
    lines.map((line) => (JSON.parse(line) as { number: number }).number),
    [1, 2],
  )
  assert.match(printed.err, /^Listening and forwarding to .*\nSigning secret of this session: whsec_/)
})

test('a wrong key pair, a missing one and an unreachable Malipo are each a plain sentence', async (t) => {
  const { listen, printed } = await bench(t)

  assert.equal(await listen([], { MALIPO_API_KEY: 'sk_test_wrong' }), exitCodes.unauthorised)
  assert.match(printed.err, /Malipo rejected the key pair/)
  assert.equal(await listen([], { MALIPO_PUBLIC_KEY: '' }), exitCodes.usage)
  assert.match(
    printed.err,
    /MALIPO_PUBLIC_KEY is not set\.\nStart a local stack with npm run dev, run malipo login, or set/,
  )
  assert.equal(await listen([], { MALIPO_URL: 'http://127.0.0.1:4' }), exitCodes.unreachable)
  assert.match(printed.err, /Cannot reach Malipo at http:\/\/127\.0\.0\.1:4: ECONNREFUSED/)
  assert.doesNotMatch(printed.err, /at .*\.ts:/)
})
