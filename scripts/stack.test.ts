import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { freePort, isListening } from '../packages/server/src/dev-stack/processes.ts'
import { until } from '../packages/server/src/dev-stack/until.ts'

const root = join(import.meta.dirname, '..')
const script = join(import.meta.dirname, 'stack.ts')

/** A folder for everything a stack writes, so that leftovers can be seen. */
function ownFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'malipo-stack-test-'))
  execFileSync('chmod', ['711', folder])
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

function start(command: string, args: readonly string[], env: Record<string, string>) {
  const child = spawn(command, args, { cwd: root, env: { ...process.env, ...env } })
  const output: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => output.push(String(part)))
  return { child, output: () => output.join('') }
}

function startStack(t: TestContext, program: string[], env: Record<string, string> = {}) {
  const folder = ownFolder(t)
  return { ...start(process.execPath, [script, ...program], { TMPDIR: folder, ...env }), folder }
}

/** npm run dev as a user types it. */
function startDev(t: TestContext, env: Record<string, string> = {}) {
  const folder = ownFolder(t)
  const data = join(folder, 'data with a space')
  const started = start('npm', ['run', 'dev'], { MALIPO_FOLDER: data, XDG_STATE_HOME: join(folder, 'state'), ...env })
  t.after(() => started.child.kill('SIGKILL'))
  return { ...started, folder, data }
}

const exitOf = async (child: ChildProcess) => (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]

/** Processes with the folder in their command line or environment. */
function left(folder: string): string[] {
  const listed = execFileSync('ps', ['-eo', 'pid,args'], { encoding: 'utf8' })
  return listed
    .split('\n')
    .filter((line) => line.includes(folder) && !line.includes(script) && !line.includes('ps -eo'))
}

/** The processes of a stack with its data there. */
const pidsIn = (folder: string) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.pid'))
    .map((name) => Number(readFileSync(join(folder, name), 'utf8')))

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

async function nothingIsLeft(folder: string): Promise<void> {
  await until(
    'every process to end and every file to go',
    () => left(folder).length === 0 && readdirSync(folder).length === 0,
  )
}

test('the command gets all it needs, its exit code is passed on, and nothing is left behind', async (t) => {
  const check = `
    for name in MALIPO_URL MALIPO_PUBLIC_KEY MALIPO_API_KEY MALIPO_PUBLIC_KEY_2 MALIPO_API_KEY_2 \\
      MALIPO_PUBLIC_KEY_LIVE MALIPO_API_KEY_LIVE MALIPO_OPERATOR_PUBLIC_KEY MALIPO_OPERATOR_API_KEY \\
      DATABASE_URL NATS_URL; do
      [ -n "$(printenv $name)" ] || exit 1
    done
    ls "$TMPDIR" | grep -q malipo-stack || exit 2
    exit 7`
  const { child, folder, output } = startStack(t, ['sh', '-c', check])

  assert.deepEqual(await exitOf(child), [7, null], output())
  await nothingIsLeft(folder)
})

test('the databases of a stack are durable: fsync and checksums are on', async (t) => {
  const asked = `import pg from 'pg'; const c = new pg.Client(process.env.DATABASE_URL); await c.connect()
    for (const n of ['fsync','full_page_writes','synchronous_commit','data_checksums']) console.log(n, Object.values((await c.query('show '+n)).rows[0])[0])
    await c.end()`
  const { child, output } = startStack(t, [process.execPath, '--input-type=module', '-e', asked])

  assert.deepEqual(await exitOf(child), [0, null], output())
  assert.equal(output().trim(), 'fsync on\nfull_page_writes on\nsynchronous_commit on\ndata_checksums on')
})

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  test(`${signal} ends the command and the stack, and nothing is left behind`, async (t) => {
    const { child, folder, output } = startStack(t, ['sh', '-c', 'echo up; exec sleep 600'])
    await until('the command to run', () => output().includes('up'))
    assert.ok(left(folder).length >= 2)

    child.kill(signal)

    assert.deepEqual(await exitOf(child), [signal === 'SIGINT' ? 130 : 143, null], output())
    await nothingIsLeft(folder)
  })
}

test('the stack reports a killed command by its exit code, and leaves nothing behind', async (t) => {
  const { child, folder } = startStack(t, ['sh', '-c', 'kill -KILL $$'])

  assert.deepEqual(await exitOf(child), [137, null])
  await nothingIsLeft(folder)
})

test('even kill -9 of the stack itself leaves nothing behind', async (t) => {
  const { child, folder, output } = startStack(t, ['sh', '-c', 'echo up; exec sleep 5'])
  await until('the command to run', () => output().includes('up'))

  child.kill('SIGKILL')

  await exitOf(child)
  await nothingIsLeft(folder)
})

test('the stack reports a command that does not exist', async (t) => {
  const { child, output, folder } = startStack(t, ['no-such-program'])

  assert.deepEqual(await exitOf(child), [127, null])
  assert.match(output(), /no-such-program could not be started/)
  await nothingIsLeft(folder)
})

test('on a machine without the servers, the stack names the package to install', async (t) => {
  const empty = mkdtempSync(join(tmpdir(), 'malipo-no-programs-'))
  t.after(() => rmSync(empty, { recursive: true }))
  const { findProgram } = await import('../packages/server/src/dev-stack/processes.ts')

  assert.throws(() => findProgram('no-such-server', [empty], 'no-such-package'), /apt-get install no-such-package/)
})

const without = { MALIPO_NATS_SERVER: join(tmpdir(), 'no-such-nats-server') }

test('without NATS the stack says so in one line, and a charge still ends and sends its webhook', async (t) => {
  const story = `
    import { createServer } from 'node:http'
    const { MALIPO_URL, MALIPO_PUBLIC_KEY, MALIPO_API_KEY, NATS_URL } = process.env
    if (NATS_URL !== '') throw new Error('there is a NATS at ' + NATS_URL)
    let notify
    const hooks = new Promise((resolve) => { notify = resolve })
    const server = createServer(async (request, response) => {
      const { data } = JSON.parse(Buffer.concat(await request.toArray()).toString())
      response.end()
      if (data.status === 'successful') notify(data.externalReference)
    }).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const call = async (method, path, body, headers) => (await fetch(MALIPO_URL + '/api/b2b' + path, {
      method, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) })).json()
    const { token } = await call('POST', '/auth/generate-bearer-token', { publicKey: MALIPO_PUBLIC_KEY }, { 'api-key': MALIPO_API_KEY })
    const authorization = 'Bearer ' + token
    await call('PUT', '/users', { sandboxWebhookUrl: 'http://127.0.0.1:' + server.address().port }, { authorization })
    await call('POST', '/fiat/deposit/momo', { amount: 100, currency: 'KES', phoneNumber: '+254703456789', externalReference: 'r1' }, { authorization })
    console.log('notified of ' + await hooks)
    server.close()
    server.closeAllConnections()`
  const { child, folder, output } = startStack(t, [process.execPath, '--input-type=module', '-e', story], without)

  assert.deepEqual(await exitOf(child), [0, null], output())
  assert.match(output(), /notified of r1/)
  assert.equal(output().match(/nats-server is not installed: .+/g)?.length, 1)
  await nothingIsLeft(folder)
})

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  test(`npm run dev ends with everything it started on ${signal}, and frees its port`, async (t) => {
    const port = await freePort()
    const { child, data, output } = startDev(t, { MALIPO_PORT: String(port), ...without })
    await until('it to greet', () => output().includes('In another window'), { timeoutMs: 60_000 })
    assert.equal((await fetch(`http://127.0.0.1:${port}/health/ready`)).status, 200)
    assert.match(output(), /nats-server is not installed/)
    assert.match(
      output(),
      /Starting Malipo on port \d+.*\n +[\d.]+ s {2}starting PostgreSQL.*\n +[\d.]+ s {2}migrating.*\n +[\d.]+ s {2}starting api.*\n +[\d.]+ s {2}ready\n/,
    )
    const pids = pidsIn(data)
    assert.equal(pids.length, 4, 'postgres, simulator, api and worker')

    child.kill(signal)

    await exitOf(child)
    await until('every process to end', () => !pids.some(isAlive) && left(data).length === 0)
    assert.equal(await isListening(port), false)
    assert.deepEqual(
      readdirSync(data).filter((name) => name.endsWith('.pid')),
      [],
    )
  })
}

test('npm run dev ends when its npm is killed', async (t) => {
  const port = await freePort()
  const { child, data, output } = startDev(t, { MALIPO_PORT: String(port), ...without })
  await until('it to greet', () => output().includes('In another window'), { timeoutMs: 60_000 })
  const pids = pidsIn(data)

  child.kill('SIGKILL')

  await until('every process to end', () => !pids.some(isAlive) && left(data).length === 0)
  assert.equal(await isListening(port), false)
})

test('npm run dev on a requested port that is taken names the setting, and starts nothing', async (t) => {
  const { port, close } = await occupy(0)
  t.after(close)
  const { child, folder, output } = startDev(t, { MALIPO_PORT: String(port) })

  assert.notDeepEqual(await exitOf(child), [0, null])
  assert.match(output(), new RegExp(`Port ${port} is taken.+MALIPO_PORT`))
  assert.deepEqual(readdirSync(folder), [])

  const nonsense = startDev(t, { MALIPO_PORT: 'eighty' })
  assert.notDeepEqual(await exitOf(nonsense.child), [0, null])
  assert.match(nonsense.output(), /MALIPO_PORT is eighty, which is not a port/)
})

test('npm run dev takes another port when its default is taken, and says how to choose', async (t) => {
  const { close } = await occupy(8080)
  t.after(close)
  const { child, data, output } = startDev(t, without)
  await until('it to greet', () => output().includes('In another window'), { timeoutMs: 60_000 })
  const [, other] = /Port 8080 is taken; using (\d+) instead. Set MALIPO_PORT/.exec(output()) ?? []

  assert.equal((await fetch(`http://127.0.0.1:${other}/health/ready`)).status, 200)
  const pids = pidsIn(data)
  child.kill('SIGTERM')
  await exitOf(child)
  await until('every process to end', () => !pids.some(isAlive))
})

/** Listens on a port, unless another process already does. */
async function occupy(wanted: number): Promise<{ port: number; close: () => void }> {
  const server = createServer().listen(wanted, '127.0.0.1')
  await once(server, 'listening').catch(() => undefined)
  const address = server.address()
  return { port: address && typeof address === 'object' ? address.port : wanted, close: () => void server.close() }
}
