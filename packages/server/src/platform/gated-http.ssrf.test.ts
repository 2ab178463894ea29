import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import { type Canary, startCanary } from '../testing/canary.ts'
import { type Saying, startNameServer } from '../testing/name-server.ts'
import {
  answerCases,
  disguises,
  forbiddenAddresses,
  literalCases,
  publicAddresses,
  type SsrfCase,
  urlCases,
} from '../testing/ssrf-cases.ts'
import { type Gate, openGate, type Posted } from './gated-http.ts'
import { createLookup, type Lookup } from './names.ts'

/**
 * Run with this argument in a network namespace where every address leads back to this machine: a canary then listens at
 * 10.0.0.1, at 169.254.169.254 and at 8.8.8.8 alike, and sees everything the gate lets out.
 */
const isEverywhere = process.argv.includes('everywhere')

function testGate(t: TestContext, options: { lookup?: Lookup; allowedRanges?: string[] } = {}): Gate {
  const gate = openGate({ allowedRanges: [], timeoutMs: 15_000, ...options })
  t.after(() => gate.close())
  return gate
}

const post = (gate: Gate, url: string, isHttpAllowed = true) =>
  gate.post({ url, headers: {}, body: '{}', isHttpAllowed })

/** Makes every call and groups the cases by outcome. */
async function outcomesOf(cases: readonly SsrfCase[], t: TestContext): Promise<Map<string, string[]>> {
  const outcomes = new Map<string, string[]>()
  let answers: readonly string[] = []
  const gate = testGate(t, { lookup: async () => answers })
  for (const each of cases) {
    const { url } = each
    answers = each.answers
    const posted = await post(gate, url)
    const claimed = posted.kind === 'responded' ? 'responded' : `${posted.kind}: ${posted.detail}`
    outcomes.set(claimed, [...(outcomes.get(claimed) ?? []), `${url} ${answers}`])
  }
  return outcomes
}

function assertUntouched(canary: Canary): void {
  assert.equal(canary.connections(), 0)
  assert.equal(canary.requests(), 0)
}

test('no notation of a forbidden address reaches it, and all get the same error', async (t) => {
  const canary = await startCanary(t)
  const cases = literalCases(canary.port)

  const outcomes = await outcomesOf(cases, t)

  assertUntouched(canary)
  t.diagnostic(`${cases.length} cases`)
  assert.deepEqual([...outcomes.keys()], ['refused: the address is not allowed'])
  assert(cases.length > 1500, `${cases.length}`)
})

test('one forbidden address in a lookup refuses them all', async (t) => {
  const canary = await startCanary(t)
  const cases = answerCases(canary.port)

  const outcomes = await outcomesOf(cases, t)

  assertUntouched(canary)
  t.diagnostic(`${cases.length} cases`)
  assert.deepEqual([...outcomes.keys()], ['refused: the address is not allowed'])
  assert(cases.length > 500, `${cases.length}`)
})

test('ambiguous URLs and URLs with forbidden parts are refused', async (t) => {
  const canary = await startCanary(t)
  const cases = urlCases(canary.port)

  const outcomes = await outcomesOf(cases, t)

  assertUntouched(canary)
  t.diagnostic(`${cases.length} cases`)
  for (const [claimed, urls] of outcomes) assert.match(claimed, /^refused: /, urls.join('\n'))
})

test('names of this machine are refused before any name server is queried', async (t) => {
  const asked: string[] = []
  const lookup = async (name: string) => {
    asked.push(name)
    return ['93.184.216.34']
  }

  for (const host of ['localhost', 'x.localhost', 'LOCALHOST.', '127.0.0.1', '0', '[::1]'])
    assert.equal((await post(testGate(t, { lookup }), `http://${host}:9999/`)).kind, 'refused')
  assert.deepEqual(asked, [])
})

const redirects = [301, 302, 303, 307, 308, 300, 304, 399]

test('a redirect to any form of this machine is a response and is never followed', async (t) => {
  const canary = await startCanary(t)
  const places = [...disguises('127.0.0.1'), '[::1]', 'localhost'].map((host) => `http://${host}:${canary.port}/`)
  let [status, location] = [302, '']
  const { port } = await startCanary(t, {
    host: '127.0.0.2',
    respond: (_, response) => response.writeHead(status, { location: Buffer.from(location).toString('latin1') }).end(),
  })
  const gate = testGate(t, { allowedRanges: ['127.0.0.2'] })

  for (status of redirects)
    for (location of places) {
      const posted = await post(gate, `http://127.0.0.2:${port}/`)
      assert.equal(posted.kind === 'responded' && posted.status, status)
    }
  t.diagnostic(`${redirects.length * places.length} cases`)
  assertUntouched(canary)
})

test('a name that changes between lookups is resolved once, and that address is called', async (t) => {
  const good = await startCanary(t, { host: '127.0.0.2' })
  const canary = await startCanary(t, { host: '127.0.0.1', port: good.port })
  let looks = 0
  const lookup = async () => [looks++ % 2 === 0 ? '127.0.0.2' : '127.0.0.1']
  const gate = testGate(t, { lookup, allowedRanges: ['127.0.0.2/32'] })

  const kinds: Posted['kind'][] = []
  for (let attempt = 0; attempt < 20; attempt += 1)
    kinds.push((await post(gate, `http://rebound.example:${good.port}/`)).kind)

  assert.deepEqual(kinds, Array(10).fill(['responded', 'refused']).flat())
  assert.equal(looks, 20)
  assert.equal(good.requests(), 10)
  assertUntouched(canary)
})

test('responses of real name servers are handled alike: aliases, changes, none, many', async (t) => {
  const good = await startCanary(t, { host: '127.0.0.2' })
  const canary = await startCanary(t, { host: '127.0.0.1', port: good.port })
  let rebounds = 0
  const many = Array.from({ length: 25 }, (_, index) => `127.0.1.${index}`)
  const sayings: Record<string, (type: 'a' | 'aaaa') => Saying> = {
    alias: () => ({ cname: 'internal.corp', a: ['127.0.0.1'] }),
    wide: () => ({ a: ['127.0.0.2'], aaaa: ['::1'] }),
    metadata: () => ({ aaaa: ['fd00:ec2::254'] }),
    mixed: () => ({ a: [...many, '127.0.0.1'] }),
    good: () => ({ a: ['127.0.0.2'] }),
    half: (type) => (type === 'a' ? { a: ['127.0.0.2'] } : 'broken'),
    rebound: (type) => (type === 'a' ? { a: [rebounds++ === 0 ? '127.0.0.2' : '127.0.0.1'] } : {}),
    empty: () => ({}),
    broken: () => 'broken',
    missing: () => 'missing',
  }
  const { address } = await startNameServer(t, (name, type) => sayings[name.split('.')[0] ?? '']?.(type) ?? 'missing')
  const lookup = createLookup({ servers: [address], hostsPath: '/nowhere' })
  const gate = testGate(t, { lookup, allowedRanges: ['127.0.0.2', '127.0.1.0/24'] })
  const outcome = async (name: string) => {
    const posted = await post(gate, `http://${name}.example:${good.port}/`)
    return posted.kind === 'responded' ? 'responded' : `${posted.kind}: ${posted.detail}`
  }

  const refused = 'refused: the address is not allowed'
  for (const [name, expected] of [
    ['alias', refused],
    ['wide', refused],
    ['metadata', refused],
    ['mixed', refused],
    ['good', 'responded'],
    ['half', 'responded'],
    ['rebound', 'responded'],
    ['rebound', refused],
    ['empty', 'unreachable: the name has no address'],
    ['missing', 'unreachable: the name does not exist'],
    ['broken', 'unreachable: the name could not be looked up'],
  ] as const)
    assert.equal(await outcome(name), expected, name)
  assertUntouched(canary)
})

test('where every address leads to a canary, only public addresses reach it', (t) => {
  const roads = 'ip link set lo up && ip route add local 0.0.0.0/0 dev lo && ip -6 route add local ::/0 dev lo'
  if (isEverywhere) return t.skip('this is that place')
  if (spawnSync('unshare', ['--net', 'sh', '-c', roads]).status !== 0)
    return t.skip('no network namespace can be made here; it takes root and ip')

  const command = `${roads} && exec env -u NODE_TEST_CONTEXT "$0" "$1" everywhere`
  const args = ['--net', 'sh', '-c', command, process.execPath, import.meta.filename]
  const { status, stdout, stderr } = spawnSync('unshare', args, { encoding: 'utf8', timeout: 80_000 })

  assert.equal(status, 0, `${stdout}${stderr}`)
  assert.match(stdout, /a canary sits at every address/)
})

if (isEverywhere) {
  test('a canary sits at every address, and the gate lets through to public ones', async (t) => {
    const canary = await startCanary(t)
    const bad = [...forbiddenAddresses.ipv4, ...forbiddenAddresses.ipv6]

    const reached = await Promise.all(bad.map((address) => isReachable(address, canary.port)))
    const before = canary.requests()
    const gate = testGate(t)
    for (const address of publicAddresses) {
      const host = address.includes(':') ? `[${address}]` : address
      assert.equal((await post(gate, `http://${host}:${canary.port}/`)).kind, 'responded', address)
    }

    t.diagnostic(`${reached.filter(Boolean).length} of ${bad.length} forbidden addresses lead to the canary`)
    assert(reached.filter(Boolean).length > bad.length / 2)
    assert.equal(canary.requests() - before, publicAddresses.length)
  })
}

async function isReachable(host: string, port: number): Promise<boolean> {
  const socket = connect({ host, port, timeout: 2000 })
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
