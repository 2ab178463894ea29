import assert from 'node:assert/strict'
import { createHash, createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto'
import { test } from 'node:test'
import type { Received } from '../testing/receiver.ts'
import { deposit, settleMs, startTestSimulator } from '../testing/simulator.ts'

/** Written from the RFC and not from the simulator's code, so that the two can disagree. */
function verifies({ headers, host, path, raw }: Received, key: KeyObject): boolean {
  const input = String(headers['signature-input']).slice('sig-pp='.length)
  const names = [...(/^\(([^)]*)\)/.exec(input)?.[1] ?? '').matchAll(/"([^"]+)"/g)].map(([, name = '']) => name)
  const values: Record<string, unknown> = { ...headers, '@method': 'POST', '@authority': host, '@path': path }
  const base = [...names.map((name) => `"${name}": ${String(values[name])}`), `"@signature-params": ${input}`].join(
    '\n',
  )
  const signature = Buffer.from(String(headers['signature']).slice('sig-pp=:'.length, -1), 'base64')
  const digest = `sha-512=:${createHash('sha512').update(raw).digest('base64')}:`
  return (
    headers['content-digest'] === digest && verify('sha256', Buffer.from(base), { key, dsaEncoding: 'der' }, signature)
  )
}

test('a callback carries a signature that the published key verifies', async (t) => {
  const sim = await startTestSimulator(t)
  await sim.pawapay('POST', '/v2/deposits', deposit())
  await sim.advance(settleMs)
  const [callback] = await sim.receiver.take(1)
  const [published] = (await sim.pawapay('GET', '/v2/public-key/http')).body

  assert.ok(callback)
  assert.match(String(callback.headers['signature-input']), new RegExp(`keyid="${published.id}"`))
  assert.ok(verifies(callback, createPublicKey(published.key)))
  assert.ok(
    !verifies({ ...callback, raw: callback.raw.replace('COMPLETED', 'FAILED') }, createPublicKey(published.key)),
  )
})

test('a callback names its configured host and is signed for it', async (t) => {
  const sim = await startTestSimulator(t, { SIMULATOR_CALLBACK_HOST: 'pay.example.com' })
  await sim.pawapay('POST', '/v2/deposits', deposit())
  await sim.advance(settleMs)
  const [callback] = await sim.receiver.take(1)
  const [published] = (await sim.pawapay('GET', '/v2/public-key/http')).body

  assert.ok(callback)
  assert.equal(callback.host, 'pay.example.com')
  assert.ok(verifies(callback, createPublicKey(published.key)))
})

test('a callback under callback_bad_signature does not verify', async (t) => {
  const sim = await startTestSimulator(t)
  await sim.fault({ provider: 'pawapay', operation: 'charge', mode: 'callback_bad_signature', count: 1 })
  sim.receiver.statuses.push(401)
  await sim.pawapay('POST', '/v2/deposits', deposit())
  await sim.advance(settleMs)
  await sim.receiver.take(1)
  const key = createPublicKey((await sim.pawapay('GET', '/v2/public-key/http')).body[0].key)
  await sim.advance(5_000)
  const [forged, honest] = await sim.receiver.take(2)

  assert.ok(forged && honest)
  assert.ok(!verifies(forged, key))
  assert.ok(verifies(honest, key))
})

function signed(
  url: string,
  body: string,
  privateKey: KeyObject,
  changes: { keyId?: string; age?: number; path?: string; alg?: string } = {},
) {
  const created = Math.floor(Date.now() / 1000) - (changes.age ?? 0)
  const covered = ['@method', '@authority', '@path', 'signature-date', 'content-digest', 'content-type']
  const values: Record<string, string> = {
    '@method': 'POST',
    '@authority': new URL(url).host,
    '@path': changes.path ?? '/pawapay/v2/deposits',
    'signature-date': new Date().toISOString(),
    'content-digest': `sha-512=:${createHash('sha512').update(body).digest('base64')}:`,
    'content-type': 'application/json',
  }
  const parameters = `(${covered.map((name) => `"${name}"`).join(' ')})${changes.alg ?? ';alg="ecdsa-p256-sha256"'};keyid="${changes.keyId ?? 'merchant-1'}";created=${created};expires=${created + 60}`
  const base = [...covered.map((name) => `"${name}": ${values[name]}`), `"@signature-params": ${parameters}`].join('\n')
  return (dsaEncoding: 'ieee-p1363' | 'der') => ({
    'content-type': 'application/json',
    'content-digest': String(values['content-digest']),
    'signature-date': String(values['signature-date']),
    'signature-input': `sig-pp=${parameters}`,
    signature: `sig-pp=:${sign('sha256', Buffer.from(base), { key: privateKey, dsaEncoding }).toString('base64')}:`,
  })
}

test('with a merchant key, only requests with a valid signature are accepted', async (t) => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
  const sim = await startTestSimulator(t, {
    SIMULATOR_PAWAPAY_PUBLIC_KEY: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    SIMULATOR_PAWAPAY_KEY_ID: 'merchant-1',
  })
  const body = () => JSON.stringify(deposit())
  const send = async (text: string, headers?: Record<string, string>) => {
    const response = await sim.pawapay('POST', '/v2/deposits', text, headers)
    return response.status === 200
      ? response.body.status
      : `${response.status} ${response.body.failureReason.failureCode}`
  }
  const [one, two, three, four, five, six] = [body(), body(), body(), body(), body(), body()]

  assert.equal(await send(one, signed(sim.url, one, privateKey)('der')), 'ACCEPTED')
  const no = '403 HTTP_SIGNATURE_ERROR'
  assert.equal(await send(two, signed(sim.url, two, privateKey)('ieee-p1363')), no, 'raw instead of DER')
  assert.equal(await send(two, signed(sim.url, two, privateKey, { alg: '' })('der')), no, 'no algorithm')
  assert.equal(await send(three), no)
  assert.equal(await send(three, signed(sim.url, four, privateKey)('der')), no, 'another body')
  assert.equal(await send(four, signed(sim.url, four, other)('der')), no, 'another key')
  assert.equal(await send(five, signed(sim.url, five, privateKey, { keyId: 'x' })('der')), no, 'another key id')
  assert.equal(await send(five, signed(sim.url, five, privateKey, { age: 100 })('der')), no, 'expired')
  assert.equal(await send(six, signed(sim.url, six, privateKey, { path: '/v2/deposits' })('der')), no, 'another path')
  assert.equal((await sim.control('GET', '/payments')).body.items.length, 1)
  assert.equal((await sim.pawapay('GET', '/v2/wallet-balances')).status, 200)
})
