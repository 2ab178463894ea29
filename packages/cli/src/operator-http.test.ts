import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { type TestContext, test } from 'node:test'
import { operations } from '../../server/src/operate/api/operations.ts'
import { type Malipo, testMalipo } from '../../server/src/testing/malipo.ts'
import { exitCodes } from './exit-codes.ts'
import { operatorClient } from './operator-client.ts'
import { commandLine } from './testing/command-line.ts'
import { openStaff, saveLogin } from './testing/staff.ts'

/** A home folder with a session for a server of the test. */
async function loggedInAt(t: TestContext, url: string) {
  const malipo = await testMalipo(t)
  const { person, variables } = await openStaff(t, malipo)
  saveLogin(variables, { ...malipo, url }, person)
  return commandLine(variables)
}

async function listening(t: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Passes a request on to Malipo, waits for its response, and then cuts the connection. */
async function cutAfterCommit(t: TestContext, malipo: Malipo): Promise<string> {
  return listening(t, async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const { authorization = '' } = request.headers
    const headers = { authorization, 'content-type': 'application/json' }
    const body = parts.length === 0 ? {} : { body: Buffer.concat(parts) }
    await fetch(`${malipo.url}${request.url}`, { method: request.method ?? '', headers, ...body })
    response.destroy()
  })
}

test('a lost response to a change says to check whether it was done; to a read it does not', async (t) => {
  const malipo = await testMalipo(t)
  const staff = await openStaff(t, malipo)
  const { id: merchant } = await malipo.merchant()
  saveLogin(staff.variables, { ...malipo, url: await cutAfterCommit(t, malipo) }, staff.person)

  const changed = await staff.run('merchants', 'freeze', merchant, '--reason', 'ticket 1')
  const read = await staff.run('merchants', 'list')

  assert.deepEqual([changed.code, changed.out], [exitCodes.unreachable, ''])
  assert.match(
    changed.err,
    /^Cannot reach Malipo at http[^\n]+\nThe change may have been made\. Check whether it was done before you repeat it: /,
  )
  assert.equal((await malipo.operator.merchants.show(merchant)).state, 'frozen')
  assert.equal(read.code, exitCodes.unreachable)
  assert.doesNotMatch(read.err, /may have been made/)
})

test('an interrupted change says to check whether it was done, and an interrupted read does not', async (t) => {
  const interrupt = { change: new AbortController(), read: new AbortController() }
  const url = await listening(t, ({ method }) => interrupt[method === 'GET' ? 'read' : 'change'].abort())
  const malipo = await testMalipo(t)
  const { person, variables } = await openStaff(t, malipo)
  saveLogin(variables, { ...malipo, url }, person)
  const run = (signal: AbortSignal, ...args: string[]) => commandLine(variables, { signal })(...args)

  const changed = await run(interrupt.change.signal, 'merchants', 'freeze', 'mer_1', '--reason', 'ticket 1')
  const read = await run(interrupt.read.signal, 'merchants', 'list')

  assert.equal(changed.code, exitCodes.interrupted)
  assert.match(changed.err, /^Interrupted\.\nThe change may have been made\. Check whether it was done /)
  assert.deepEqual([read.code, read.err], [exitCodes.interrupted, 'Interrupted.\n'])
})

test('a refused connection changed nothing, and the message names the URL', async (t) => {
  const reserved = createTcpServer().listen(0, '127.0.0.1')
  await once(reserved, 'listening')
  const { port } = reserved.address() as AddressInfo
  await new Promise((resolve) => reserved.close(resolve))
  const run = await loggedInAt(t, `http://127.0.0.1:${port}`)

  const { code, err } = await run('merchants', 'freeze', 'mer_1', '--reason', 'ticket 1')

  assert.equal(code, exitCodes.unreachable)
  assert.equal(
    err,
    `Cannot reach Malipo at http://127.0.0.1:${port}: ECONNREFUSED. Check that it is running and that the URL is right.\n`,
  )
})

/** Clears the screen and sets the title of a terminal that obeys it. */
const hostile = '\u001b[2J\u001b]0;paid\u0007\u009b2J'

test('hostile text of a server is shown and not obeyed, in results, proposals and errors', async (t) => {
  const proposal = {
    proposalId: `prp_${hostile}`,
    operation: hostile,
    summary: hostile,
    reason: hostile,
    state: 'open',
  }
  const times = { createdAt: hostile, expiresAt: hostile, proposedBy: hostile }
  const responses: Record<string, [number, object]> = {
    '/operator/v1/merchants?limit=50': [
      200,
      { success: true, data: [{ id: hostile, name: hostile, country: '', state: '', createdAt: hostile }] },
    ],
    '/operator/v1/floats': [
      422,
      { success: false, errorCode: 'OPERATION_REFUSED', message: hostile, details: [{ field: hostile, message: 'x' }] },
    ],
    '/operator/v1/merchants/mer_1/freeze': [
      202,
      { success: true, data: { ...proposal, ...times, postings: [], change: { a: hostile } } },
    ],
  }
  const url = await listening(t, (request, response) => {
    const [status, content] = responses[request.url ?? ''] ?? [404, {}]
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(content))
  })
  const run = await loggedInAt(t, url)

  for (const args of [
    ['merchants', 'list'],
    ['floats', 'list'],
    ['merchants', 'freeze', 'mer_1', '--reason', 'x'],
  ])
    for (const form of [[], ['--json']]) {
      const { out, err } = await run(...args, ...form)
      assert.doesNotMatch(`${out}${err}`, /[^\P{Cc}\n]/u, args.join(' '))
      assert.match(`${out}${err}`, form.length > 0 ? /\\u001b\[2J/ : /\\x1b\[2J/, args.join(' '))
    }
})

test('a session goes to its own URL only, whatever redirects and MALIPO_URL say', async (t) => {
  const seen: (string | undefined)[] = []
  const thief = await listening(t, (request, response) => {
    seen.push(request.headers.authorization)
    response.end('{}')
  })
  const url = await listening(t, (_, response) => response.writeHead(307, { location: thief }).end())
  const run = await loggedInAt(t, url)

  const redirected = await run('merchants', 'list')
  const malipo = await testMalipo(t)
  const { variables } = await openStaff(t, malipo)
  const elsewhere = await commandLine({ ...variables, MALIPO_URL: thief })('merchants', 'list')

  assert.equal(redirected.code, exitCodes.unreachable)
  assert.match(redirected.err, /is not Malipo \(HTTP 307\)/)
  assert.equal(elsewhere.code, exitCodes.usage)
  assert.match(elsewhere.err, /^MALIPO_URL is .*, but you are logged in as operator staff at /)
  assert.deepEqual(seen, [])
})

test('an argument that would change the path of the request is refused before it is sent', async (t) => {
  const run = await loggedInAt(t, 'http://127.0.0.1:4')

  for (const id of ['..', '.', ''])
    assert.deepEqual(
      [(await run('merchants', 'show', id)).code, (await run('merchants', 'show', id)).err],
      [exitCodes.usage, `"${id}" is not an id.\n`],
    )
  assert.equal((await run('merchants', 'show', '../people')).code, exitCodes.unreachable) // One part of the path.
})

test('every operation of the API has a method of the client, with its route', async (t) => {
  const called = new Set<string>()
  const url = await listening(t, (request, response) => {
    called.add(`${request.method} ${new URL(request.url ?? '', 'http://localhost').pathname}`)
    response.end(JSON.stringify({ success: true, data: {} }))
  })
  const client = operatorClient({ url, token: 'mls_1', source: 'test' }) as unknown as Groups

  for (const { name, path } of operations) {
    const [group = '', verb = ''] = name.split('.')
    const method = client[group]?.[verb]
    assert.ok(method, `${name} has no method`)
    const isById = path.includes(':') && name !== 'thresholds.set'
    await (isById ? method('x', { webhook: 'x' }) : method({ currency: 'x' }))
  }

  const expected = operations.map(({ method, path }) => `${method} /operator/v1${path.replaceAll(/:\w+/g, 'x')}`)
  assert.deepEqual([...called].sort(), [...new Set(expected)].sort())
})

type Groups = Readonly<Record<string, Readonly<Record<string, (...args: unknown[]) => Promise<unknown>>>>>
