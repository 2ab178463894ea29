import assert from 'node:assert/strict'
import { createPublicKey, createSecretKey, verify } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { makeKey } from '../packages/server/src/auth/keys.ts'
import { createTokens } from '../packages/server/src/auth/tokens.ts'
import { startCells } from '../packages/server/src/dev-stack/cells.ts'
import { startRouter } from '../packages/server/src/dev-stack/haproxy.ts'
import { freePort, guardFolder, makeFolder } from '../packages/server/src/dev-stack/processes.ts'
import type { Stack } from '../packages/server/src/dev-stack/stack.ts'
import { until } from '../packages/server/src/dev-stack/until.ts'
import { renderCells } from '../packages/server/src/operate/operator.ts'
import { newId, newTransactionId, providerKeyOf, showId } from '../packages/server/src/platform/ids.ts'

const numbers = [0, 7, 0x1f] as const
const ends: (() => unknown)[] = []
const now = Date.now()
const keyOf = (cell: number) => makeKey('pk', 'sandbox', cell)
/** A pair that another cell made, and one that names no cell. */
const [movedKey, oldKey] = [keyOf(0), `pk_test_${'0'.repeat(43)}`]
let port: number
let stop: (cell: number) => Promise<unknown>

/** Each responds with the number of its cell. */
async function startCell(cell: number) {
  const server = createServer((incoming, response) => {
    incoming.resume()
    incoming.once('end', () => response.end(String(cell)))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = () => new Promise((resolve) => server.close(resolve).closeAllConnections())
  ends.push(close)
  return { cell, close, address: `127.0.0.1:${(server.address() as AddressInfo).port}` }
}

before(async () => {
  const cells = await Promise.all(numbers.map(startCell))
  const folder = makeFolder(mkdtempSync(join(tmpdir(), 'malipo-cells-')))
  const guard = guardFolder(folder, { isKept: false })
  ends.push(() => guard.dismiss())
  port = await freePort()
  const tables = cells.map(
    ({ cell, address }) => `[cells.${cell}]\nservers = ["${address}"]\nhost = "c${cell}.example.com"\n`,
  )
  const router = await startRouter(folder, port, `${tables.join('')}[moved]\n${movedKey} = 7\n`)
  ends.push(() => router.stop())
  stop = (stopped) => cells.find(({ cell }) => cell === stopped)?.close() ?? Promise.resolve()
  for (const { cell } of cells)
    await until(`cell ${cell}`, async () => (await send('/', { host: `c${cell}.example.com` })).text === String(cell))
})

after(async () => {
  for (const end of ends.toReversed()) await end()
})

interface Sent {
  readonly host?: string
  readonly token?: string
  readonly scheme?: string
  readonly body?: string
}

function send(
  path: string,
  { host = 'pay.example.com', token, scheme = 'Bearer', body }: Sent,
): Promise<{ status: number; text: string }> {
  const headers = { host, ...(token !== undefined && { authorization: `${scheme} ${token}` }) }
  return new Promise((resolve, reject) => {
    const sent = request({ port, path, method: body === undefined ? 'GET' : 'POST', headers }, async (response) => {
      let text = ''
      for await (const chunk of response) text += chunk
      resolve({ status: response.statusCode ?? 0, text })
    })
    sent.once('error', reject).end(body)
  })
}

const cellOf = async (path: string, sent: Sent = {}) => Number((await send(path, sent)).text)

function tokenOf(cell: number): Promise<string> {
  const tokens = createTokens('https://pay.example.com', [{ id: 'test', key: createSecretKey(Buffer.alloc(32, 1)) }])
  const bearer = { merchant_id: newId(now, 0), env: 'sandbox', credential_id: newId(now, cell), scopes: ['a'] } as const
  const [token_issued_at, token_expires_at] = [new Date(now), new Date(now + 3_600_000)]
  return tokens.sign(bearer, { token_id: newId(now, cell), token_issued_at, token_expires_at })
}

test('a token leads to its cell, whatever the host and the path name', async () => {
  for (const cell of numbers) {
    const token = await tokenOf(cell)
    assert.equal(await cellOf('/api/b2b/transactions', { token }), cell)
    const path = `/api/b2b/transactions/${showId('transaction', newTransactionId(now, 0x1f))}`
    assert.equal(await cellOf(path, { token, host: 'c7.example.com' }), cell)
  }
})

test('a long body, and a scheme in small letters, reach the cell of the token', async () => {
  const token = await tokenOf(7)
  assert.equal(await cellOf('/api/b2b/fiat/payouts/bulk', { token, body: 'x'.repeat(500_000) }), 7)
  assert.equal(await cellOf('/api/b2b/transactions', { token, scheme: 'bearer' }), 7)
})

const exchange = (publicKey: string) =>
  cellOf('/api/b2b/auth/generate-bearer-token', { body: JSON.stringify({ publicKey }) })

test('a token exchange leads to the cell in the key, or where the key has moved', async () => {
  for (const cell of numbers) assert.equal(await exchange(keyOf(cell)), cell)
  assert.equal(await exchange(movedKey), 7)
})

/** As each provider names the payment. */
const callbacks: Readonly<Record<string, (key: string) => object>> = {
  'pawaPay, charge': (key) => ({ depositId: key, status: 'COMPLETED' }),
  'pawaPay, payout': (key) => ({ payoutId: key, status: 'COMPLETED' }),
  'pawaPay, refund': (key) => ({ refundId: key, status: 'COMPLETED' }),
  'Flutterwave, charge': (key) => ({ event: 'charge.completed', data: { id: 7, tx_ref: key } }),
  'Flutterwave, transfer with a reference of its own': (key) => ({
    key: false,
    data: { tx_ref: 'abc', reference: key },
  }),
  'Flutterwave, transfer': (key) => ({ event: 'transfer.completed', data: { id: 7, reference: key } }),
  house: (key) => ({ operation: 'refund', key }),
}

for (const [name, bodyOf] of Object.entries(callbacks))
  test(`a callback leads to the cell of its payment: ${name}`, async () => {
    for (const cell of numbers) {
      const key = providerKeyOf(newTransactionId(now, cell), 1)
      assert.equal(await cellOf('/callbacks/sandbox/some', { body: JSON.stringify(bodyOf(key)) }), cell)
    }
  })

test('a page for people leads to the cell of its host, or else of the first id in its path', async () => {
  const pathOf = (cell: number) => `/dashboard/m/${showId('merchant', newId(now, cell))}/sandbox/payments`
  assert.equal(await cellOf(pathOf(0x1f), { host: 'C7.example.com:443' }), 7)
  for (const cell of numbers) assert.equal(await cellOf(pathOf(cell)), cell)
})

test('what names no known cell leads to the default', async () => {
  assert.equal(await cellOf('/.well-known/jwks.json'), 0)
  assert.equal(await exchange(oldKey), 0)
  assert.equal(await cellOf('/api/b2b/countries', { token: await tokenOf(0x333) }), 0)
  assert.equal(await cellOf('/api/b2b/countries', { token: 'no.token' }), 0)
  const bodies = ['', 'no JSON', '{"depositId":7}', '{"depositId":"01a1f1b7-4072-4333-8abc-0123456789ab"}']
  for (const body of bodies) assert.equal(await cellOf('/callbacks/pawapay', { body }), 0)
})

test('a cell that is down refuses with JSON to send again, and the others continue', async () => {
  await stop(0x1f)
  const token = await tokenOf(0x1f)

  await until('the refusal', async () => (await send('/api/b2b/transactions', { token })).status === 503)

  const { text } = await send('/api/b2b/transactions', { token })
  const { success, errorCode, retryable } = JSON.parse(text)
  assert.deepEqual({ success, errorCode, retryable }, { success: false, errorCode: 'OVERLOADED', retryable: true })
  assert.equal(await cellOf('/api/b2b/transactions', { token: await tokenOf(7) }), 7)
})

test('every problem of a file of cells is reported at once', () => {
  const text = `
    bnd = "127.0.0.1:1"
    bind = "a\\nb"
    default = 3
    [cells.4096]
    servers = ["10.0.0.1"]
    [cells.01]
    servers = ["10.0.0.2:8080"]
    [cells.1]
    servers = ["10.0.0.1:8080"]
    host = "a b"
    weight = 3
    [moved]
    pk_live_x = 1
    ${keyOf(1)} = 9`

  assert.throws(
    () => renderCells(text, '/etc/haproxy/cells'),
    ({ message }: Error) => {
      for (const named of [
        /bnd is not known/,
        /bind must be/,
        /default names cell 3/,
        /cells\.(4096|01) must be a number/,
      ])
        assert.match(message, named)
      for (const named of [
        /cells\.4096 needs servers/,
        /cells\.1 has a host/,
        /has weight, which/,
        /pk_live_x, which is not/,
      ])
        assert.match(message, named)
      assert.match(message, /names cell 9/)
      return true
    },
  )
})

const successful = { momo: '+254703456789', amount: 100, currency: 'KES' } as const

/** A charge of a merchant, by the address that both cells share, until it has ended. */
async function chargeBy(
  url: string,
  publicKey = '',
  apiKey = '',
): Promise<{ stage: unknown; transactionId: string; token: string }> {
  const call = async (path: string, headers: Record<string, string>, body?: object) => {
    const init = body && { method: 'POST', body: JSON.stringify(body) }
    const response = await fetch(url + path, { headers: { 'content-type': 'application/json', ...headers }, ...init })
    return (await response.json()) as Record<string, unknown>
  }
  const { token } = await call('/api/b2b/auth/generate-bearer-token', { 'api-key': apiKey }, { publicKey })
  const authorization = { authorization: `Bearer ${token}` }
  const { amount, currency, momo: phoneNumber } = successful
  const order = { amount, currency, phoneNumber, externalReference: `order-${publicKey.slice(-12)}` }
  const { transactionId } = await call('/api/b2b/fiat/deposit/momo', authorization, order)
  let read: Record<string, unknown> = {}
  await until(`${transactionId} to end`, async () => {
    const { data } = await call(`/api/b2b/transactions/${transactionId}`, authorization)
    read = data as Record<string, unknown>
    return read['stage'] === 'COMPLETED'
  }).catch((error) => assert.fail(`${error.message}: ${JSON.stringify(read)}`))
  return { stage: read['stage'], transactionId: String(transactionId), token: String(token) }
}

interface KeySet {
  readonly keys: readonly { readonly kid: string; readonly x: string }[]
}

/** Whether the token is signed by the published key that it names, as a merchant verifies it. */
function isSignedByOne(token: string, { keys }: KeySet): boolean {
  const [head = '', payload = '', signature = ''] = token.split('.')
  const { kid } = JSON.parse(Buffer.from(head, 'base64url').toString()) as { kid: string }
  const [key, ...others] = keys.filter((each) => each.kid === kid)
  assert.ok(key && others.length === 0, `${kid} is published ${others.length + (key ? 1 : 0)} times`)
  const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: key.x }, format: 'jwk' })
  return verify(null, Buffer.from(`${head}.${payload}`), publicKey, Buffer.from(signature, 'base64url'))
}

/** How many callbacks a cell applied to its payments. */
async function appliedAt({ url, exports }: Stack): Promise<number> {
  const headers = { authorization: `Bearer ${exports['MALIPO_METRICS_TOKEN']}` }
  const text = await (await fetch(`${url}/metrics`, { headers })).text()
  const lines = text
    .split('\n')
    .filter((line) => line.startsWith('malipo_callbacks_total{') && line.includes('applied'))
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
}

test('a merchant of each of two cells is paid through one address, by callbacks to its own cell', async (t) => {
  const { url, cells, exports, stop: stopCells } = await startCells()
  t.after(stopCells)
  const digits = (transactionId: string) => transactionId.slice('txn_'.length + 13, 'txn_'.length + 16)

  const first = await chargeBy(url, exports['MALIPO_PUBLIC_KEY'], exports['MALIPO_API_KEY'])
  const second = await chargeBy(url, exports['MALIPO_PUBLIC_KEY_2'], exports['MALIPO_API_KEY_2'])

  assert.deepEqual([first.stage, second.stage], ['COMPLETED', 'COMPLETED'])
  assert.deepEqual([digits(first.transactionId), digits(second.transactionId)], ['000', '007'])
  assert.deepEqual(await Promise.all(cells.map(appliedAt)), [1, 1])
  const published = await (await fetch(`${url}/.well-known/jwks.json`)).json()
  assert.deepEqual(
    [first, second].map(({ token }) => isSignedByOne(token, published as KeySet)),
    [true, true],
  )
})
