import assert from 'node:assert/strict'
import { createSecretKey, generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { publicHalfOf } from './auth/token-signer.ts'
import { ConfigError, loadConfig, settings } from './config.ts'
import { checkConfig } from './operate/config-check.ts'
import { makeSecrets } from './operate/operator.ts'

const key = Buffer.alloc(32, 7).toString('base64url')
const good = {
  DATABASE_URL: 'postgres://malipo:hunter2@127.0.0.1/malipo',
  MALIPO_TOKEN_KEYS: `a:${key}`,
  MALIPO_SECRET_KEYS: `b:${key},c:${key}`,
}

test('the required settings are enough, and every other one has a default', () => {
  const config = loadConfig(good)

  assert.equal(config.port, 8080)
  assert.equal(config.databaseOwnerUrl, undefined)
  assert.deepEqual(
    config.secretKeys.map(({ id }) => id),
    ['b', 'c'],
  )
  assert.ok(Object.isFrozen(config))
})

test('all problems are reported at once, each with the variable to change', () => {
  const wrong = { MALIPO_PORT: '80 80', MALIPO_CELL: '4096', MALIPO_LOG_LEVEL: 'loud', MALIPO_SECRET_KEYS: 'b:short' }

  assert.throws(
    () => loadConfig(wrong),
    (error: Error) => {
      assert.ok(error instanceof ConfigError)
      for (const name of ['DATABASE_URL', 'MALIPO_TOKEN_KEYS', ...Object.keys(wrong)])
        assert.match(error.message, new RegExp(name))
      return true
    },
  )
})

const refused: Record<string, string[]> = {
  MALIPO_HOST: [''],
  MALIPO_PORT: ['', '-1', '65536', '1e3', 'NaN', '8080.5'],
  MALIPO_PUBLIC_URL: [
    'pay.example.com',
    'ftp://pay.example.com',
    'https://pay.example.com/path',
    'https://me@pay.example.com',
    'https://:pw@pay.example.com',
  ],
  DATABASE_URL: ['', 'mysql://x/y', 'postgres://x/y?options=-c%20role%3Dpostgres'],
  NATS_URL: ['http://nats', 'nats://a,,nats://b', 'nats://'],
  MALIPO_NATS_REPLICAS: ['0', '6'],
  MALIPO_TOKEN_KEYS: ['', 'a', `a:${key},a:${key}`, `a b:${key}`, `a:${key}AA`],
  MALIPO_RATE_LIMIT_LIVE: ['0', 'many'],
  MALIPO_TRUSTED_PROXIES: ['10.0.0.0/33', 'localhost', '10.0.0.0/8/8', '::1/129'],
  MALIPO_METRICS_TOKEN: ['short'],
  MALIPO_FLUTTERWAVE_ENCRYPTION_KEY: ['short', 'x'.repeat(23), 'x'.repeat(25), `${'x'.repeat(23)}é`],
  MALIPO_DRAIN_SECONDS: ['301'],
  MALIPO_PAWAPAY_REQUESTS_PER_SECOND: [
    '',
    '0',
    '2.5',
    'fast',
    '50 payout',
    '50 payout=0',
    '50 payout=51',
    '50 refund=5',
  ],
  MALIPO_OIDC_ISSUER: ['http://login.example.com', 'https://me@login.example.com', 'https://:pw@login.example.com'],
  MALIPO_FLUTTERWAVE_URL: ['https://api.flutterwave.com/v3', 'api.flutterwave.com'],
  MALIPO_FLUTTERWAVE_ZAR_CONTACT: ['pay@example.com', 'pay@example.com;27821234567', 'pay;27821234567;1 Long Street'],
  MALIPO_FLUTTERWAVE_REQUESTS_PER_SECOND: ['25 payout=5 payout=6', 'payout=5', '-1', '1000000000'],
}

for (const [name, texts] of Object.entries(refused)) {
  test(`${name} refuses invalid values`, () => {
    for (const text of texts) assert.throws(() => loadConfig({ ...good, [name]: text }), new RegExp(name), text)
  })
}

test('the rate of a provider is a total, with optional lower limits per operation', () => {
  const rates = loadConfig({
    ...good,
    MALIPO_PAWAPAY_REQUESTS_PER_SECOND: '80',
    MALIPO_FLUTTERWAVE_REQUESTS_PER_SECOND: '40 payout=10 query=20',
  })

  assert.deepEqual(rates.pawapayRates, { requestsPerSecond: 80, operationsPerSecond: {} })
  assert.deepEqual(rates.flutterwaveRates, { requestsPerSecond: 40, operationsPerSecond: { payout: 10, query: 20 } })
  assert.deepEqual(rates.sandboxRates, { requestsPerSecond: 1000, operationsPerSecond: {} })
})

test('the South African recipient contact is an e-mail address, a phone number and an address', () => {
  const text = 'pay@example.com; 27821234567; 1 Long Street, Cape Town'

  assert.deepEqual(loadConfig({ ...good, MALIPO_FLUTTERWAVE_ZAR_CONTACT: text }).flutterwaveZarContact, {
    email: 'pay@example.com',
    phone: '27821234567',
    address: '1 Long Street, Cape Town',
  })
})

test('a secret can come from a file', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'malipo-config-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'url')
  writeFileSync(path, `${good.DATABASE_URL}\n`)

  const config = loadConfig({ ...good, DATABASE_URL: undefined, DATABASE_URL_FILE: path })

  assert.equal(config.databaseUrl.reveal(), good.DATABASE_URL)
})

test('a secret given both directly and as a file is an error that names both', () => {
  const both = { ...good, DATABASE_URL_FILE: '/run/secrets/database-url' }

  assert.throws(() => loadConfig(both), /DATABASE_URL and DATABASE_URL_FILE are both set/)
})

test('a secret file that cannot be read is an error with its path, beside all other errors', () => {
  const missing = { ...good, DATABASE_URL: undefined, DATABASE_URL_FILE: '/nowhere/url', MALIPO_PORT: 'x' }

  assert.throws(
    () => loadConfig(missing),
    /MALIPO_PORT must be [\s\S]*DATABASE_URL cannot be read from \/nowhere\/url: ENOENT/,
  )
})

const x = publicHalfOf(createSecretKey(Buffer.alloc(32, 3)))

function loadOthers(text: string) {
  return loadConfig({ ...good, MALIPO_OTHER_TOKEN_KEYS: text }).otherTokenKeys
}

test('public keys of other cells have names that no key of this cell has', () => {
  const [own] = good.MALIPO_TOKEN_KEYS.split(':')

  assert.equal(loadOthers(''), undefined)
  assert.deepEqual(loadOthers(`seven:public:${x}, eight:public:${x}\n`), [
    { id: 'seven', x },
    { id: 'eight', x },
  ])
  assert.throws(
    () => loadOthers(`${own}:public:${x}`),
    new RegExp(`MALIPO_OTHER_TOKEN_KEYS names a key ${own}, as MALIPO_TOKEN_KEYS`),
  )
  assert.throws(() => loadOthers(`seven:public:${x},seven:public:${x}`), /must not use a name twice/)
})

test('only the canonical text of a public key is accepted, and none of zeros', () => {
  const bytes = Buffer.alloc(32, 0xff)
  const zeros = Buffer.alloc(32).toString('base64url')
  const wrong = [x.slice(1), `${x}A`, `${x}=`, `!${x}`, `${x}"`, `${x}:`, bytes.toString('base64'), zeros, '']
  const texts = [...wrong.map((each) => `seven:public:${each}`), `seven:v2:${x}`, `seven:Public:${x}`, x]

  for (const text of texts)
    assert.throws(() => loadOthers(text), /MALIPO_OTHER_TOKEN_KEYS must be name:public:base64url of 32 bytes/, text)
})

test('no private key is accepted as a public one, nor shown by config check', () => {
  const settingsOf = (MALIPO_OTHER_TOKEN_KEYS: string) => ({ ...good, MALIPO_OTHER_TOKEN_KEYS })
  const { MALIPO_TOKEN_KEYS: ofAnotherCell } = makeSecrets(new Date())
  const publicHalf = publicHalfOf(createSecretKey(Buffer.alloc(32, 7)))
  const refused = {
    [ofAnotherCell]: 'MALIPO_OTHER_TOKEN_KEYS must be name:public:',
    [`other:public:${key}`]: 'MALIPO_OTHER_TOKEN_KEYS holds a private key of this cell under the name other',
    [`other:public:${publicHalf}`]: "MALIPO_OTHER_TOKEN_KEYS holds this cell's own key under the name other",
  }

  for (const [text, problem] of Object.entries(refused)) {
    const report = checkConfig(settingsOf(text))
    assert.equal(report.isValid, false)
    assert.ok(report.problems.join().includes(problem), report.problems.join())
    assert.ok(!JSON.stringify(report).includes(text.split(':').at(-1) ?? ''), text)
    assert.throws(() => loadConfig(settingsOf(text)), ConfigError)
  }
  const tokenKey = { ...good, MALIPO_TOKEN_KEYS: `own:public:${key}` }
  assert.throws(() => loadConfig(tokenKey), /MALIPO_TOKEN_KEYS must be/, 'no public half signs')
})

test('a signing key is its name and a P-256 private key, and its error does not repeat it', () => {
  const pem = (curve: string) =>
    generateKeyPairSync('ec', { namedCurve: curve }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const load = (text: string) => loadConfig({ ...good, MALIPO_PAWAPAY_SIGNER: text }).pawapaySigner

  const right = load(`key-1 ${pem('prime256v1')}`)

  assert.equal(right?.keyId, 'key-1')
  assert.equal(right.privateKey.asymmetricKeyDetails?.namedCurve, 'prime256v1')
  for (const wrong of [`key-1 ${pem('secp384r1')}`, pem('prime256v1'), 'key-1 -----BEGIN nonsense', 'key-1'])
    assert.throws(
      () => load(wrong),
      (error: Error) => /MALIPO_PAWAPAY_SIGNER must be/.test(error.message) && !error.message.includes('BEGIN'),
    )
})

test('neither the configuration nor an error about it prints a secret', () => {
  const config = loadConfig({ ...good, NATS_URL: 'nats://malipo:hunter2@nats' })
  const printed = inspect(config, { depth: 9 }) + JSON.stringify(config)
  for (const secret of ['hunter2', key, '07 07 07', '7,7,7']) assert.ok(!printed.includes(secret), printed)

  assert.throws(
    () => loadConfig({ ...good, MALIPO_TOKEN_KEYS: 'a:verysecretbutshort' }),
    (error: Error) => !error.message.includes('verysecret'),
  )
})

test('every setting has its own name and a description', () => {
  const all = Object.values(settings)

  assert.equal(new Set(all.map(({ name }) => name)).size, all.length)
  for (const { about } of all) assert.match(about, /^[A-Z].*\.$/s)
})

test('the receiver of traces is a URL without credentials, and the share of payments is from 0 to 1', () => {
  const url = 'http://127.0.0.1:4318'
  const load = (text: string, share = '0.05') =>
    loadConfig({ ...good, OTEL_EXPORTER_OTLP_ENDPOINT: text, OTEL_TRACES_SAMPLER_ARG: share })

  assert.equal(load('').traceUrl, undefined)
  assert.equal(load('https://otlp.example.com/otlp/').traceUrl, 'https://otlp.example.com/otlp')
  assert.equal(load(url, '1.0').traceShare, 1)
  assert.equal(load(url).traceShare, 0.05)
  assert.equal(load(url, '').traceShare, 1, 'an empty value is unset')
  for (const wrong of ['collector:4318', 'ftp://a', 'http://me:pw@a', 'http://:pw@a', 'http://a?key=1'])
    assert.throws(() => load(wrong), /OTEL_EXPORTER_OTLP_ENDPOINT must be an http or https URL/)
  for (const wrong of ['-0.1', '1.1', '5%', 'NaN', '1e-3'])
    assert.throws(() => load(url, wrong), /OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1/)
})

test('headers for the receiver of traces are secret, and an error does not repeat them', () => {
  const receiver = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' }
  const load = (text: string) => loadConfig({ ...good, ...receiver, OTEL_EXPORTER_OTLP_HEADERS: text }).traceHeaders

  for (const space of ['', ' '])
    assert.equal(
      load(`authorization=Bearer%20abc=,${space}x-scope=1`)?.reveal(),
      'authorization=Bearer%20abc=,x-scope=1',
    )
  assert.equal(load(''), undefined)
  for (const wrong of ['hunter2', 'a=hunter2,', '=hunter2', 'a=hunter2 b', 'a=hunter2%zz'])
    assert.throws(
      () => load(wrong),
      ({ message }: Error) => /must be headers/.test(message) && !/hunter2/.test(message),
    )
})

test('settings of traces that are wrong stop nothing without a receiver', () => {
  const wrong = { OTEL_TRACES_SAMPLER_ARG: 'parent', OTEL_EXPORTER_OTLP_HEADERS: 'hunter2' }

  const config = loadConfig({ ...good, ...wrong })

  assert.deepEqual([config.traceShare, config.traceHeaders], [1, undefined])
  assert.throws(
    () => loadConfig({ ...good, ...wrong, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' }),
    ConfigError,
  )
  assert.throws(() => loadConfig({ ...good, ...wrong, OTEL_EXPORTER_OTLP_ENDPOINT: 'x' }), /SAMPLER_ARG/)
})
