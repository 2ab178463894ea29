import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { compiled, freePort } from './dev-stack/processes.ts'
import { testDatabase } from './dev-stack/servers.ts'
import { until } from './dev-stack/until.ts'
import { makeSecrets, openOperator } from './operate/operator.ts'
import { ask } from './testing/malipo.ts'

const main = join(import.meta.dirname, 'main.ts')

async function start(t: TestContext, role: string, changed: Record<string, string> = {}) {
  const { loginUrl, natsUrl } = await testDatabase()
  const port = await freePort()
  const variables = { ...makeSecrets(new Date()), DATABASE_URL: loginUrl, NATS_URL: natsUrl, MALIPO_DRAIN_SECONDS: '0' }
  const child = spawn(process.execPath, [main, role], {
    env: { ...compiled, ...variables, MALIPO_PORT: String(port), ...changed },
  })
  t.after(() => child.kill('SIGKILL'))
  const output: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => output.push(String(part)))
  const get = (path: string) => fetch(`http://127.0.0.1:${port}${path}`).catch(() => undefined)
  return { child, get, output: () => output.join('') }
}

const exitCode = async (child: ChildProcess) => ((await once(child, 'exit')) as [number | null])[0]

for (const role of ['api', 'all', 'worker'] as const) {
  test(`the role ${role} starts, is ready, serves its routes, and stops on a signal`, async (t) => {
    const { child, get, output } = await start(t, role)
    await until('readiness', async () => (await get('/health/ready'))?.ok)

    assert.equal((await get('/api/b2b/users'))?.status, 401)
    assert.equal((await get('/docs'))?.status, role === 'worker' ? 404 : 200)
    assert.equal((await get('/metrics'))?.status, 404)
    child.kill('SIGTERM')

    assert.equal(await exitCode(child), 0, output())
    assert.match(output(), /"msg":"stopped"/)
  })
}

test('an api process alone attaches the next hours and months as it starts', async (t) => {
  const { superuserUrl } = await testDatabase()
  const [missing] = await ask<{ name: string }>(
    superuserUrl,
    `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'receipts'::regclass order by 1 desc limit 1`,
  )
  await ask(superuserUrl, `update clock_offset set ahead = '5 hours'`)
  t.after(() => ask(superuserUrl, `update clock_offset set ahead = '0'`))
  await ask(superuserUrl, `drop table ${missing?.name}`)
  const { get } = await start(t, 'api')

  await until('72 hours and three months', async () => {
    const answer = await get('/health/ready')
    if (!answer) return false
    const { partitionsLeft } = (await answer.json()) as { partitionsLeft?: { hours: number; months: number } }
    return partitionsLeft !== undefined && partitionsLeft.hours >= 72 && partitionsLeft.months === 3
  })
})

test('a draining process reports not ready, still responds, and then ends', async (t) => {
  const { child, get } = await start(t, 'api', { MALIPO_DRAIN_SECONDS: '1' })
  await until('readiness', async () => (await get('/health/ready'))?.ok)

  child.kill('SIGTERM')
  const exited = exitCode(child)
  const draining = await until('the end of readiness', async () => {
    const answer = await get('/health/ready')
    return answer?.status === 503 ? answer : undefined
  })

  assert.deepEqual(((await draining.json()) as { checks: object }).checks, { draining: 'the process is shutting down' })
  assert.equal((await get('/api/b2b/users'))?.status, 401)
  assert.equal(await exited, 0)
})

test('an invalid configuration is reported in full, and nothing starts', async (t) => {
  const { child, output } = await start(t, 'api', { DATABASE_URL: 'nonsense', MALIPO_CELL: '5000' })

  assert.equal(await exitCode(child), 2)
  assert.match(output(), /DATABASE_URL must be a URL/)
  assert.match(output(), /MALIPO_CELL must be a whole number/)
})

test('no role starts on the database of another cell', async (t) => {
  for (const role of ['api', 'worker']) {
    const { child, output } = await start(t, role, { MALIPO_CELL: '5' })
    assert.equal(await exitCode(child), 2, output())
    assert.match(output(), /The database belongs to cell 0, and this process to cell 5\./)
  }
})

/** A server that responds to everything with one status. */
async function answering(t: TestContext, status: number): Promise<string> {
  const server = createServer((_, response) => void response.writeHead(status).end()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`
}

const flutterwaveAt = (url: string) => ({
  MALIPO_FLUTTERWAVE_URL: url,
  MALIPO_FLUTTERWAVE_SECRET_KEY: 's'.repeat(24),
  MALIPO_FLUTTERWAVE_ENCRYPTION_KEY: 'e'.repeat(24),
  MALIPO_FLUTTERWAVE_WEBHOOK_HASH: 'h'.repeat(24),
})
const pawapayAt = (url: string) => ({ MALIPO_PAWAPAY_URL: url, MALIPO_PAWAPAY_TOKEN: 't'.repeat(24) })

test('a provider URL that serves something else stops the start with an explanation', async (t) => {
  const url = await answering(t, 404)
  const { child, output } = await start(t, 'worker', { ...flutterwaveAt(url), ...pawapayAt(url) })

  assert.equal(await exitCode(child), 2, output())
  assert.match(output(), /MALIPO_FLUTTERWAVE_URL: Flutterwave not found at .*\/v3 \(HTTP 404\)/)
  assert.match(output(), /MALIPO_PAWAPAY_URL: pawaPay not found at .* \(HTTP 404\)/)
})

const liveProvider = { MALIPO_PAWAPAY_URL: 'http://127.0.0.1:9', MALIPO_PAWAPAY_TOKEN: 'a-token-of-sixteen' }

test('no role starts with live providers until live fees are set, even if to zero', { timeout: 180_000 }, async (t) => {
  const { loginUrl, natsUrl } = await testDatabase()
  const operator = openOperator({ ...makeSecrets(new Date()), DATABASE_URL: loginUrl, NATS_URL: natsUrl }, 'test')
  t.after(() => operator.close())
  const set = { env: 'live', basisPoints: 0, reason: 'a pilot' } as const
  const refusal = async (role: string) => {
    const { child, output } = await start(t, role, liveProvider)
    assert.equal(await exitCode(child), 2, output())
    return output()
  }

  assert.match(
    await refusal('api'),
    /no default fee is set for live charges and payouts; .*malipo fees set --env live /,
  )
  await operator.fees.set({ ...set, operation: 'charge' })
  await operator.fees.set({ ...set, operation: 'payout', currency: 'KES' })
  assert.match(
    await refusal('worker'),
    /no default fee is set for live payouts; .*malipo fees set .*--operation payout /,
  )
  await operator.fees.set({ ...set, operation: 'payout' })

  const { get } = await start(t, 'all', liveProvider)
  const isReady = async () => /"fees":"ok"/.test((await (await get('/health/ready'))?.text()) ?? '')
  await until('readiness', isReady)
})

test('no role starts with MALIPO_DEVELOPMENT and a live provider, or on a public address', async (t) => {
  const local = { MALIPO_PUBLIC_URL: 'http://localhost:8080', MALIPO_DEVELOPMENT: 'on' }
  for (const [settings, reason] of [
    [{ ...local, ...liveProvider }, /live providers are configured/],
    [{ ...local, MALIPO_PUBLIC_URL: 'https://pay.example.com' }, /MALIPO_PUBLIC_URL is not on this machine/],
  ] as const) {
    const { child, output } = await start(t, 'api', settings)
    assert.equal(await exitCode(child), 2, output())
    assert.match(output(), reason)
  }
})

test('an unknown role is refused with the list of roles', async (t) => {
  const { child, output } = await start(t, 'everything')

  assert.equal(await exitCode(child), 2)
  assert.match(output(), /api\|worker\|all/)
})
