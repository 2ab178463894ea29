import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { exitCodes } from '../packages/cli/src/exit-codes.ts'
import { serverUser } from '../packages/server/src/dev-stack/postgres.ts'
import { freePort } from '../packages/server/src/dev-stack/processes.ts'
import { until } from '../packages/server/src/dev-stack/until.ts'
import { ask } from '../packages/server/src/testing/malipo.ts'
import { type Cell, openCell } from './support/cluster/cell.ts'
import { type OwnServers, startOwnServers } from './support/cluster/own-servers.ts'

const root = join(import.meta.dirname, '..')
const drill = join(root, 'deploy/pgbackrest/restore-drill')

interface Backups {
  readonly folder: string
  readonly servers: OwnServers
  readonly cell: Cell
  /** Runs pgBackRest as the user of PostgreSQL. */
  backrest(...args: string[]): void
  runDrill(...args: string[]): { readonly status: number | null; readonly output: string }
}

/** A PostgreSQL that archives with the configuration of deploy/pgbackrest, and a machine for the drill beside it. */
async function openBackups(t: TestContext): Promise<Backups> {
  const folder = mkdtempSync(join(tmpdir(), 'malipo-drill-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const user = serverUser()
  if (user) chownSync(folder, user.uid, user.gid)
  // The command needs the folder of the data, which is known after the start; pgBackRest connects through the socket.
  const archiving = { archive_mode: 'on', archive_command: undefined, unix_socket_directories: folder }
  const servers = await startOwnServers(t, { settings: archiving })
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

  const cell = openCell(t, servers, {})
  const settings = { ...env, ...cell.secrets, MALIPO_DATABASE: 'story', MALIPO_DRILL_PORT: String(await freePort()) }
  const runDrill = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(drill, args, { cwd: folder, encoding: 'utf8', env: settings })
    return { status, output: stdout + stderr }
  }
  return { folder, servers, cell, backrest, runDrill }
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
  const malipo = join(folder, 'malipo')
  writeFileSync(malipo, `#!/bin/sh\nexec '${process.execPath}' '${join(root, 'packages/cli/src/main.ts')}' "$@"\n`)
  chmodSync(malipo, 0o755)
  return path
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
  const { folder, servers, cell, backrest, runDrill } = await openBackups(t)
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

    const { status, output } = runDrill(target, now?.at ?? '')

    assert.equal(status, 0, output)
    assert.match(output, new RegExp(`The books agree: ${expected} transfers`))
    assert.match(output, /the last entry of the ledger: \d{4}-/)
    assert.deepEqual(readdirSync(target), [])
    t.diagnostic(output)
  })

  await t.test('restores without a second everything that was archived', () => {
    const { status, output } = runDrill(target)

    assert.equal(status, 0, output)
  })

  await t.test('fails where the archive ends before the second', () => {
    const { status, output } = runDrill(target, '2037-01-01 00:00:00+00')

    assert.equal(status, 1, output)
    assert.match(output, /PostgreSQL ended|did not start/)
    rmSync(target, { recursive: true })
  })

  await t.test('fails at books that disagree, and keeps their data, stopped', async () => {
    await ask(servers.superuserUrl, 'update wallets set credits_posted = credits_posted + 1')
    await archiveAll(servers)

    const { status, output } = runDrill(target)

    assert.equal(status, exitCodes.checkFailed, output)
    assert.match(output, /its transfers add up to/)
    assert.ok(existsSync(join(target, 'data/PG_VERSION')))
    assert.equal(existsSync(join(target, 'data/postmaster.pid')), false)
  })

  await t.test('leaves a folder alone that is not empty', () => {
    const { status, output } = runDrill(target)

    assert.equal(status, 1)
    assert.match(output, /is not empty/)
    assert.ok(existsSync(join(target, 'data/PG_VERSION')))
  })
})
