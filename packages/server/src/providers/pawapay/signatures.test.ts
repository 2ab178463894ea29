import assert from 'node:assert/strict'
import { constants, createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { test } from 'node:test'
import type { InboundRequest } from '../contract.ts'
import { findFlaw, type SignatureForm, signatureHeaders } from './signatures.ts'

const nowMs = Date.parse('2026-03-01T12:00:00.000Z')
const nowS = nowMs / 1000
const body = '{"depositId":"11111111-1111-4111-8111-111111111111"}'
const digest = 'sha-512=:DOxAkjrMcF0Y9GXhezAD8XgZ/Z1ehbSV1Wp3z/UaI/7cN0VXlMJ8PlXytsK14GMKC9RdDPJI6Vy7Fu+W9h+w3w==:'

const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' })
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const keys: Record<string, KeyObject> = { p256: p256.publicKey, p384: p384.publicKey, rsa: rsa.publicKey }
const findKey = async (id: string) => keys[id]
const flawOf = (request: InboundRequest, atMs = nowMs, form: SignatureForm = 'der') =>
  findFlaw(request, { findKey, form }, atMs)

interface Shape {
  readonly covered?: readonly string[]
  readonly keyId?: string
  readonly alg?: string
  readonly times?: string
  readonly body?: string
  readonly digest?: string
  readonly contentType?: string
  readonly seal?: (base: Buffer) => Buffer
}

const values: Record<string, string> = {
  '@method': 'POST',
  '@authority': 'pay.example.com',
  '@path': '/callbacks/pawapay',
}

/** A callback written by hand from the RFC, without any of the code under test. */
function callback(shape: Shape = {}): InboundRequest {
  const { covered = ['@method', '@authority', '@path', 'content-digest', 'content-type'], keyId = 'p256' } = shape
  const { alg = 'ecdsa-p256-sha256', times = `;created=${nowS};expires=${nowS + 60}`, seal = der } = shape
  const { contentType = 'application/json' } = shape
  const all: Record<string, string> = {
    ...values,
    'content-type': contentType,
    'content-digest': shape.digest ?? digest,
  }
  const list = covered.map((each) => `"${each}"`).join(' ')
  const params = `(${list})${alg && `;alg="${alg}"`};keyid="${keyId}"${times}`
  const base = [...covered.map((each) => `"${each}": ${all[each] ?? ''}`), `"@signature-params": ${params}`].join('\n')
  return {
    method: 'POST',
    path: '/callbacks/pawapay',
    authority: 'pay.example.com',
    headers: {
      'content-type': contentType,
      'content-digest': shape.digest ?? digest,
      'signature-input': `sig-pp=${params}`,
      signature: `sig-pp=:${seal(Buffer.from(base)).toString('base64')}:`,
    },
    body: Buffer.from(shape.body ?? body),
  }
}

const raw = (base: Buffer) => sign('sha256', base, { key: p256.privateKey, dsaEncoding: 'ieee-p1363' })
const der = (base: Buffer) => sign('sha256', base, { key: p256.privateKey, dsaEncoding: 'der' })

test('a request is signed in the configured form, with the published digest', async () => {
  const url = 'http://127.0.0.1:8080/pawapay/v2/deposits'
  const message = { method: 'POST', url, body, contentType: 'application/json' }
  for (const form of ['der', 'raw'] as const) {
    const headers = signatureHeaders(message, { keyId: 'p256', privateKey: p256.privateKey }, form, nowMs)

    assert.equal(headers['Content-Digest'], digest)
    const signature = Buffer.from(String(headers['Signature']).split(':')[1] ?? '', 'base64')
    assert.equal(signature[0] === 0x30 && signature[1] === signature.length - 2, form === 'der', form)
    const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
    const request = { method: 'POST', path: '/pawapay/v2/deposits', authority: '127.0.0.1:8080', headers: lower }
    assert.equal(await flawOf({ ...request, body: Buffer.from(body) }, nowMs, form), undefined)
  }
})

test('a signature is valid in the configured form only', async () => {
  const wrong = 'its signature is wrong'
  for (const [seal, form, flaw] of [
    [der, 'der', undefined],
    [raw, 'raw', undefined],
    [raw, 'der', wrong],
    [der, 'raw', wrong],
  ] as const)
    assert.equal(await flawOf(callback({ seal }), nowMs, form), flaw)
})

test('a signature is valid with every algorithm, both digests and the content type as sent', async () => {
  const sha256 = `sha-256=:${createHash('sha256').update(body).digest('base64')}:`
  const pss = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 64 }
  const byP384 = (base: Buffer) => sign('sha384', base, { key: p384.privateKey, dsaEncoding: 'der' })
  const genuine: Record<string, Shape> = {
    plain: {},
    'no algorithm named': { alg: '' },
    'a nonce and a tag': { times: `;created=${nowS};nonce="b3k2";tag="callback"` },
    'no end named': { times: `;created=${nowS}` },
    'sha-256': { digest: sha256 },
    'both digests': { digest: `${sha256}, ${digest}` },
    'P-384': { keyId: 'p384', alg: 'ecdsa-p384-sha384', seal: byP384 },
    PSS: { keyId: 'rsa', alg: 'rsa-pss-sha512', seal: (base) => sign('sha512', base, { key: rsa.privateKey, ...pss }) },
    'PKCS 1.5': { keyId: 'rsa', alg: 'rsa-v1_5-sha256', seal: (base) => sign('sha256', base, rsa.privateKey) },
    'a content type with its charset': { contentType: 'application/json; charset=UTF-8' },
  }

  for (const [name, shape] of Object.entries(genuine)) assert.equal(await flawOf(callback(shape)), undefined, name)
  assert.equal(
    await flawOf({ ...callback(), path: '/callbacks/pawapay?from=pawapay' }),
    undefined,
    'a query is not path',
  )
})

test('a request whose body, digest, path, method, host or header was changed is refused', async () => {
  const good = callback()
  const changed: Record<string, InboundRequest> = {
    body: { ...good, body: Buffer.from(body.replace('1', '2')) },
    'one byte more': { ...good, body: Buffer.from(`${body} `) },
    'one of two digests': callback({ digest: `${digest}, sha-256=:${createHash('sha256').digest('base64')}:` }),
    'digest we do not know': callback({ digest: `md5=:${createHash('md5').update(body).digest('base64')}:` }),
    path: { ...good, path: '/callbacks/other' },
    method: { ...good, method: 'PUT' },
    host: { ...good, authority: 'other.example.com' },
    port: { ...good, authority: 'pay.example.com:8443' },
    header: { ...good, headers: { ...good.headers, 'content-type': 'text/plain' } },
  }

  for (const [name, request] of Object.entries(changed)) assert.notEqual(await flawOf(request), undefined, name)
})

test('a signature that omits the method, host, path or digest proves nothing', async () => {
  const components = ['@method', '@authority', '@path', 'content-digest']
  assert.equal(await flawOf(callback({ covered: components })), undefined)
  for (const left of components) {
    const covered = components.filter((each) => each !== left)
    assert.equal(await flawOf(callback({ covered })), `its signature does not cover ${left}`)
  }
  for (const odd of ['@status', '@request-target', 'x-missing'])
    assert.notEqual(await flawOf(callback({ covered: [...components, odd] })), undefined, odd)
  assert.notEqual(await flawOf(callback({ covered: [...components, '@path'] })), undefined, 'named twice')
})

test('a signature is valid from its creation to its expiry, give or take half a minute', async () => {
  const good = callback()

  assert.equal(await flawOf(good, nowMs + 90_000), undefined)
  assert.equal(await flawOf(good, nowMs + 91_000), 'its signature has expired')
  assert.equal(await flawOf(good, nowMs - 30_000), undefined)
  assert.equal(await flawOf(good, nowMs - 31_000), 'its signature is from the future')
  assert.equal(await flawOf(callback({ times: `;created=${nowS}` }), nowMs + 331_000), 'its signature has expired')
  assert.notEqual(await flawOf(callback({ times: '' })), undefined, 'no time at all')
  assert.notEqual(await flawOf(callback({ times: `;created=${nowS};created=${nowS}` })), undefined, 'two times')
})

test('a signature by another key, an unknown key or the wrong algorithm is refused', async () => {
  const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
  const byStranger = (base: Buffer) => sign('sha256', base, { key: stranger, dsaEncoding: 'der' })

  assert.equal(await flawOf(callback({ seal: byStranger })), 'its signature is wrong')
  assert.match((await flawOf(callback({ keyId: 'unknown' }))) ?? '', /not signed with a key of the provider/)
  assert.equal(await flawOf(callback({ alg: 'rsa-v1_5-sha256' })), 'its signature is wrong')
  assert.equal(await flawOf(callback({ alg: 'hmac-sha256' })), 'its signature is wrong')
  assert.equal(await flawOf(callback({ seal: () => Buffer.alloc(64) })), 'its signature is wrong')
})

test('missing or malformed signature fields are refused without a key lookup', async () => {
  const good = callback()
  const input = String(good.headers['signature-input'])
  const malformed = [
    { 'signature-input': '' },
    { signature: '' },
    { signature: `other=${good.headers['signature']}` },
    { signature: 'sig-pp=:not base64:' },
    { signature: `${good.headers['signature']}, ${good.headers['signature']}` },
    { 'signature-input': `${input}, ${input}` },
    { 'signature-input': input.replace('"@path"', '"@path";req') },
    { 'signature-input': input.replace('("', '( "') },
    { 'signature-input': 'sig-pp=()' },
    { 'content-digest': '' },
  ]

  const never = () => assert.fail('a key was looked for')
  for (const headers of malformed) {
    const request = { ...good, headers: { ...good.headers, ...headers } }
    assert.notEqual(await findFlaw(request, { findKey: never, form: 'der' }, nowMs), undefined, JSON.stringify(headers))
  }
})
