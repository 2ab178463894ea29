import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { webhooks } from '@malipo/sdk'
import { exitCodes } from './exit-codes.ts'
import { commandLine } from './testing/command-line.ts'

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const body = '{"id":"evt_1","event":"transaction_updated"}'

/** A folder with a received webhook, and `verify` as a person runs it. */
function bench(t: TestContext, { at = new Date(), variables = {} as Record<string, string> } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'malipo-verify-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  const sent = Object.entries(webhooks.testHeaders(body, secret, { at }))
  const headers = sent.flatMap(([name, value]) => ['--header', `${name}: ${value}`])
  const verify = (...args: string[]) => commandLine(variables)('webhooks', 'verify', ...args)
  const given = ['--secret-file', file('given', secret)]
  return { file, given, headers, verify, bodyFile: file('body.json', body) }
}

test('verify takes the secret from a file or the environment, and not from an argument', async (t) => {
  const { file, headers, verify, bodyFile } = bench(t, { variables: { MALIPO_WEBHOOK_SECRET: secret } })
  const rest = [...headers, '--body-file', bodyFile]

  for (const way of [
    ['--secret-file', file('secret', `${secret}\n`)],
    ['--secret-file', file('secrets', `whsec_AAAA\n${secret}\n`)],
    [],
  ])
    assert.deepEqual(await verify(...way, ...rest), {
      code: exitCodes.done,
      out: 'ok: the signature matches.\n',
      err: '',
    })
  assert.equal((await verify('--secret', secret, ...rest)).code, exitCodes.usage)
})

test('a secret from a file wins over the environment', async (t) => {
  const { file, headers, verify, bodyFile } = bench(t, { variables: { MALIPO_WEBHOOK_SECRET: 'whsec_AAAA' } })
  const rest = [...headers, '--body-file', bodyFile]

  assert.equal((await verify(...rest)).code, exitCodes.checkFailed)
  assert.equal((await verify('--secret-file', file('secret', secret), ...rest)).code, exitCodes.done)
})

test('a failed verification prints the reason, exits with 5 and repeats no secret', async (t) => {
  const { file, given, headers, verify } = bench(t)

  const { code, out, err } = await verify(...given, ...headers, '--body-file', file('other', `${body} `))

  assert.equal(code, exitCodes.checkFailed)
  assert.match(out, /^not ok: The signature does not match\. Blanks or a line break were added around the body/)
  assert.doesNotMatch(`${out}${err}`, /whsec_M/)
})

test('a saved webhook is reported as too old, and verifies with a longer tolerance', async (t) => {
  const { given, headers, verify, bodyFile } = bench(t, { at: new Date(Date.now() - 3_600_000) })
  const args = [...given, ...headers, '--body-file', bodyFile]

  assert.match((await verify(...args)).out, /^not ok: The signature matches, but the time does not\. .*36\d\d s ago/)
  assert.equal((await verify(...args, '--tolerance', '4000')).code, exitCodes.done)
})

test('verify prints its result as JSON with --json', async (t) => {
  const { given, headers, verify, bodyFile } = bench(t)

  const good = await verify('--json', ...given, ...headers, '--body-file', bodyFile)
  const bad = await verify('--json', ...given, ...headers.slice(2), '--body-file', bodyFile)

  assert.deepEqual(JSON.parse(good.out), { ok: true })
  assert.deepEqual(JSON.parse(bad.out), { ok: false, why: 'The header webhook-id is missing.' })
})

test('a verify command with invalid arguments exits with 2', async (t) => {
  const { given, headers, verify, bodyFile } = bench(t)

  for (const args of [
    [...headers, '--body-file', bodyFile],
    [...given, '--body-file', bodyFile],
    [...given, ...headers, '--body-file', '/nowhere'],
    ['--secret-file', '/nowhere', ...headers, '--body-file', bodyFile],
    [...given, '--header', 'no colon', '--body-file', bodyFile],
    [...given, ...headers, '--body-file', bodyFile, '--tolerance', 'long'],
  ])
    assert.equal((await verify(...args)).code, exitCodes.usage, args.join(' '))
})
