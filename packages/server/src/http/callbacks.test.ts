import assert from 'node:assert/strict'
import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, request } from 'node:http'
import { type TestContext, test } from 'node:test'
import { signatureHeaders } from '../providers/pawapay/signatures.ts'
import { testMalipo } from '../testing/malipo.ts'

const live = { MALIPO_PAWAPAY_URL: 'http://127.0.0.1:9', MALIPO_PAWAPAY_TOKEN: 'a-token-of-a-live-account' }
const callback = { payoutId: randomUUID(), status: 'FAILED', amount: '100.0000', currency: 'KES' }

test('an unsigned pawaPay callback is refused, or only a hint where unsigned ones are allowed', async (t) => {
  const strict = await testMalipo(t, live)
  const lax = await testMalipo(t, { ...live, MALIPO_PAWAPAY_CALLBACKS: 'unsigned' })

  const refused = await strict.call('POST', '/callbacks/pawapay', {}, callback)
  const hint = await lax.call('POST', '/callbacks/pawapay', {}, callback)

  assert.deepEqual([refused.status, refused.body['errorCode']], [401, 'UNAUTHORIZED'])
  assert.equal(hint.status, 200)
  assert.ok(lax.log.some((line) => line.includes('callback names an unknown payment')))
})

const theirs = generateKeyPairSync('ec', { namedCurve: 'P-256' })

/** A pawaPay server that only publishes its keys. Returns its URL. */
async function publishKeys(t: TestContext): Promise<string> {
  const keys = [{ id: 'theirs', key: theirs.publicKey.export({ type: 'spki', format: 'pem' }) }]
  const server = createServer((_, response) => void response.end(JSON.stringify(keys))).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`
}

/** Sends a callback that pawaPay signed for one URL to this server, with the given Host. Returns the HTTP status. */
async function post(serverUrl: string, signedFor: string, host: string): Promise<number | undefined> {
  const message = { method: 'POST', url: signedFor, body: JSON.stringify(callback), contentType: 'application/json' }
  const signed = signatureHeaders(message, { keyId: 'theirs', privateKey: theirs.privateKey }, 'der', Date.now())
  const sent = request(`${serverUrl}/callbacks/pawapay`, { method: 'POST', headers: { ...signed, Host: host } })
  sent.end(message.body)
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  response.resume()
  return response.statusCode
}

for (const [publicUrl, host] of [
  ['https://Pay.example.com', 'pay.example.com'],
  ['https://pay.example.com:8443', 'pay.example.com:8443'],
] as const)
  test(`a pawaPay callback is accepted only when signed for ${host}, whatever its Host header`, async (t) => {
    const url = await publishKeys(t)
    const malipo = await testMalipo(t, { ...live, MALIPO_PAWAPAY_URL: url, MALIPO_PUBLIC_URL: publicUrl })
    const mine = `https://${host}/callbacks/pawapay`
    const other = 'https://other.example.com/callbacks/pawapay'

    assert.equal(await post(malipo.url, mine, host), 200)
    assert.equal(await post(malipo.url, mine, 'server-7.internal:8080'), 200, 'a proxy rewrote Host')
    assert.equal(await post(malipo.url, other, 'other.example.com'), 401, 'its Host agrees with its signature')
    assert.equal(await post(malipo.url, other, host), 401)
    assert.equal(await post(malipo.url, 'https://pay.example.com:9/callbacks/pawapay', 'pay.example.com:9'), 401)
  })
