import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { test } from 'node:test'
import { makeSecrets } from '@malipo/server/operate'
import { testDatabase } from '../../server/src/dev-stack/servers.ts'
import { testMalipo } from '../../server/src/testing/malipo.ts'
import { exitCodes } from './exit-codes.ts'
import { commandLine } from './testing/command-line.ts'

const secrets = makeSecrets(new Date())
/** Without a terminal, lines are not wrapped. */
const plain = { terminal: undefined }

async function variablesOf() {
  const { loginUrl, natsUrl } = await testDatabase()
  return { ...secrets, DATABASE_URL: loginUrl, NATS_URL: natsUrl, MALIPO_PORT: '0' }
}

/** The servers of a test run are quick, not durable, and record no backup. */
const ofTestServers = /^WARN|^FAIL {4}(fsync|full_page_writes) /

test('doctor fails on test servers only for fsync and full_page_writes, and accepts the key pair', async (t) => {
  const malipo = await testMalipo(t)
  const { publicKey, apiKey } = await malipo.merchant()
  const pair = { MALIPO_URL: malipo.url, MALIPO_PUBLIC_KEY: publicKey, MALIPO_API_KEY: apiKey }

  const { code, out, err } = await commandLine({ ...(await variablesOf()), ...pair }, plain)('doctor')

  assert.deepEqual([code, err], [exitCodes.checkFailed, 'Failed: fsync, full_page_writes.\n'], out)
  for (const what of [
    'Node',
    'settings',
    'database',
    'migrations',
    'clock',
    'partitions',
    'NATS',
    'port',
    'disk',
    'Malipo',
    'key pair',
  ])
    assert.match(out, new RegExp(`^ok {6}${what} `, 'm'))
  const failed = out.split('\n').filter((line) => /^(FAIL|WARN)/.test(line) && !ofTestServers.test(line))
  assert.deepEqual(failed, [])
  assert.doesNotMatch(out, /sk_test_|:[^@/\s]+@/)
})

test('doctor reports each problem with its remedy, and exits with 5', async (t) => {
  const other = createServer((_, response) => void response.writeHead(500).end()).listen(0, '127.0.0.1')
  await once(other, 'listening')
  t.after(() => other.close())
  const { port } = other.address() as { port: number }
  const healthy = await variablesOf()
  const { superuserUrl } = await testDatabase()
  const empty = new URL(superuserUrl)
  empty.pathname = 'postgres'

  for (const [changed, message] of [
    [
      { MALIPO_TOKEN_KEYS: 'short', MALIPO_PORT: 'x' },
      /FAIL {4}settings +MALIPO_PORT must be .*MALIPO_TOKEN_KEYS must be .*\n +Do: run malipo config check/,
    ],
    [
      { DATABASE_URL: 'postgres://x:y@127.0.0.1:9/z' },
      /FAIL {4}database +does not respond at 127\.0\.0\.1:9\/z: .*ECONNREFUSED.*\n +Do: check that it runs/,
    ],
    [{ DATABASE_URL: empty.href }, /FAIL {4}(migrations|database) +/],
    [
      { NATS_URL: 'nats://127.0.0.1:9' },
      /FAIL {4}NATS +does not respond at 127\.0\.0\.1:9: .*ECONNREFUSED.*\n +Do: start it/,
    ],
    [{ MALIPO_PORT: String(port) }, /FAIL {4}port +127\.0\.0\.1:\d+ is used by another program/],
    [
      { MALIPO_SIMULATOR_URL: 'http://127.0.0.1:9', MALIPO_SIMULATOR_TOKEN: 'a-token-that-is-not-used' },
      /FAIL {4}simulator +does not respond/,
    ],
    [
      { MALIPO_PAWAPAY_URL: 'http://127.0.0.1:9', MALIPO_PAWAPAY_TOKEN: 'a-token-of-sixteen' },
      /FAIL {4}live fees +no default fee is set for live charges and payouts; .*malipo fees set/,
    ],
    [{ MALIPO_SEALS_PATH: '/nowhere/at/all/seals' }, /FAIL {4}disk +\/nowhere\/at\/all cannot be read/],
    [
      { MALIPO_URL: 'http://127.0.0.1:4', MALIPO_PUBLIC_KEY: 'pk_test_x', MALIPO_API_KEY: 'sk_test_x' },
      /FAIL {4}Malipo +cannot reach http:\/\/127\.0\.0\.1:4: ECONNREFUSED/,
    ],
  ] as const) {
    const { code, out, err } = await commandLine({ ...healthy, ...changed }, plain)('doctor')
    assert.equal(code, exitCodes.checkFailed, out)
    assert.match(out, message)
    assert.match(err, /^Failed: /)
    assert.doesNotMatch(out, /\n {4}at /)
  }
})

test('a merchant’s machine needs no database, and a machine without a key pair gets a remedy', async (t) => {
  const malipo = await testMalipo(t)
  const { publicKey, apiKey } = await malipo.merchant()

  const merchant = await commandLine({ MALIPO_URL: malipo.url, MALIPO_PUBLIC_KEY: publicKey, MALIPO_API_KEY: apiKey })(
    'doctor',
  )
  const nothing = await commandLine({})('doctor')
  const json = await commandLine({})('doctor', '--json')

  assert.equal(merchant.code, exitCodes.done, merchant.out)
  assert.doesNotMatch(merchant.out, /database/)
  assert.equal(nothing.code, exitCodes.checkFailed)
  assert.match(nothing.out, /FAIL {4}key pair +not configured.*\n +Do: run malipo login, or malipo dev/)
  assert.equal((JSON.parse(json.out) as { isHealthy: boolean }).isHealthy, false)
})
