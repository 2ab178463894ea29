import assert from 'node:assert/strict'
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { until } from '../../server/src/dev-stack/until.ts'
import { testMalipo } from '../../server/src/testing/malipo.ts'
import { exitCodes } from './exit-codes.ts'
import { createProgram } from './program.ts'
import { commandLine } from './testing/command-line.ts'

const line = (status: number, route: string, requestId: string) =>
  `${JSON.stringify({ level: 'info', time: '2026-11-15T10:00:01.234Z', requestId, method: 'POST', route, status, durationMs: 3, msg: 'refused' })}\n`

function logFile(t: TestContext, text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'malipo-logs-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'service.log')
  writeFileSync(path, text)
  return path
}

test('the service’s real log is shown line by line, and a request is found by its id', async (t) => {
  const malipo = await testMalipo(t, { NATS_URL: '' }) // The log entry for a slow NATS has several lines.
  const merchant = await malipo.merchant()
  const { headers } = await merchant.call('GET', '/api/b2b/transactions/unknown')
  const requestId = headers.get('x-request-id') ?? ''
  await until('the response to be logged', () => malipo.log.some((each) => each.includes(requestId)))
  const file = logFile(t, malipo.log.join(''))

  const whole = await commandLine({})('logs', file)
  const found = await commandLine({})('logs', file, '--request-id', requestId)

  assert.equal(whole.out.trim().split('\n').length, malipo.log.length, malipo.log.join(''))
  assert.match(
    found.out,
    new RegExp(
      `^\\d\\d:\\d\\d:\\d\\d\\.\\d{3} {2}info {3}refused {2}GET /api/b2b/transactions/:transactionId 404 in \\d+ ms {2}merchant ${merchant.id} {2}request ${requestId}\n$`,
    ),
  )
})

test('lines are filtered by status, path and request, from a file or from a pipe', async (t) => {
  const text = `${line(422, '/api/b2b/fiat/payout', 'a')}${line(404, '/api/b2b/users', 'b')}${line(503, '/api/b2b/users', 'c')}a crash\n`
  const file = logFile(t, text)
  const idsIn = (out: string) => [...out.matchAll(/request (\w)/g)].map(([, id]) => id)
  const logs = async (...args: string[]) => idsIn((await commandLine({})('logs', file, ...args)).out)

  assert.deepEqual(await logs(), ['a', 'b', 'c'])
  assert.deepEqual(await logs('--status', '4xx'), ['a', 'b'])
  assert.deepEqual(await logs('--status', '503'), ['c'])
  assert.deepEqual(await logs('--path', '/users', '--status', '4xx'), ['b'])
  assert.deepEqual(await logs('--request-id', 'c'), ['c'])
  const cut = [text.slice(0, 90), text.slice(90, 91), text.slice(91)]
  const piped = await commandLine({}, { input: Readable.from(cut) })('logs')
  assert.deepEqual(idsIn(piped.out), ['a', 'b', 'c'])
  assert.match(piped.out, /\na crash\n$/)
  const json = await commandLine({})('logs', file, '--json', '--status', '503')
  assert.equal(json.out, line(503, '/api/b2b/users', 'c'))
  assert.equal((await commandLine({})('logs', '-')).code, exitCodes.usage)
})

test('a growing log is followed until Ctrl-C, through partial lines and a new file', async (t) => {
  const file = logFile(t, line(422, '/api/b2b/fiat/payout', 'a'))
  const end = new AbortController()
  let out = ''
  const write = (text: string) => {
    out += text
  }
  const run = createProgram({ variables: {}, actor: 'wanjiru', write, writeError: write, signal: end.signal })

  const following = run(['logs', file, '--follow'])
  await until('the first', () => out.includes('request a'))
  const next = line(404, '/api/b2b/users', 'b')
  appendFileSync(file, next.slice(0, 20))
  appendFileSync(file, next.slice(20))
  await until('the second', () => out.includes('request b'))
  writeFileSync(file, line(503, '/x', 'c'))
  await until('that of the new file', () => out.includes('request c'))
  end.abort()

  assert.equal(await following, exitCodes.done)
  assert.equal(out.trim().split('\n').length, 3)
})
