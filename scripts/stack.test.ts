import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { until } from '../packages/server/src/testing/until.ts'

const script = join(import.meta.dirname, 'stack.ts')

/** Starts the stack with temporary files in a folder of their own, so that what is left behind can be seen. */
function startStack(t: TestContext, program: string[], env: Record<string, string> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'malipo-stack-test-'))
  execFileSync('chmod', ['711', folder])
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const child = spawn(process.execPath, [script, ...program], { env: { ...process.env, TMPDIR: folder, ...env } })
  const output: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => output.push(String(part)))
  return { child, folder, output: () => output.join('') }
}

const exitOf = async (child: ChildProcess) => (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]

/** Processes that have the folder in their command line or environment. */
function left(folder: string): string[] {
  const listed = execFileSync('ps', ['-eo', 'pid,args'], { encoding: 'utf8' })
  return listed
    .split('\n')
    .filter((line) => line.includes(folder) && !line.includes(script) && !line.includes('ps -eo'))
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
      MALIPO_PUBLIC_KEY_LIVE MALIPO_API_KEY_LIVE DATABASE_URL NATS_URL; do
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

test('a command that is killed is told by its code, and nothing is left behind', async (t) => {
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

test('a command that does not exist is told so', async (t) => {
  const { child, output, folder } = startStack(t, ['no-such-program'])

  assert.deepEqual(await exitOf(child), [127, null])
  assert.match(output(), /no-such-program could not be started/)
  await nothingIsLeft(folder)
})

test('a machine without the servers is told which package to install', async (t) => {
  const empty = mkdtempSync(join(tmpdir(), 'malipo-no-programs-'))
  t.after(() => rmSync(empty, { recursive: true }))
  const { findProgram } = await import('../packages/server/src/testing/processes.ts')

  assert.throws(() => findProgram('no-such-server', [empty], 'no-such-package'), /apt-get install no-such-package/)
})
