import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import type { Random } from '../support/cluster/random.ts'
import type { Draft } from './draft.ts'
import { oddText, oddValue } from './odd-values.ts'
import type { World } from './world.ts'

type Mutation = (draft: Draft, random: Random, world: World) => void

/** Changes a request in zero to three ways; one in five stays unchanged. */
export function mutate(draft: Draft, random: Random, world: World): void {
  const count = random() < 0.2 ? 0 : 1 + random.below(3)
  for (let done = 0; done < count; done += 1) {
    const [name, change] = random.pick(mutations)
    draft.changes.push(name)
    change(draft, random, world)
  }
}

/** A place inside a JSON value. */
interface Spot {
  readonly holder: Record<string, unknown>
  readonly key: string
}

/** An earlier mutation may have made a value deep and wide: only its first levels and names are visited. */
function spotsIn(value: unknown, levels = 4): Spot[] {
  if (typeof value !== 'object' || value === null || levels === 0) return []
  const holder = value as Record<string, unknown>
  const keys = Object.keys(holder).slice(0, 50)
  return keys.flatMap((key) => [{ holder, key }, ...spotsIn(holder[key], levels - 1)])
}

function changeSpot(draft: Draft, random: Random, change: (spot: Spot) => void): void {
  if (draft.bytes !== undefined) return
  const spots = spotsIn(draft.body)
  if (spots.length === 0) draft.body = oddValue(random)
  else change(random.pick(spots))
}

const textOf = ({ bytes, body }: Draft) => bytes?.toString() ?? (body === undefined ? '{}' : JSON.stringify(body))

const changeValue: Mutation = (draft, random) =>
  changeSpot(draft, random, ({ holder, key }) => {
    Object.defineProperty(holder, key, {
      value: oddValue(random),
      enumerable: true,
      configurable: true,
      writable: true,
    })
  })

const dropValue: Mutation = (draft, random) =>
  changeSpot(draft, random, ({ holder, key }) => void Reflect.deleteProperty(holder, key))

const addValue: Mutation = (draft, random) =>
  changeSpot(draft, random, ({ holder }) => {
    const key = random.pick(['x', 'ammount', 'amount ', 'Amount', oddText(random)])
    Object.defineProperty(holder, key, {
      value: oddValue(random),
      enumerable: true,
      configurable: true,
      writable: true,
    })
  })

const wholeBody: Mutation = (draft, random) => {
  draft.body = random() < 0.5 ? oddValue(random) : undefined
}

const breakJson: Mutation = (draft, random) => {
  const text = textOf(draft)
  const broken = random.pick<() => string>([
    () => text.slice(0, random.below(text.length + 1)),
    () => `${text}}`,
    () => `\ufeff${text}`,
    () => ` \n\t${text}\n `,
    () => text.replaceAll('"', "'"),
    () => `${text}${text}`,
    () => text.replace('{', '{"amount":1,"amount":2,'),
    () => text.replace(/:\s*\d+(\.\d+)?/, ': 1e400'),
    () => text.replace(/:\s*\d+(\.\d+)?/, ': 01'),
    () => text.replace(/:\s*\d+(\.\d+)?/, ': NaN'),
    () => text.replace('{', '{"__proto__":{"a":1},'),
    () => text.replace('{', '{"constructor":{"prototype":{"a":1}},'),
    () => '',
    () => 'null',
    () => '"text"',
    () => '\u0000',
    () => '['.repeat(random.pick([19, 20, 21, 5000, 30_000])),
  ])()
  draft.bytes = Buffer.from(broken)
}

const breakBytes: Mutation = (draft, random) => {
  const bytes = Buffer.from(textOf(draft))
  for (let done = 0; done < 3 && bytes.length > 0; done += 1) bytes[random.below(bytes.length)] = random.below(256)
  draft.bytes = bytes
}

const resize: Mutation = (draft, random) => {
  const sizes = [65_535, 65_536, 65_537, 100_000, ...(random() < 0.1 ? [1_048_575, 1_048_577] : [])]
  draft.bytes = Buffer.from(textOf(draft).padEnd(random.pick(sizes), ' '))
}

const contentType: Mutation = (draft, random) => {
  draft.headers['content-type'] = random.pick([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/json; charset=utf-16',
    'application/json;charset=latin1',
    'APPLICATION/JSON',
    'application/problem+json',
    'multipart/form-data; boundary=x',
    'application/json, text/plain',
    '/',
    ';',
    `application/json; a="${'b'.repeat(3000)}`,
  ])
}

const encoding: Mutation = (draft, random) => {
  const plain = Buffer.from(textOf(draft))
  const [name, bytes] = random.pick<readonly [string, Buffer]>([
    ['gzip', gzipSync(plain)],
    ['gzip', plain],
    ['deflate', deflateSync(plain)],
    ['br', brotliCompressSync(plain)],
    ['identity', plain],
    ['x', plain],
    ['utf-16', Buffer.from(plain.toString(), 'utf16le')],
  ])
  draft.headers['content-encoding'] = name
  draft.bytes = bytes
}

const queryValue: Mutation = (draft, random) => {
  const known = draft.operation.parameters.filter((each) => each.in === 'query').map(({ name }) => name)
  const name = random.pick([...known, ...known, 'limit', 'x', 'limit[]', '__proto__', oddText(random)])
  const value = random.pick(['-1', '0', '1', '1.5', '201', '1e9', '99999999999999999999', oddText(random)])
  draft.query.push([name, value], ...(random() < 0.3 ? ([[name, oddText(random)]] as [string, string][]) : []))
}

const placeValue: Mutation = (draft, random, world) => {
  const names = Object.keys(draft.places)
  if (names.length === 0) return queryValue(draft, random, world)
  const strange = ['.', '..', 'txn_', `txn_${'0'.repeat(32)}`, `wh_${'f'.repeat(32)}`, 'x'.repeat(100), 'x'.repeat(101)]
  draft.places[random.pick(names)] =
    random.pick([...strange, 'x'.repeat(5000), oddText(random), oddText(random)]) || '.'
}

const path: Mutation = (draft, random) => {
  const plain = draft.operation.path.replaceAll(/\{\w+\}/g, 'x')
  draft.path = random.pick([
    `${plain}/`,
    `/${plain}`,
    plain.toUpperCase(),
    plain.replace('/b2b/', '/b2b/%2e%2e/b2b/'),
    plain.replace('/api/b2b/', '/api/sandbox/b2b/'),
    plain.replace('/api/b2b/', '/api/v2/'),
    plain.replace('api', '%61pi'),
    plain.replaceAll('/', '%2f').replace('%2f', '/'),
    `${plain}%zz`,
    `${plain}%`,
    `${plain};a=1`,
    `${plain}?`,
    `${plain}?&&==&=`,
    `${plain}#x`,
    '/',
    '/api',
    '/api/b2b',
    '*',
    '/health/live',
    '/bank-logos/Equity%20Bank.svg',
    `/bank-logos/${'x'.repeat(150)}.svg`,
    '/callbacks/pawapay',
    `/callbacks/sandbox/${random.pick(['house', 'pawapay', 'flutterwave', '__proto__', 'x'.repeat(101)])}`,
    '/.well-known/jwks.json',
    '/metrics',
  ])
}

const method: Mutation = (draft, random) => {
  draft.method = random.pick(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'QUERY', 'PROPFIND', 'TRACE'])
}

const header: Mutation = (draft, random) => {
  const name = random.pick(['idempotency-key', 'x-request-id', 'x-sandbox-scenario', 'x-forwarded-for', 'accept'])
  draft.headers[name] = random.pick([
    '',
    ' ',
    '*/*',
    'text/html',
    '127.0.0.1, 10.0.0.1',
    `fuzz-${random.below(50)}`,
    'x'.repeat(255),
    'x'.repeat(256),
    'é'.repeat(60),
    'provider_timeout',
    oddText(random),
  ])
}

const authorization: Mutation = (draft, random, { callers }) => {
  const { token, apiKey } = random.pick(callers)
  const [head = '', claims = ''] = token.split('.')
  draft.headers['authorization'] = random.pick([
    'Bearer',
    'Bearer x',
    'Basic eDp5',
    token,
    `bearer ${token}`,
    `Bearer   ${token}`,
    `Bearer ${token} `,
    `Bearer ${token}x`,
    `Bearer ${head}.${claims}.`,
    `Bearer ${head}.${claims}`,
    'Bearer eyJhbGciOiJub25lIn0.e30.',
    `Bearer ${'a.'.repeat(3000)}`,
    `Bearer ${apiKey}`,
  ])
  if (random() < 0.3) Reflect.deleteProperty(draft.headers, 'authorization')
}

/** A mutation listed more often is drawn more often. */
const mutations: readonly (readonly [string, Mutation])[] = [
  ['value', changeValue],
  ['value', changeValue],
  ['value', changeValue],
  ['value', changeValue],
  ['dropped', dropValue],
  ['dropped', dropValue],
  ['added', addValue],
  ['added', addValue],
  ['query', queryValue],
  ['query', queryValue],
  ['place', placeValue],
  ['place', placeValue],
  ['body', wholeBody],
  ['JSON', breakJson],
  ['bytes', breakBytes],
  ['size', resize],
  ['type', contentType],
  ['encoding', encoding],
  ['path', path],
  ['method', method],
  ['header', header],
  ['authorization', authorization],
]
