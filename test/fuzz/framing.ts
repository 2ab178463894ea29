import type { Random } from '../support/cluster/random.ts'
import type { World } from './world.ts'

/** Bytes that no HTTP library would send, on a separate connection. */
export interface RawRequest {
  readonly name: string
  readonly bytes: Buffer
  /** Number of parts it is written in. */
  readonly parts: number
  /** Half a request: the sender closes its side after it. Otherwise it waits for the response. */
  readonly isCut: boolean
  /** Statuses allowed for each response. With 0 the connection may also end without a response. */
  readonly allowed: readonly number[]
}

type Framing = (around: {
  random: Random
  world: World
}) => Pick<RawRequest, 'allowed'> & Partial<Pick<RawRequest, 'parts' | 'isCut'>> & { readonly text: string }

export function drawFraming(random: Random, world: World): RawRequest {
  const name = random.pick(Object.keys(framings))
  const { text, parts = 1, isCut = false, allowed } = (framings[name] as Framing)({ random, world })
  return { name, parts, isCut, allowed, bytes: Buffer.from(text, 'latin1') }
}

const host = 'Host: malipo\r\n'
const close = 'Connection: close\r\n'
const body = '{"firstName":"Amina"}'
const bearer = ({ callers: [first] }: World) => `Authorization: Bearer ${first?.token}\r\n`
const get = (world: World, lines = '', path = '/api/b2b/users') =>
  `GET ${path} HTTP/1.1\r\n${host}${bearer(world)}${lines}${close}\r\n`
const put = (world: World, lines: string, sent = body) =>
  `PUT /api/b2b/users HTTP/1.1\r\n${host}${bearer(world)}Content-Type: application/json\r\n${lines}${close}\r\n${sent}`
const chunked = (text: string, extension = '') => `${text.length.toString(16)}${extension}\r\n${text}\r\n0\r\n\r\n`

const framings: Record<string, Framing> = {
  plain: ({ world }) => ({ text: put(world, `Content-Length: ${body.length}\r\n`), allowed: [200] }),
  dribbled: ({ world }) => ({ text: get(world), parts: 40, allowed: [200] }),
  chunked: ({ world }) => ({ text: put(world, 'Transfer-Encoding: chunked\r\n', chunked(body)), allowed: [200] }),
  'chunk extension': ({ world, random }) => ({
    text: put(world, 'Transfer-Encoding: chunked\r\n', chunked(body, `;${'a'.repeat(random.pick([10, 20_000]))}`)),
    allowed: [200, 400, 0],
  }),
  'bad chunk': ({ world }) => ({
    text: put(world, 'Transfer-Encoding: chunked\r\n', `ZZ\r\n${body}\r\n0\r\n\r\n`),
    allowed: [400],
  }),
  'huge chunk size': ({ world }) => ({
    text: put(world, 'Transfer-Encoding: chunked\r\n', `ffffffffffffffff\r\n${body}`),
    isCut: true,
    allowed: [400, 413, 0],
  }),
  'body shorter than declared': ({ world, random }) => ({
    text: put(world, `Content-Length: ${body.length}\r\n`, body.slice(0, random.below(body.length))),
    isCut: true,
    allowed: [400, 0],
  }),
  'body longer than declared': ({ world, random }) => ({
    text: put(world, `Content-Length: ${random.below(body.length)}\r\n`),
    allowed: [400, 200, 0],
  }),
  'negative length': ({ world }) => ({ text: put(world, 'Content-Length: -1\r\n'), allowed: [400] }),
  'two lengths': ({ world }) => ({ text: put(world, 'Content-Length: 21\r\nContent-Length: 5\r\n'), allowed: [400] }),
  'length and chunks': ({ world }) => ({
    text: put(world, 'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n', chunked(body)),
    allowed: [400],
  }),
  'unknown transfer encoding': ({ world }) => ({ text: put(world, 'Transfer-Encoding: xchunked\r\n'), allowed: [400] }),
  'large header': ({ world, random }) => ({
    text: get(world, `X-Large: ${'a'.repeat(random.pick([15_000, 17_000, 70_000]))}\r\n`),
    allowed: [200, 400],
  }),
  'many headers': ({ world, random }) => ({
    text: get(world, Array.from({ length: random.pick([100, 2500]) }, (_, index) => `X${index}: 1\r\n`).join('')),
    allowed: [200, 400],
  }),
  'long target': ({ world, random }) => ({
    text: get(world, '', `/api/b2b/transactions?type=${'a'.repeat(random.pick([8000, 15_000, 20_000]))}`),
    allowed: [400],
  }),
  'no host': ({ world }) => ({ text: `GET /api/b2b/users HTTP/1.1\r\n${bearer(world)}${close}\r\n`, allowed: [400] }),
  'two hosts': ({ world }) => ({ text: get(world, 'Host: other\r\n'), allowed: [400] }),
  'two authorizations': ({ world }) => ({ text: get(world, 'Authorization: Bearer x\r\n'), allowed: [200, 400, 401] }),
  'HTTP/1.0': ({ world }) => ({ text: `GET /api/b2b/users HTTP/1.0\r\n${bearer(world)}\r\n`, allowed: [200] }),
  'HTTP/2': () => ({ text: 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', allowed: [400] }),
  'HTTP/9.9': () => ({ text: `GET / HTTP/9.9\r\n${host}\r\n`, allowed: [400] }),
  'line feeds': ({ world }) => ({ text: get(world).replaceAll('\r\n', '\n'), allowed: [400, 200] }),
  'folded header': ({ world }) => ({ text: get(world, 'X-A: a\r\n b\r\n'), allowed: [200, 400] }),
  'space before colon': ({ world }) => ({ text: get(world, 'X-A : a\r\n'), allowed: [400] }),
  'NUL in a header': ({ world }) => ({ text: get(world, 'X-A: a\u0000b\r\n'), allowed: [400] }),
  'bytes in the path': ({ world }) => ({
    text: get(world, '', '/api/b2b/transactions/\xff\xfe'),
    allowed: [400, 404],
  }),
  'absolute form': ({ world }) => ({ text: get(world, '', 'http://other.example/api/b2b/users'), allowed: [200, 404] }),
  asterisk: () => ({ text: `OPTIONS * HTTP/1.1\r\n${host}${close}\r\n`, allowed: [401, 404, 405] }),
  CONNECT: () => ({ text: `CONNECT example.com:443 HTTP/1.1\r\n${host}\r\n`, allowed: [405] }),
  'unknown method': ({ world }) => ({ text: get(world).replace('GET', 'BREW'), allowed: [405] }),
  upgrade: ({ world }) => ({
    text: get(world, 'Upgrade: websocket\r\nSec-WebSocket-Key: x\r\n'),
    allowed: [200, 400],
  }),
  'expect 100': ({ world }) => ({
    text: put(world, `Expect: 100-continue\r\nContent-Length: ${body.length}\r\n`),
    allowed: [100, 200],
  }),
  'expect other': ({ world }) => ({ text: put(world, 'Expect: unicorns\r\nContent-Length: 21\r\n'), allowed: [400] }),
  pipelined: ({ world }) => ({
    text: `${get(world).replace(close, '').repeat(10)}${get(world)}`,
    allowed: [200],
  }),
  'pipelined with garbage': ({ world }) => ({
    text: `${get(world).replace(close, '')}GARBAGE\r\n\r\n`,
    allowed: [200, 400, 0],
  }),
  'body of a GET': ({ world }) => ({
    text: `${get(world, 'Content-Type: application/json\r\nContent-Length: 2\r\n')}{}`,
    allowed: [200, 400],
  }),
  garbage: ({ random }) => ({
    text: `${String.fromCharCode(...Array.from({ length: 200 }, () => random.below(256)))}\r\n\r\n`,
    isCut: true,
    allowed: [400, 0],
  }),
  TLS: () => ({ text: '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', isCut: true, allowed: [400] }),
  callback: ({ random }) => {
    const name = random.pick(['pawapay', 'flutterwave', 'house', '__proto__', 'constructor', 'x'])
    const signature = random.pick(['sig=("@method" "@path");created=1', 'x', `sig=("${'a'.repeat(9000)}`])
    const sent = random.pick(['{}', '[[[', '{"data":{"status":"successful","tx_ref":"x"}}', '['.repeat(9000)])
    const headers = `Signature-Input: ${signature}\r\nSignature: sig=:AA==:\r\nverif-hash: x\r\nHouse-Signature: t=1,v1=0\r\n`
    return {
      text: `POST /callbacks/${random.pick(['', 'sandbox/'])}${name} HTTP/1.1\r\n${host}${headers}Content-Length: ${sent.length}\r\n${close}\r\n${sent}`,
      allowed: [400, 401, 404],
    }
  },
}
