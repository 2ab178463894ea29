import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { test } from 'node:test'
import { exitCodes } from './exit-codes.ts'
import { openShop } from './testing/shop.ts'

const momo = ['charge', 'momo', '--amount', '5', '--currency', 'KES', '--phone', '+254703456789']
const merchantCommands: readonly string[][] = [
  ['whoami'],
  momo,
  ['charge', 'card', '--amount', '5', '--currency', 'NGN'],
  ['charge', 'bank-transfer', '--amount', '500', '--currency', 'NGN'],
  ['charge', 'authorise', 'txn_1', '--type', 'otp', '--value', '1'],
  ['pay', '--amount', '5', '--currency', 'KES', '--external-account', 'ea_1'],
  ['transactions'],
  ['transactions', 'get', 'order-1'],
  ['explain', 'order-1'],
  ['balance'],
  ['statement', '--from', '2026-11-01'],
  ['events'],
  ['listen'],
  ['webhooks'],
  ['webhooks', 'get', 'wh_1'],
  ['webhooks', 'resend', 'wh_1'],
  ['webhooks', 'url'],
  ['webhooks', 'rotate-secret'],
  ['trigger', 'charge.successful'],
  ['clock', 'advance', '1h'],
  ['faults'],
  ['faults', 'set', 'order-1', 'expiry'],
  ['faults', 'clear', 'order-1'],
  ['login'],
]

/** An error is reported in sentences: no stack, no object, no secret. */
function isPlain({ out, err }: { out: string; err: string }, what: string): void {
  assert.equal(out, '', what)
  assert.notEqual(err.trim(), '', what)
  assert.doesNotMatch(err, /^\s+at |\.ts:\d|\[object|undefined|sk_test_|Internal error/m, what)
}

test('every merchant command reports a wrong key in a sentence, with exit code 3', async (t) => {
  const { as } = await openShop(t)
  const run = as({ MALIPO_API_KEY: `sk_test_${'x'.repeat(49)}` })

  for (const args of merchantCommands) {
    const seen = await run(...args)
    const isLimited = seen.err.includes('RATE_LIMIT_EXCEEDED') // After ten wrong attempts in a minute.
    assert.equal(seen.code, isLimited ? exitCodes.refused : exitCodes.unauthorised, `${args.join(' ')}: ${seen.err}`)
    isPlain(seen, args.join(' '))
  }
})

test('every merchant command reports a missing key pair, with exit code 2', async (t) => {
  const { as } = await openShop(t)
  const run = as({ MALIPO_URL: undefined, MALIPO_PUBLIC_KEY: undefined, MALIPO_API_KEY: undefined })

  for (const args of merchantCommands) {
    const seen = await run(...args)
    assert.equal(seen.code, exitCodes.usage, args.join(' '))
    isPlain(seen, args.join(' '))
  }
})

test('every merchant command reports a server that is down or not Malipo, with exit code 4', async (t) => {
  const { as } = await openShop(t)
  const other = createServer(
    (_, response) => void response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>Hello</h1>'),
  )
  other.listen(0, '127.0.0.1')
  await once(other, 'listening')
  t.after(() => other.close())
  const { port } = other.address() as { port: number }

  const away = as({ MALIPO_URL: 'http://127.0.0.1:4' })
  const elsewhere = as({ MALIPO_URL: `http://127.0.0.1:${port}` })
  const results = await Promise.all(
    merchantCommands.flatMap((args) => [away, elsewhere].map(async (run) => ({ args, seen: await run(...args) }))),
  )

  for (const { args, seen } of results) {
    assert.equal(seen.code, exitCodes.unreachable, `${args.join(' ')}: ${seen.err}`)
    isPlain(seen, args.join(' '))
  }
})

test('wrong arguments, unknown ids and missing files have a plain sentence and an exit code', async (t) => {
  const { run, as, home } = await openShop(t)
  const { usage, refused, unreachable } = exitCodes

  const cases: [number, RegExp, string[]][] = [
    [usage, /unknown command 'explian'\n\(Did you mean explain\?\)/, ['explian', 'order-1']],
    [usage, /malipo transactions has no command gt\. Did you mean get\?/, ['transactions', 'gt']],
    [usage, /unknown option '--amonut'\n\(Did you mean --amount\?\)/, [...momo, '--amonut', '5']],
    [usage, /Unknown option --amonut\. Did you mean --amount\?/, ['charge', 'momo', '--amonut=5']],
    [usage, /Unknown option --curency\. Did you mean --currency\?/, ['pay', '--amount', '5', '--curency', 'KES']],
    [usage, /required option '--amount <decimal>' not specified\n\(add --help[^)]*\)\n$/, ['charge', 'momo']],
    [
      usage,
      /It must be a number above 0/,
      ['charge', 'momo', '--amount', '1e3', '--currency', 'KES', '--phone', '+254'],
    ],
    [usage, /It must be a number above 0/, ['charge', 'momo', '--amount=-5', '--currency', 'KES', '--phone', '+254']],
    [usage, /more than 15 digits/, [...momo.slice(0, 3), '9007199254740993', ...momo.slice(4)]],
    [usage, /It must be a currency such as KES/, [...momo.slice(0, 5), 'shillings', ...momo.slice(6)]],
    [usage, /--phone or --external-account is required/, momo.slice(0, 6)],
    [
      usage,
      /--external-account, or --to, --name and --country are required/,
      ['pay', '--amount', '5', '--currency', 'KES'],
    ],
    [usage, /must be a month and a year/, ['charge', 'card', '--amount', '5', '--currency', 'NGN', '--expiry', 'soon']],
    [usage, /It must be a duration such as 90s/, ['clock', 'advance', '3 hours']],
    [usage, /It must be a day such as 2026-11-15/, ['statement', '--from', '2026-02-30']],
    [usage, /Allowed choices are charge\.pending, charge\.successful/, ['trigger', 'charge.sucessful']],
    [refused, /scenario must be one of lost-answer/, ['faults', 'set', 'order-1', 'expire']],
    [refused, /SCENARIO/, ['faults', 'clear', 'order-1']],
    [usage, /It must be a status such as 422/, ['logs', 'x.log', '--status', 'bad']],
    [usage, /nowhere\.log cannot be read: ENOENT/, ['logs', `${home}/nowhere.log`]],
    [usage, /nowhere\.csv cannot be read: ENOENT/, ['bulk', `${home}/nowhere.csv`]],
    [usage, /key\.txt cannot be read: ENOENT/, ['login', '--api-key-file', `${home}/key.txt`]],
    [usage, /Allowed choices are bash, zsh, fish/, ['completion', 'csh']],
    [usage, /Allowed choices are docs/, ['open', 'everything']],
    [refused, /TRANSACTION_NOT_FOUND/, ['explain', 'order-unknown']],
    [refused, /TRANSACTION_NOT_FOUND/, ['transactions', 'get', 'txn_1']],
    [refused, /WEBHOOK_NOT_FOUND/, ['webhooks', 'get', 'wh_1']],
    [refused, /phoneNumber/, [...momo.slice(0, 7), '12']],
    [refused, /E-BEN\.S-90/, ['pay', '--amount', '5', '--currency', 'KES', '--external-account', 'ea_1']],
    [refused, /UNSUPPORTED_CURRENCY/, [...momo.slice(0, 5), 'CHF', ...momo.slice(6)]],
    [usage, /Allowed choices are docs, openapi, health/, ['open', 'dashboard']],
    [refused, /malipo dev works only in the repository/, ['dev']],
  ]
  for (const [code, message, args] of cases) {
    const seen = await run(...args)
    assert.match(seen.err, message, args.join(' '))
    assert.equal(seen.code, code, `${args.join(' ')}: ${seen.err}`)
    isPlain(seen, args.join(' '))
  }

  const wrongUrl = await as({ MALIPO_URL: 'localhost:8080' })('whoami')
  assert.deepEqual([wrongUrl.code, /without a path/.test(wrongUrl.err)], [usage, true], wrongUrl.err)
  const homeless = await as({ HOME: undefined })('login')
  assert.deepEqual([homeless.code, /Neither HOME nor/.test(homeless.err)], [usage, true], homeless.err)
  const closed = await as({ MALIPO_URL: 'http://127.0.0.1:4' })('open')
  assert.deepEqual([closed.code, /Cannot reach Malipo/.test(closed.err)], [unreachable, true], closed.err)
})

test('with --json an error is JSON on standard error', async (t) => {
  const { run } = await openShop(t)

  const { code, out, err } = await run('--json', 'explain', 'order-unknown')
  const usage = await run('explian', '--json')

  assert.deepEqual([code, out, usage.code, usage.out], [exitCodes.refused, '', exitCodes.usage, ''])
  assert.match(
    (JSON.parse(usage.err) as { error: { message: string } }).error.message,
    /^error: unknown command 'explian'/,
  )
  const { error } = JSON.parse(err) as { error: Record<string, unknown> }
  assert.deepEqual(
    [error['exit'], error['code'], error['errorCode'], error['status']],
    ['refused', 1, 'TRANSACTION_NOT_FOUND', 404],
  )
})
