import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { type WebhookEvent, webhooks } from '@malipo/sdk'
import { exitCodes } from '../exit-codes.ts'
import { commandLine } from '../testing/command-line.ts'

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'

/** Starts a receiver and runs `conformance` against it. */
async function drive(t: TestContext, receiver: RequestListener, ...more: string[]) {
  const server = createServer(receiver).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as { port: number }
  const args = ['--endpoint', `http://127.0.0.1:${port}/hooks`]
  const readAt = more.map((each) => each.replace('HERE', `http://127.0.0.1:${port}`))
  return commandLine({ MALIPO_WEBHOOK_SECRET: secret }, { terminal: undefined })('conformance', ...args, ...readAt)
}

const failedIn = (out: string) => [...out.matchAll(/^FAILED {2}(.+?) {2}/gm)].map(([, name = '']) => name.trim())

/** Passes the event on if its signature is valid; otherwise responds with 400. */
const verifying =
  (take: (event: WebhookEvent, response: ServerResponse) => void, verify = webhooks.verify): RequestListener =>
  async (request, response) => {
    try {
      const raw = Buffer.concat(await request.toArray())
      const event = verify(raw, request.headers, secret)
      take(event, response)
    } catch {
      response.writeHead(400).end()
    }
  }

function isOurs(raw: Buffer, headers: IncomingHttpHeaders): boolean {
  try {
    return webhooks.verify(raw, headers, secret).id !== ''
  } catch {
    return false
  }
}

const ok = (response: ServerResponse) => response.writeHead(200).end()
const parse = (raw: string | Uint8Array) => JSON.parse(Buffer.from(raw).toString()) as WebhookEvent

test('the SDK’s handler passes every case', async (t) => {
  const { code, out, err } = await drive(t, webhooks.handler({ secret, on: { transaction_updated: () => undefined } }))

  assert.deepEqual([code, err, failedIn(out)], [exitCodes.done, '', []])
  assert.match(out, /\n\n(\d+) of \1 passed\.\n$/)
})

test('a receiver that verifies nothing fails every forged and old case, with advice to fix it', async (t) => {
  const { code, out, err } = await drive(
    t,
    verifying((_, response) => ok(response), parse),
  )

  assert.equal(code, exitCodes.checkFailed)
  assert.deepEqual(failedIn(out), ['too old', 'bad signature', 'changed body', 'missing header'])
  assert.match(out, /a forged event: expected 4xx, got 200: the event was accepted\n +Fix: Verify the signature/)
  assert.match(err, /^4 of \d+ cases failed\.\n$/)
})

test('a receiver that crashes fails the case that crashed it, and later cases are skipped', async (t) => {
  const frail = async function (this: Server, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts = await request.toArray().catch(() => undefined)
    if (parts) return void response.writeHead(isOurs(Buffer.concat(parts), request.headers) ? 200 : 400).end()
    this.close()
    this.closeAllConnections()
  }

  const { code, out } = await drive(t, frail)

  assert.equal(code, exitCodes.checkFailed)
  const [first, ...others] = failedIn(out)
  assert.ok(first === 'retried' || first === 'late', `${first} is blamed`) // It ends at the cut, or a moment later.
  assert.match(out, /: the receiver stopped.*\n +Fix: Handle a connection/)
  assert.ok(others.length >= 7)
  assert.equal(out.match(/skipped: the receiver stopped/g)?.length, others.length)
})

test('a receiver that refuses an event it already has fails the duplicate case', async (t) => {
  const seen = new Set<string>()
  const refusing = verifying(({ id }, response) => {
    if (seen.has(id)) return void response.writeHead(409).end()
    seen.add(id)
    ok(response)
  })

  const { code, out } = await drive(t, refusing)

  assert.equal(code, exitCodes.checkFailed)
  assert.ok(failedIn(out).includes('duplicate'), out)
  assert.match(out, /the same id again: expected 2xx, got 409/)
})

test('a receiver that needs the first event before the last fails the reordered case', async (t) => {
  const known = new Set<string>()
  const trusting = verifying(({ event, data }, response) => {
    if (event === 'transaction_created') known.add(data.transactionId)
    if (event === 'transaction_updated' && !known.has(data.transactionId)) return void response.writeHead(404).end()
    ok(response)
  })

  const { out } = await drive(t, trusting)

  assert.deepEqual(failedIn(out), ['reordered'])
})

/** A shop that stores its orders' status by its own rule, and returns it. */
function shop(isTaken: (event: WebhookEvent, last: WebhookEvent | undefined) => boolean) {
  const orders = new Map<string, WebhookEvent>()
  const hooks = verifying((event, response) => {
    const { externalReference } = event.data
    if (isTaken(event, orders.get(externalReference))) orders.set(externalReference, event)
    ok(response)
  })
  return (request: IncomingMessage & { req: IncomingMessage }, response: ServerResponse & { req: IncomingMessage }) => {
    if (request.method !== 'GET') return hooks(request, response)
    const order = orders.get(request.url?.split('/').at(-1) ?? '')
    response.end(JSON.stringify({ status: order?.data.status ?? 'unknown' }))
  }
}

test('a receiver that keeps the last event received fails the reordered case with --read-url', async (t) => {
  const right = shop((event, last) => event.sequence > (last?.sequence ?? 0))
  const wrong = shop(() => true)
  const read = ['--read-url', 'HERE/orders/{reference}']

  const good = await drive(t, right as RequestListener, ...read)
  const bad = await drive(t, wrong as RequestListener, ...read)
  const unasked = await drive(t, wrong as RequestListener)

  assert.deepEqual([failedIn(good.out), failedIn(bad.out), failedIn(unasked.out)], [[], ['reordered'], []])
  assert.match(
    bad.out,
    /all events were accepted, but http.*\/orders\/conformance-\w+ does not say successful after 5 s/,
  )
})

test('a receiver that is down for a moment is retried, as Malipo does, and passes', async (t) => {
  let requests = 0
  const handler = webhooks.handler({ secret, on: {} })
  const flaky: RequestListener = (request, response) => {
    requests += 1
    if (requests === 1) return void response.writeHead(503).end()
    void handler(request, response)
  }

  const { code, out } = await drive(t, flaky)

  assert.equal(code, exitCodes.done)
  assert.match(out, /the first event of a charge took 2 attempts: 503, 200/)
})

test('a redirect, and a 5xx in place of a refusal, are reported as such', async (t) => {
  const failing: RequestListener = async (request, response) => {
    const raw = Buffer.concat(await request.toArray().catch(() => []))
    try {
      webhooks.verify(raw, request.headers, secret)
      ok(response)
    } catch {
      response.writeHead(500).end()
    }
  }

  const redirecting = await drive(t, (_, response) => void response.writeHead(302, { location: '/' }).end())
  const failed = await drive(t, failing)

  assert.match(redirecting.out, /response 302 is a redirect, which Malipo does not follow/)
  assert.deepEqual(failedIn(failed.out), ['too old', 'bad signature', 'changed body', 'missing header'])
  assert.match(failed.out, /a forged event: expected 4xx, got 500: the receiver failed/)
})

test('outcomes are JSON with --json, and JUnit in a file with --junit', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'malipo-junit-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'results.xml')
  const blind = verifying((_, response) => ok(response), parse)

  const { out } = await drive(t, blind, '--json', '--junit', file)
  const unwritable = await drive(t, blind, '--junit', join(folder, 'nowhere/results.xml'))

  const { passed, failed, cases } = JSON.parse(out) as { passed: number; failed: number; cases: { name: string }[] }
  assert.deepEqual([failed, passed + failed], [4, cases.length])
  const xml = readFileSync(file, 'utf8')
  assert.match(xml, new RegExp(`^<\\?xml .*\n<testsuites tests="${cases.length}" failures="4" time="[\\d.]+">\n`))
  assert.equal(xml.split('<failure message="').length, 5)
  assert.equal(xml.split('</testcase>').length + xml.split('"/>').length - 2, cases.length)
  assert.equal(unwritable.code, exitCodes.usage)
})

test('an unreachable receiver and an invalid secret are reported before any case runs', async () => {
  const run = (variables: Record<string, string>) =>
    commandLine(variables)('conformance', '--endpoint', 'http://127.0.0.1:9/hooks')

  const away = await run({ MALIPO_WEBHOOK_SECRET: secret })
  const secretless = await run({})
  const wrong = await run({ MALIPO_WEBHOOK_SECRET: 'hunter2' })

  assert.deepEqual([away.code, secretless.code, wrong.code], [exitCodes.unreachable, exitCodes.usage, exitCodes.usage])
  assert.equal(away.err, 'Cannot reach your receiver at 127.0.0.1:9: ECONNREFUSED. Check that it is running.\n')
  assert.doesNotMatch(`${away.err}${wrong.err}`, /hunter2|MfKQ/)
})
