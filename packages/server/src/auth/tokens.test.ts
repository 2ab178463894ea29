import assert from 'node:assert/strict'
import { createHmac, createSecretKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { test } from 'node:test'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { newId, showId } from '../platform/ids.ts'
import { call, type Malipo, testMalipo } from '../testing/malipo.ts'
import { createTokens } from './tokens.ts'

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const foreign = generateKeyPairSync('ed25519')
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })

/** The last letter of a 64-byte signature carries two bits; decoders ignore the other four. */
function otherLastBits(token: string): string {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  return token.slice(0, -1) + letters[letters.indexOf(token.slice(-1)) + 1]
}

interface Genuine {
  readonly token: string
  readonly header: Record<string, unknown>
  readonly claims: Record<string, unknown>
  readonly publicKey: string
  /** Signs anything with the service's own key, as only a thief of that key could. */
  readonly seal: (header: unknown, claims: unknown) => string
}

/** Every forgery, made from the genuine token and named by what is wrong with it. */
function forgeries({ token, header, claims, publicKey, seal }: Genuine): [string, string][] {
  const [head = '', payload = '', signature = ''] = token.split('.')
  const unsigned = (changed: object) => `${encode({ ...header, ...changed })}.${payload}`
  const signedBy = (key: KeyObject, content: string, hash: string | null = null) =>
    `${content}.${sign(hash, Buffer.from(content), key).toString('base64url')}`
  const hmac = (alg: string, hash: string, secret: string | Buffer) => {
    const content = unsigned({ alg })
    return `${content}.${createHmac(hash, secret).update(content).digest('base64url')}`
  }
  const pem = String(foreign.publicKey.export({ type: 'spki', format: 'pem' }))
  const without = (object: Record<string, unknown>, name: string) =>
    Object.fromEntries(Object.entries(object).filter(([key]) => key !== name))
  const now = Math.floor(Date.now() / 1000)

  return [
    ...[
      '',
      ' ',
      '.',
      '..',
      '...',
      'garbage',
      'null',
      'undefined',
      '{}',
      `${head}`,
      `${head}.${payload}`,
      `${head}.${payload}.`,
      `.${payload}.${signature}`,
      `${head}..${signature}`,
      `${token}.${signature}`,
      `${token}x`,
      token.slice(0, -2),
      token.toUpperCase(),
      `${token}=`,
      `${head}.${payload}.${signature.split('').reverse().join('')}`,
      'x'.repeat(3000),
      `${head}.${encode({ ...claims, padding: 'x'.repeat(3000) })}.${signature}`,
    ].map((text): [string, string] => [`text ${text.slice(0, 12)} of ${text.length}`, text]),
    ...['none', 'None', 'NONE', 'nOnE', ''].flatMap((alg): [string, string][] => [
      [`alg ${alg} unsigned`, `${unsigned({ alg })}.`],
      [`alg ${alg} with the old signature`, `${unsigned({ alg })}.${signature}`],
    ]),
    ...(['HS256', 'HS384', 'HS512'] as const).flatMap((alg): [string, string][] => {
      const hash = `sha${alg.slice(2)}`
      return [
        [`${alg} with the public key's bytes`, hmac(alg, hash, Buffer.from(publicKey, 'base64url'))],
        [`${alg} with the public key's text`, hmac(alg, hash, publicKey)],
        [`${alg} with a PEM`, hmac(alg, hash, pem)],
        [`${alg} with nothing`, hmac(alg, hash, '')],
        [`${alg} with the kid`, hmac(alg, hash, String(header['kid']))],
      ]
    }),
    ...['RS256', 'PS256', 'RS512', 'ES256', 'ES256K', 'Ed448', 'EdDSA2', 'dir', 'A256GCM'].map(
      (alg): [string, string] => [`alg ${alg}`, signedBy(rsa.privateKey, unsigned({ alg }), 'sha256')],
    ),
    ['another spelling: padded', `${token}==`],
    ['another spelling: a tab inside', `${token.slice(0, -9)}\t${token.slice(-9)}`],
    ['another spelling: other last bits', otherLastBits(token)],
    ['a foreign key', signedBy(foreign.privateKey, `${head}.${payload}`)],
    [
      'a foreign key brought along',
      signedBy(foreign.privateKey, unsigned({ jwk: foreign.publicKey.export({ format: 'jwk' }) })),
    ],
    ['a foreign certificate brought along', signedBy(foreign.privateKey, unsigned({ x5c: [pem] }))],
    ...['jku', 'x5u'].map((name): [string, string] => [
      `a foreign key set by ${name}`,
      signedBy(foreign.privateKey, unsigned({ [name]: 'http://127.0.0.1:9/keys' })),
    ]),
    ...[
      'unknown',
      '',
      '../../etc/passwd',
      "' or 1=1 --",
      '__proto__',
      'constructor',
      'toString',
      'a\u0000b',
      7,
      null,
      ['x'],
      {},
    ].flatMap((kid): [string, string][] => [
      [`kid ${JSON.stringify(kid)} of a foreign key`, signedBy(foreign.privateKey, unsigned({ kid }))],
      [`kid ${JSON.stringify(kid)} of our key`, seal({ ...header, kid }, claims)],
    ]),
    ['no kid', seal(without(header, 'kid'), claims)],
    ...['JWT', 'jwt', 'id+jwt', 'logout+jwt', '', 7, null].map((typ): [string, string] => [
      `typ ${JSON.stringify(typ)}`,
      seal({ ...header, typ }, claims),
    ]),
    ['no typ', seal(without(header, 'typ'), claims)],
    ...[['exp'], ['b64'], ['anything']].map((crit): [string, string] => [
      `crit ${crit}`,
      seal({ ...header, crit, b64: false }, claims),
    ]),
    ...['other', '', 'https://evil.example', null, 7, ['x'], {}].flatMap((value): [string, string][] => [
      [`iss ${JSON.stringify(value)}`, seal(header, { ...claims, iss: value })],
      [`aud ${JSON.stringify(value)}`, seal(header, { ...claims, aud: value })],
    ]),
    ...['production', 'LIVE', 'live', '', null, 7, ['sandbox']].map((env): [string, string] => [
      `env ${JSON.stringify(env)}`,
      seal(header, { ...claims, env }),
    ]),
    ...[now - 1, now - 3600, 0, -1, '9999999999', null, Number.MAX_VALUE * 2].map((exp): [string, string] => [
      `exp ${exp}`,
      seal(header, { ...claims, exp }),
    ]),
    ['not yet valid', seal(header, { ...claims, nbf: now + 600 })],
    ...['iss', 'aud', 'sub', 'env', 'cid', 'scope', 'iat', 'exp', 'jti'].map((name): [string, string] => [
      `no ${name}`,
      seal(header, without(claims, name)),
    ]),
    ...[7, null, ['profile:read'], { profile: 'read' }].map((scope): [string, string] => [
      `scope ${JSON.stringify(scope)}`,
      seal(header, { ...claims, scope }),
    ]),
    ['another merchant', seal(header, { ...claims, sub: showId('merchant', newId(Date.now(), 0)) })],
    ['another credential', seal(header, { ...claims, cid: showId('credential', newId(Date.now(), 0)) })],
    ['a merchant as text', seal(header, { ...claims, sub: "mer_' or 1=1 --" })],
    ['changed claims', `${head}.${encode({ ...claims, sub: 'someone-else' })}.${signature}`],
    ['more scopes', `${head}.${encode({ ...claims, scope: 'everything' })}.${signature}`],
    ['longer life', `${head}.${encode({ ...claims, exp: 9_999_999_999 })}.${signature}`],
  ]
}

async function genuine(malipo: Malipo): Promise<Genuine> {
  const token = await (await malipo.merchant()).token()
  const [signer] = malipo.ctx.config.tokenKeys
  const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), signer.key.export()])
  const { keys } = malipo.ctx.tokens.published as { keys: { x: string }[] }
  return {
    token,
    header: { ...decodeProtectedHeader(token) },
    claims: { ...decodeJwt(token) },
    publicKey: keys[0]?.x ?? '',
    seal: (header, claims) => {
      const content = `${encode(header)}.${encode(claims)}`
      const signature = sign(null, Buffer.from(content), { key: der, format: 'der', type: 'pkcs8' })
      return `${content}.${signature.toString('base64url')}`
    },
  }
}

test('more than a hundred forged tokens are all refused with the same error', async (t) => {
  const malipo = await testMalipo(t)
  const original = await genuine(malipo)
  const read = (token: string) => call(malipo.url, 'GET', '/api/b2b/users', { authorization: `Bearer ${token}` })
  const cases = forgeries(original)

  assert.ok(cases.length >= 100, `${cases.length} cases`)
  assert.equal((await read(original.token)).status, 200)
  assert.equal((await read(original.seal(original.header, original.claims))).status, 200, 'the forger can sign like us')
  for (const [name, token] of cases) {
    const { status, headers, body } = await read(token)
    const { requestId, fix, docs, ...refusal } = body
    assert.equal(status, 401, name)
    assert.ok(requestId && fix && docs, name)
    assert.equal(headers.get('www-authenticate'), 'Bearer error="invalid_token"', name)
    assert.deepEqual(
      refusal,
      { success: false, message: 'The access token is missing, invalid or expired.', errorCode: 'UNAUTHORIZED' },
      name,
    )
  }
  t.diagnostic(`${cases.length} forged tokens refused`)
})

test('a key of another cell is published in the form of the own ones, and no token that it signs is accepted', async () => {
  const seed = (id: string) => ({ id, key: createSecretKey(randomBytes(32)) })
  const other = createTokens('https://pay.example.com', [seed('seven')])
  const [published] = other.published.keys as { kid: string; x: string }[]
  const tokens = createTokens('https://pay.example.com', [seed('zero')], [{ id: 'seven', x: published?.x ?? '' }])
  const token = await other.sign(
    { merchant_id: newId(Date.now(), 7), env: 'live', credential_id: newId(Date.now(), 7), scopes: ['profile:read'] },
    {
      token_id: newId(Date.now(), 7),
      token_issued_at: new Date(),
      token_expires_at: new Date(Date.now() + 60_000),
    },
  )

  assert.deepEqual(tokens.published.keys[1], published)
  assert.equal((tokens.published.keys as { kid: string }[])[0]?.kid, 'zero')
  assert.notEqual(await other.verify(token), undefined)
  assert.equal(await tokens.verify(token), undefined)
})

test('every published key verifies a token, and the first one signs', async () => {
  const key = (id: string) => ({ id, key: createSecretKey(randomBytes(32)) })
  const [older, newer] = [key('2026-10'), key('2026-11')]
  const bearer = {
    merchant_id: newId(Date.now(), 0),
    env: 'live' as const,
    credential_id: newId(Date.now(), 0),
    scopes: ['profile:read'],
  }
  const claims = {
    token_id: newId(Date.now(), 0),
    token_issued_at: new Date(),
    token_expires_at: new Date(Date.now() + 60_000),
  }
  const before = createTokens('https://pay.example.com', [older])
  const between = createTokens('https://pay.example.com', [newer, older])
  const afterwards = createTokens('https://pay.example.com', [newer])

  const old = await before.sign(bearer, claims)

  assert.equal((await between.verify(old))?.merchant_id, bearer.merchant_id)
  assert.equal(await afterwards.verify(old), undefined)
  assert.equal(decodeProtectedHeader(await between.sign(bearer, claims)).kid, '2026-11')
  assert.equal(await between.sign(bearer, claims), await between.sign(bearer, claims))
})
