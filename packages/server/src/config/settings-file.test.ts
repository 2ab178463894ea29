import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { ConfigError, loadConfig, loadOperatorConfig, readConfig } from '../config.ts'

const key = Buffer.alloc(32, 7).toString('base64url')
const required = {
  DATABASE_URL: 'postgres://malipo:hunter2@127.0.0.1/malipo',
  MALIPO_TOKEN_KEYS: `a:${key}`,
  MALIPO_SECRET_KEYS: `b:${key}`,
}
const password = 'hunter2'

/** The path of a malipo.toml with this text, closed to others unless a mode is given. */
function writeFile(t: TestContext, text: string, mode = 0o600): string {
  const folder = mkdtempSync(join(tmpdir(), 'malipo-toml-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'malipo.toml')
  writeFileSync(path, text)
  chmodSync(path, mode)
  return path
}

const load = (path: string, variables = {}) => loadConfig({ ...required, MALIPO_CONFIG: path, ...variables })

function problemsOf(path: string, variables = {}): readonly string[] {
  const { problems } = readConfig({ ...required, MALIPO_CONFIG: path, ...variables })
  return problems.map((problem) => problem.replaceAll(path, 'malipo.toml'))
}

test('the environment wins over the file, and the file over the default', (t) => {
  const path = writeFile(t, 'port = 9000\nhost = "0.0.0.0"\n')

  const { found, config } = readConfig({ ...required, MALIPO_CONFIG: path, MALIPO_HOST: '10.0.0.1' })

  assert.deepEqual([config?.host, config?.port, config?.cell], ['10.0.0.1', 9000, 0])
  const sources = (['host', 'port', 'cell'] as const).map((name) => found.get(name)?.source)
  assert.deepEqual(sources, ['environment', 'file', 'default'])
})

test('the file of the documentation is valid', (t) => {
  const page = readFileSync(join(import.meta.dirname, '../../../../docs/reference/config.md'), 'utf8')
  const text = /```text\n([\s\S]*?)```/.exec(page)?.[1] ?? ''
  const path = writeFile(t, text.replaceAll(/^.*_file = .*\n/gm, ''))

  const config = load(path)

  assert.equal(config.liveRateLimit, 200)
  assert.deepEqual(config.pawapayRates, { requestsPerSecond: 50, operationsPerSecond: { charge: 20, payout: 30 } })
  assert.deepEqual(config.trustedProxies, ['10.0.0.5'])
  assert.equal(config.natsUrl?.reveal(), 'nats://10.0.0.1:4222,nats://10.0.0.2:4222')
})

test('a secret can be in the file, or in a file of its own beside it', (t) => {
  const path = writeFile(t, `metrics_token = "a-token-of-sixteen"\n[simulator]\ntoken_file = "token"\n`)
  writeFileSync(join(path, '../token'), 'another-token-of-sixteen\n')

  const { metricsToken, simulatorToken } = load(path)

  assert.equal(metricsToken?.reveal(), 'a-token-of-sixteen')
  assert.equal(simulatorToken?.reveal(), 'another-token-of-sixteen')
})

test('every problem of the file is reported at once, with what to do', (t) => {
  const text = `
prt = 1
MALIPO_HOST = "x"
host_file = "/x"
port = "8080"
cell = 4096
trusted_proxies = [1]
log_level = true
drain_seconds = 1.5
metrics_token = "a-token-of-sixteen"
metrics_token_file = "/x"
rate_limit_live = 5
[rate_limit]
live = 6
`
  const problems = problemsOf(writeFile(t, text), { MALIPO_QUOTE_SECONDS: '0', DATABASE_URL: undefined })

  assert.deepEqual(problems.toSorted(), [
    'DATABASE_URL is required: set it, DATABASE_URL_FILE with the path of a file that holds it, or database_url in malipo.toml',
    'MALIPO_HOST in malipo.toml is not a setting. Write host',
    'MALIPO_QUOTE_SECONDS must be a whole number from 1 to 300',
    'cell in malipo.toml must be a whole number from 0 to 4095',
    'drain_seconds in malipo.toml must be a whole number without quotes',
    'host_file in malipo.toml is not a setting: host is not secret, so it cannot be a file. Write host',
    'log_level in malipo.toml must be text in quotes',
    'metrics_token in malipo.toml and metrics_token_file are both set; remove one',
    'port in malipo.toml must be a whole number without quotes',
    'prt in malipo.toml is not a setting. Remove it, or correct its name: docs/reference/config.md lists every one',
    'rate_limit_live in malipo.toml is set twice, once in a table. Remove one',
    'trusted_proxies in malipo.toml must be a list of texts such as ["a", "b"]',
  ])
})

test('a file that others can read must hold no secret, and others must not be able to change it', (t) => {
  const secret = `metrics_token = "a-token-of-sixteen"\n`
  const open = writeFile(t, secret, 0o644)

  assert.deepEqual(problemsOf(open), [
    'metrics_token in malipo.toml is secret, and every user of this machine can read the file. Run chmod o-r malipo.toml, or move the secret to a file of its own and name it in metrics_token_file',
  ])
  assert.throws(() => loadOperatorConfig({ ...required, MALIPO_CONFIG: open }), ConfigError)
  assert.deepEqual(problemsOf(writeFile(t, secret, 0o640)), [])
  assert.deepEqual(problemsOf(writeFile(t, 'port = 1\n', 0o644)), [])
  assert.deepEqual(problemsOf(writeFile(t, 'nats_url = ["nats://10.0.0.1:4222"]\n', 0o644)), [])
  assert.match(
    problemsOf(writeFile(t, 'nats_url = ["nats://10.0.0.1:4222", "nats://x:y@10.0.0.2:4222"]\n', 0o644)).join(),
    /^nats_url in malipo\.toml is secret/,
  )
  assert.deepEqual(problemsOf(writeFile(t, 'port = 1\n', 0o646)), [
    'malipo.toml can be changed by every user of this machine. Run chmod o-w malipo.toml',
  ])
})

test('a command on the database refuses a misspelt key, as a process does', (t) => {
  const path = writeFile(t, 'celll = 5\n')

  assert.throws(() => loadOperatorConfig({ ...required, MALIPO_CONFIG: path }), /celll in .* is not a setting/)
  assert.equal(loadOperatorConfig({ ...required, MALIPO_CONFIG: writeFile(t, 'cell = 5\nport = 1\n') }).cell, 5)
})

const secretUrls = {
  'a password in the query': 'database_url = "postgres://db/malipo?user=malipo&password=hunter2"',
  'a password without a user': 'nats_url = "nats://:hunter2@10.0.0.1:4222"',
  'a password in the second entry': 'nats_url = "nats://10.0.0.1:4222, nats://x:y@10.0.0.2:4222"',
  'no URL at all': 'token_keys = "a:x"',
}

for (const [what, text] of Object.entries(secretUrls))
  test(`a setting with ${what} is secret`, (t) => {
    assert.match(
      problemsOf(writeFile(t, `${text}\n`, 0o644)).join(),
      /^(database_url|nats_url|token_keys) in .* is secret/,
    )
  })

test('an address without credentials may be read by others', (t) => {
  const text = 'database_url = "postgres://db:5433/malipo"\nnats_url = "nats://10.0.0.1:4222, nats://10.0.0.2:4222"\n'

  assert.deepEqual(problemsOf(writeFile(t, text, 0o644), { DATABASE_URL: undefined }), [])
})

test('a file that is missing or is not TOML is a problem that does not repeat its text', (t) => {
  const broken = writeFile(t, `database_url = postgres://malipo:${password}@db/malipo\n`)

  assert.deepEqual(problemsOf('/nowhere/malipo.toml'), ['malipo.toml cannot be read: ENOENT. MALIPO_CONFIG names it'])
  const [problem = '', ...rest] = problemsOf(broken)
  assert.match(problem, /^malipo\.toml is not TOML here: line 1, column \d+\. Write key = "text"/)
  assert.deepEqual(rest, [])
  assert.match(problemsOf(writeFile(t, 'port = 1\nport = 2\n'))[0] ?? '', /a second time: line 2/)
  assert.throws(
    () => load(broken, { MALIPO_PORT: 'x' }),
    (error: Error) => /line 1[\s\S]*MALIPO_PORT/.test(error.message) && !error.message.includes(password),
  )
})

test('a process starts with an empty file, and without one', (t) => {
  assert.equal(load(writeFile(t, '')).port, 8080)
  assert.equal(loadConfig({ ...required, MALIPO_CONFIG: '' }).port, 8080)
})
