import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { exitCodes } from '../packages/cli/src/exit-codes.ts'
import { createDatabase } from '../packages/server/src/dev-stack/database.ts'
import { serverUser } from '../packages/server/src/dev-stack/postgres.ts'
import { freePort } from '../packages/server/src/dev-stack/processes.ts'
import { until } from '../packages/server/src/dev-stack/until.ts'
import { ask } from '../packages/server/src/testing/malipo.ts'
import { type Cell, openCell } from './support/cluster/cell.ts'
import { type OwnServers, startOwnServers } from './support/cluster/own-servers.ts'

const root = join(import.meta.dirname, '..')
const drill = join(root, 'deploy/pgbackrest/restore-drill')

/** Not 0, which is the default of `malipo`. */
const cellNumber = 7

interface Backups {
  readonly folder: string
  readonly servers: OwnServers
  readonly cell: Cell
  /** Runs pgBackRest as the user of PostgreSQL. */
  backrest(...args: string[]): void
  /** Environment of the drill. */
  readonly settings: Readonly<Record<string, string>>
  runDrill(args: readonly string[], over?: DrillOptions): { readonly status: number | null; readonly output: string }
}

interface DrillOptions {
  readonly settings?: Readonly<Record<string, string>>
  readonly program?: string
  readonly isPostgres?: true
}

/** A PostgreSQL that archives with the configuration of deploy/pgbackrest, and a machine for the drill beside it. */
async function openBackups(t: TestContext): Promise<Backups> {
  const folder = mkdtempSync(join(tmpdir(), 'malipo-drill-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const user = serverUser()
  if (user) chownSync(folder, user.uid, user.gid)
  // The command needs the folder of the data, which is known after the start; pgBackRest connects through the socket.
  const archiving = { archive_mode: 'on', archive_command: undefined, unix_socket_directories: folder }
  const create: typeof createDatabase = (postgres, name, password) =>
    createDatabase(postgres, name, password, cellNumber)
  const servers = await startOwnServers(t, { settings: archiving, create })
  const env = {
    PATH: `${folder}:${process.env['PATH']}`,
    PGBACKREST_CONFIG: writeSettings(folder, servers),
    PGBACKREST_REPO1_CIPHER_PASS: 'of-a-test',
    PGPASSWORD: readFileSync(servers.postgres.passwordFile, 'utf8'),
  }
  const backrest = (...args: string[]) =>
    void execFileSync('pgbackrest', ['--stanza=malipo', ...args], { env, cwd: folder, ...user, stdio: 'pipe' })
  backrest('stanza-create')
  const command = `PGBACKREST_REPO1_CIPHER_PASS=of-a-test pgbackrest --config=${env.PGBACKREST_CONFIG} --stanza=malipo archive-push %p`
  await servers.postgres.run('postgres', `alter system set archive_command = '${command}'`, 'select pg_reload_conf()')

  const cell = openCell(t, servers, { MALIPO_CELL: String(cellNumber) })
  const { MALIPO_SECRET_KEYS = '' } = cell.secrets
  const settings = {
    ...env,
    MALIPO_SECRET_KEYS,
    MALIPO_DATABASE: 'story',
    MALIPO_DRILL_PORT: String(await freePort()),
  }
  const runDrill: Backups['runDrill'] = (args, { settings: over = {}, program = drill, isPostgres } = {}) => {
    const as = isPostgres && user
    const options = { cwd: folder, encoding: 'utf8', env: { ...settings, ...over }, timeout: 60_000, ...as } as const
    const { status, stdout, stderr } = spawnSync(program, args, options)
    return { status, output: stdout + stderr }
  }
  return { folder, servers, cell, backrest, settings, runDrill }
}

/** The configuration of deploy/pgbackrest with the places of this test, and a `malipo` of this tree. */
function writeSettings(folder: string, { superuserUrl, folder: ofServers }: OwnServers): string {
  const path = join(folder, 'pgbackrest.conf')
  const text = readFileSync(join(root, 'deploy/pgbackrest/pgbackrest.conf'), 'utf8')
    .replace('/backup/pgbackrest', join(folder, 'repository'))
    .replace('/var/lib/postgresql/malipo', join(ofServers, 'postgres'))
    .replace('5432', new URL(superuserUrl).port)
    .replace('/var/run/postgresql', folder)
  writeFileSync(path, `${text}[global]\nlock-path=${folder}/lock\nspool-path=${folder}/spool\n`)
  writeProgram(folder, 'malipo', `exec '${process.execPath}' '${join(root, 'packages/cli/src/main.ts')}' "$@"`)
  return path
}

function writeProgram(folder: string, name: string, line: string): void {
  writeFileSync(join(folder, name), `#!/bin/sh\n${line}\n`)
  chmodSync(join(folder, name), 0o755)
}

const isRunning = (id: number) => existsSync(`/proc/${id}`)

/** The segments of WAL in the repository, the oldest first. */
function archivedSegments(folder: string): string[] {
  const all = readdirSync(join(folder, 'repository/archive'), { recursive: true, encoding: 'utf8' })
  return all
    .filter((path) => /\/[0-9A-F]{24}-[^/]+$/.test(path))
    .sort()
    .map((path) => join(folder, 'repository/archive', path))
}

/** Waits until the archive has everything that was committed. */
async function archiveAll({ superuserUrl }: OwnServers): Promise<void> {
  const [row] = await ask<{ name: string }>(superuserUrl, 'select pg_walfile_name(pg_switch_wal()) as name')
  await until('the archive to have everything', async () => {
    const [archiver] = await ask<{ last: string | null }>(
      superuserUrl,
      'select last_archived_wal as last from pg_stat_archiver',
    )
    return row && archiver?.last && archiver.last >= row.name
  })
}

async function nextSecond({ superuserUrl }: OwnServers): Promise<void> {
  const second = async () => {
    const [row] = await ask<{ second: number }>(
      superuserUrl,
      'select extract(epoch from clock_timestamp())::int as second',
    )
    return row?.second ?? 0
  }
  const begun = await second()
  await until('the next second but one', async () => (await second()) > begun + 1)
}

async function transfersIn({ superuserUrl }: OwnServers): Promise<number> {
  const [row] = await ask<{ count: number }>(superuserUrl, 'select count(*)::int as count from transfers')
  return row?.count ?? 0
}

test('the restore drill', { timeout: 300_000 }, async (t) => {
  const { folder, servers, cell, backrest, settings, runDrill } = await openBackups(t)
  const target = join(folder, 'target')

  await t.test('restores to a second, checks the whole ledger, and leaves nothing behind', async (t) => {
    await cell.merchant()
    backrest('--type=full', 'backup')
    await nextSecond(servers) // pgBackRest knows only the whole second in which a backup ended.
    await cell.merchant()
    const expected = await transfersIn(servers)
    const [now] = await ask<{ at: string }>(servers.superuserUrl, 'select clock_timestamp()::text as at')
    await cell.merchant()
    await archiveAll(servers)
    assert.ok((await transfersIn(servers)) > expected)

    const { status, output } = runDrill([target, now?.at ?? ''])

    assert.equal(status, 0, output)
    assert.match(output, new RegExp(`The books agree: ${expected} transfers`))
    assert.match(output, /the last entry of the ledger: \d{4}-/)
    assert.equal(existsSync(target), false)
    t.diagnostic(output)
  })

  await t.test('restores without a second everything that was archived, with the programs of its version', async () => {
    await servers.postgres.run('postgres', 'create database unused')
    await servers.postgres.run('unused', 'create table ledger_batches (at bigint)')
    await archiveAll(servers)
    const programs = join(folder, 'versions')
    const wrong = join(programs, '99/bin')
    mkdirSync(wrong, { recursive: true })
    for (const name of ['postgres', 'pg_ctl', 'psql', 'pg_isready']) writeProgram(wrong, name, 'exit 9')
    const version = readFileSync(join(servers.folder, 'postgres/PG_VERSION'), 'utf8').trim()
    symlinkSync(join('/usr/lib/postgresql', version), join(programs, version))
    const text = readFileSync(drill, 'utf8').replaceAll('/usr/lib/postgresql', programs)
    const program = join(folder, 'drill-of-two-versions')
    writeFileSync(program, text, { mode: 0o755 })

    const { status, output } = runDrill([target], { program })

    assert.equal(status, 0, output)
    assert.match(output, new RegExp(`The books agree: ${await transfersIn(servers)} transfers`))
  })

  await t.test('fails where WAL is missing in the middle of the archive', () => {
    const segments = archivedSegments(folder)
    const missing = segments.at(-2) ?? ''
    renameSync(missing, join(folder, 'missing'))

    const { status, output } = runDrill([target])

    renameSync(join(folder, 'missing'), missing)
    assert.equal(status, 1, output)
    const newest = basename(segments.at(-1) ?? '').slice(0, 24)
    assert.match(output, new RegExp(`WAL is missing: the archive has ${newest}, and recovery ended at 0`))
    rmSync(target, { recursive: true })
  })

  await t.test('fails where the archive ends before the second', () => {
    const { status, output } = runDrill([target, '2037-01-01 00:00:00+00'])

    assert.equal(status, 1, output)
    assert.match(output, /PostgreSQL ended/)
    rmSync(target, { recursive: true })
  })

  await t.test('fails at a ledger without entries, and at a database that is not in the backup', () => {
    const expected = { unused: /the restored ledger has no entry/, absent: /the restored database absent did not/ }

    for (const [name, message] of Object.entries(expected)) {
      const { status, output } = runDrill([target], { settings: { MALIPO_DATABASE: name } })

      assert.equal(status, 1, output)
      assert.match(output, message)
      assert.equal(existsSync(join(target, 'data/postmaster.pid')), false)
      rmSync(target, { recursive: true })
    }
  })

  await t.test('stops PostgreSQL when the recovery takes longer than the limit', () => {
    const { status, output } = runDrill([target], { settings: { MALIPO_DRILL_LIMIT: '0' } })

    assert.equal(status, 1, output)
    assert.match(output, /did not recover in 0 s/)
    assert.equal(existsSync(join(target, 'data/postmaster.pid')), false)
    rmSync(target, { recursive: true })
  })

  for (const signal of ['TERM', 'HUP', 'INT'] as const)
    await t.test(`leaves no process and no file after ${signal}`, async () => {
      const programs = mkdtempSync(join(folder, 'hanging-'))
      const started = join(programs, 'started')
      // Without a database it ends, as the real one does.
      const check = `[ -e '${target}/data' ] || exit 4; echo $$ > '${started}'; exec sleep 600`
      writeProgram(programs, 'malipo', check)
      const env = { ...settings, PATH: `${programs}:${settings['PATH']}` }
      const running = spawn(drill, [target], { cwd: folder, env, stdio: 'ignore' })
      const ended = once(running, 'exit')
      await until('the check to run', () => existsSync(started) && readFileSync(started, 'utf8') !== '')
      const idIn = (path: string) => Number.parseInt(readFileSync(path, 'utf8'), 10)
      const ids = [idIn(started), idIn(join(target, 'data/postmaster.pid'))]
      assert.deepEqual(ids.map(isRunning), [true, true])

      running.kill(`SIG${signal}`)

      assert.deepEqual(await ended, [null, `SIG${signal}`])
      assert.deepEqual(ids.map(isRunning), [false, false])
      assert.equal(existsSync(target), false)
    })

  await t.test('leaves no process and no file after TERM during the restore', async () => {
    const running = spawn(drill, [target], { cwd: folder, env: settings, stdio: 'ignore' })
    const ended = once(running, 'exit')
    await until('the restore to run', () => existsSync(join(target, 'data/base')))

    running.kill('SIGTERM')

    assert.deepEqual(await ended, [null, 'SIGTERM'])
    const processes = execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })
    assert.ok(!processes.includes(target), processes)
    assert.equal(existsSync(target), false)
  })

  await t.test('restores nothing without the keys that the check needs, or with a name that needs quotes', () => {
    const cases = [
      {
        path: target,
        settings: { MALIPO_SECRET_KEYS: '' },
        message: /malipo cannot check the ledger: .*MALIPO_SECRET_KEYS/s,
      },
      ...[..."' #&%+\n"].map((character) => ({
        path: `${target}${character}`,
        settings: {},
        message: /must consist of letters, digits/,
      })),
    ]

    for (const { path, settings, message } of cases) {
      const { status, output } = runDrill([path], { settings })

      assert.equal(status, 1, output)
      assert.match(output, message)
      assert.doesNotMatch(output, /restoring/)
      assert.equal(existsSync(path), false)
    }
  })

  await t.test('fails at books that disagree, and keeps their data, stopped', async () => {
    await ask(servers.superuserUrl, 'update wallets set credits_posted = credits_posted + 1')
    await archiveAll(servers)

    const { status, output } = runDrill([target])

    assert.equal(status, exitCodes.checkFailed, output)
    assert.match(output, /its transfers add up to/)
    assert.match(output, /target is kept/)
    assert.ok(existsSync(join(target, 'data/PG_VERSION')))
    assert.equal(existsSync(join(target, 'data/postmaster.pid')), false)
  })

  await t.test('leaves a folder alone that it did not create, also where it cannot list it', () => {
    const user = serverUser()
    const file = join(target, 'data/PG_VERSION')
    if (user) chownSync(target, user.uid, user.gid)
    chmodSync(target, 0o300)

    const { status, output } = runDrill([target], { isPostgres: true })

    assert.equal(status, 1, output)
    assert.match(output, /the drill makes .*target itself/)
    assert.ok(existsSync(file))
  })
})
