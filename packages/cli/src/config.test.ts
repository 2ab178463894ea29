import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { makeSecrets } from '@malipo/server/operate'
import { exitCodes } from './exit-codes.ts'
import { commandLine } from './testing/command-line.ts'

/** Without a terminal, lines are not wrapped. */
const plain = { terminal: undefined }
const secrets = makeSecrets(new Date())
/** A database that no command can reach. */
const settings = { ...secrets, DATABASE_URL: 'postgres://malipo:hunter2@127.0.0.1:9/malipo' }
const hidden = [...Object.values(secrets).map((text) => text.split(':').at(-1) ?? ''), 'hunter2', 'token-of-the-file']

function writeFile(t: TestContext, text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'malipo-config-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'malipo.toml')
  writeFileSync(path, text, { mode: 0o600 })
  return path
}

test('config check accepts valid settings without a connection', async () => {
  const { code, out, err } = await commandLine(settings)('config', 'check')

  assert.deepEqual([code, err], [exitCodes.done, ''])
  assert.equal(out, 'Valid. Read from the environment; MALIPO_CONFIG names no file.\n')
})

test('config check reports every problem of file and environment at once, and exits with 5', async (t) => {
  const file = writeFile(t, 'prt = 1\nport = "x"\nmetrics_token = "short"\n')

  const { code, out, err } = await commandLine({ MALIPO_CONFIG: file, MALIPO_CELL: 'x' })('config', 'check')

  assert.deepEqual([code, err], [exitCodes.checkFailed, 'The configuration is invalid.\n'])
  for (const named of ['prt', 'port', 'metrics_token', 'MALIPO_CELL', 'DATABASE_URL', 'MALIPO_TOKEN_KEYS'])
    assert.match(out, new RegExp(`^ERROR +${named} `, 'm'))
  assert.doesNotMatch(out, /short|\n {4}at /)
})

test('config check shows each setting with its source, and no secret', async (t) => {
  const file = writeFile(t, 'port = 9000\nhost = "0.0.0.0"\nmetrics_token = "token-of-the-file"\n')
  const run = commandLine({ ...settings, MALIPO_HOST: '10.0.0.1' }, plain)

  const { code, out } = await run('config', 'check', '--show', '--file', file)
  const json = await run('config', 'check', '--show', '--json', '--file', file)

  assert.equal(code, exitCodes.done, out)
  for (const line of [
    'MALIPO_PORT\tport\tfile\t9000',
    'MALIPO_HOST\thost\tenvironment\t10.0.0.1',
    'MALIPO_CELL\tcell\tdefault\t0',
    'MALIPO_METRICS_TOKEN\tmetrics_token\tfile\t[hidden]',
    'DATABASE_URL\tdatabase_url\tenvironment\t[hidden]',
  ])
    assert.ok(out.split('\n').includes(line), line)
  for (const secret of hidden) assert.ok(!(out + json.out).includes(secret), secret)
  const shown = JSON.parse(json.out) as { isValid: boolean; settings: { variable: string; source: string }[] }
  assert.equal(shown.isValid, true)
  assert.equal(shown.settings.find(({ variable }) => variable === 'MALIPO_PORT')?.source, 'file')
})

test('config check warns about settings that are valid and wrong', async () => {
  const run = commandLine({ ...settings, MALIPO_PROT: '1', MALIPO_PAWAPAY_URL: 'https://api.pawapay.example' }, plain)

  const { code, out, err } = await run('config', 'check')

  assert.match(out, /^WARN +unknown settings +MALIPO_PROT is not a setting\..*\n +Do: correct the name/m)
  assert.match(out, /^WARN +incomplete settings +MALIPO_PAWAPAY_URL is set without MALIPO_PAWAPAY_TOKEN/m)
  assert.match(out, /^FAIL +public URL +MALIPO_PUBLIC_URL is http:/m)
  assert.match(out, /Valid, but a check failed\./)
  assert.deepEqual([code, err], [exitCodes.checkFailed, 'A check failed.\n'])
})

test('config check knows the variables of the restore drill', async () => {
  const drill = readFileSync(join(import.meta.dirname, '../../../deploy/pgbackrest/restore-drill'), 'utf8')
  const names = [...drill.matchAll(/\$\{(MALIPO_\w+)/g)].map(([, name = '']) => name)
  const given = Object.fromEntries(names.filter((name) => name !== 'MALIPO_CELL').map((name) => [name, '1']))

  const { code, out } = await commandLine({ ...settings, ...given })('config', 'check')

  assert.ok(names.includes('MALIPO_STANZA') && names.includes('MALIPO_ARCHIVE'), names.join())
  assert.equal(code, exitCodes.done, out)
  assert.doesNotMatch(out, /unknown settings/)
})

test('config check --connect checks the database', async () => {
  const { code, out } = await commandLine({ ...settings, NATS_URL: '' })('config', 'check', '--connect')

  assert.equal(code, exitCodes.checkFailed)
  assert.match(out, /^FAIL +database +does not respond at 127\.0\.0\.1:9/m)
})
