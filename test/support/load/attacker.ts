/** A separate process that keeps one attack on an api process running until it is stopped. */
import { connect, type Socket } from 'node:net'
import { constants, setPriority } from 'node:os'

export interface AttackOrder {
  readonly attack: keyof typeof attacks
  readonly port: number
  /** Authorization header of a sandbox merchant. */
  readonly authorization: string
  readonly pair: { readonly publicKey: string; readonly apiKey: string }
  /** Reference of a payment of this merchant. */
  readonly reference: string
}

const exchangePath = '/api/b2b/auth/generate-bearer-token'

/** A request with complete headers whose body never completes. */
const slowRequest = [
  `POST ${exchangePath} HTTP/1.1`,
  'Host: malipo',
  'api-key: x',
  'Content-Type: application/json',
  'Content-Length: 60',
  '',
  '{',
].join('\r\n')

/** Each keeps this many connections busy; a connection that ends is opened again. */
export const attacks = {
  'slow bodies': (order: AttackOrder) => hold(order, 520, slowRequest),
  'slow bodies, opened again at once': (order: AttackOrder) => hold(order, 600, slowRequest, 1),
  'idle connections': (order: AttackOrder) => hold(order, 3000, ''),
  'token exchanges with a right pair': (order: AttackOrder) => repeat(order, 24, exchange),
  'token exchanges with wrong pairs': (order: AttackOrder) =>
    repeat({ ...order, pair: { ...order.pair, apiKey: 'sk_test_wrong' } }, 24, exchange),
  'name look-ups at a slow provider': (order: AttackOrder) => repeat(order, 200, resolve),
  'simulated webhooks': (order: AttackOrder) => repeat(order, 200, simulate),
  'sandbox payouts': (order: AttackOrder) => repeat(order, 64, payout),
  'bulks of sandbox payouts': (order: AttackOrder) => repeat(order, 25, bulk),
  'moves of the sandbox clock': (order: AttackOrder) => repeat(order, 32, advance),
  'requests sent ahead': (order: AttackOrder) => hold(order, 100, getNothing.repeat(2500), 200),
  'bodies in tiny chunks': (order: AttackOrder) => hold(order, 10, tinyChunks, 20),
  'hundreds of headers': (order: AttackOrder) => hold(order, 100, manyHeaders, 20),
  'reference pages': (order: AttackOrder) => repeat(order, 100, () => ({ path: '/docs', headers: {} })),
  'wrong tokens for paths that cannot be decoded': (order: AttackOrder) =>
    repeat(order, 200, () => ({ path: '/api/%zz', headers: { authorization: 'Bearer wrong' } })),
}

const getNothing = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'

const tinyChunks = `POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(10_000)}`
const header = (_: unknown, place: number) => `x-${place}: \r\n`
const manyHeaders = `GET / HTTP/1.1\r\nHost: a\r\n${Array.from({ length: 800 }, header).join('')}\r\n`

let number = 0
const postTo = (path: string, headers: Record<string, string>, body: object): Sent => ({
  path,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
})
const asMerchant = ({ authorization }: AttackOrder) => ({ authorization })

const exchange = ({ pair }: AttackOrder) =>
  postTo(exchangePath, { 'api-key': pair.apiKey }, { publicKey: pair.publicKey })

const resolve = (order: AttackOrder) => {
  const account = { accountNumber: '+254703456789', currency: 'KES', method: 'momo', momoOperator: 'MPESA_KE' }
  return postTo('/api/b2b/utilities/account/resolve', asMerchant(order), account)
}

const simulate = (order: AttackOrder) => {
  const request = { externalReference: order.reference, webhookStatus: 'failed' }
  return postTo('/api/sandbox/b2b/utilities/simulate-webhook', asMerchant(order), request)
}

const payoutBody = () => ({
  amount: 10,
  currency: 'KES',
  country: 'KE',
  destination: 'MoMo',
  externalReference: `attack-${process.pid}-${number++}`,
  payoutMethod: { accountName: 'Otieno', accountNumber: '+254703456789' },
})

const payout = (order: AttackOrder) => postTo('/api/b2b/fiat/payout', asMerchant(order), payoutBody())

const bulk = (order: AttackOrder) => {
  const payouts = Array.from({ length: 1000 }, payoutBody)
  return postTo('/api/b2b/fiat/payouts/bulk', asMerchant(order), { payouts })
}

const advance = (order: AttackOrder) =>
  postTo('/api/sandbox/b2b/utilities/clock/advance', asMerchant(order), { seconds: 60 })

function hold({ port }: AttackOrder, count: number, text: string, againMs = 1000): void {
  const open = () => {
    const socket: Socket = connect({ port, host: '127.0.0.1', localAddress: '127.0.0.2' })
    socket.on('error', () => undefined)
    socket.on('connect', () => void socket.write(text))
    socket.on('data', () => socket.destroy())
    socket.on('close', () => setTimeout(open, againMs))
  }
  for (let opened = 0; opened < count; opened += 1) open()
}

interface Sent {
  readonly path: string
  readonly headers: Record<string, string>
  /** Without a body, it is a GET. */
  readonly body?: string
}

function repeat(order: AttackOrder, clients: number, make: (order: AttackOrder) => Sent): void {
  const send = async (): Promise<never> => {
    for (;;) {
      const { path, headers, body } = make(order)
      const request = body === undefined ? { headers } : { method: 'POST', headers, body }
      const sent = fetch(`http://127.0.0.1:${order.port}${path}`, request)
      await sent.then((response) => response.arrayBuffer()).catch(() => undefined)
    }
  }
  for (let client = 0; client < clients; client += 1) void send()
}

/** It runs at low priority: a real attacker has a machine of its own. */
setPriority(constants.priority.PRIORITY_LOW)
process.once('message', (order: AttackOrder) => {
  attacks[order.attack](order)
  process.send?.('started')
})
