import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createDatabase, login } from './database.ts'
import { findKeptServers } from './kept-servers.ts'
import { startNats } from './nats.ts'
import { startPostgres } from './postgres.ts'
import { guardFolder, makeFolder } from './processes.ts'
import { askForServers, type RunningServers, type Servers, socketVariable } from './servers-on-request.ts'
import { runStatements, withClient } from './statements.ts'

const copyAgeMaxMs = 3_600_000

/** One PostgreSQL and one NATS for a whole test run, with a migrated template database. */
export async function startTestServers(folder: string): Promise<RunningServers> {
  const guard = guardFolder(makeFolder(folder), { isKept: false })
  // Nothing outlives the run, and tests that kill a database start their own with the defaults.
  const postgres = await startPostgres(folder, { fsync: 'off', full_page_writes: 'off' })
  const nats = await startNats(folder)
  const server = { adminUrl: postgres.urlOf('postgres'), loginPassword: randomBytes(24).toString('hex') }
  const template = await prepareTemplate(server)
  return {
    servers: { ...server, natsUrl: nats.url, template },
    stop: async () => {
      await nats.stop()
      await postgres.stop()
      await guard.dismiss()
    },
  }
}

/** The servers of `npm run test:servers` if they run, or new ones in the folder. */
export async function findOrStartServers(folder: string): Promise<RunningServers> {
  const kept = await findKeptServers()
  if (kept === undefined) return startTestServers(folder)
  await dropOldCopies(kept.adminUrl)
  return { servers: { ...kept, template: await prepareTemplate(kept) }, stop: async () => undefined }
}

/** Its name has the digest of the migrations, so that kept servers make another template when a migration changes. */
async function prepareTemplate({ adminUrl, loginPassword }: Omit<Servers, 'natsUrl' | 'template'>): Promise<string> {
  const name = `malipo_template_${digestOfMigrations()}`
  const urlOf = (database: string) => urlIn(adminUrl, database)
  await withClient(adminUrl, async (admin) => {
    await admin.query(`select pg_advisory_lock(hashtext('malipo template'))`) // Two runs may start at once.
    const { rowCount } = await admin.query('select from pg_database where datname = $1', [name])
    if (rowCount !== 0) return
    const unfinished = `${name}_unfinished`
    await admin.query(`drop database if exists ${unfinished}`)
    await createDatabase(
      { urlOf, run: (database, ...all) => runStatements(urlOf(database), all) },
      unfinished,
      loginPassword,
    )
    await admin.query(`alter database ${unfinished} rename to ${name}`)
  })
  return name
}

function digestOfMigrations(): string {
  const folder = join(import.meta.dirname, '../../migrations')
  const hash = createHash('sha256')
  for (const name of readdirSync(folder).sort()) hash.update(name).update(readFileSync(join(folder, name)))
  return hash.digest('hex').slice(0, 12)
}

/** Kept servers would otherwise keep the database of every test file. One that is in use stays. */
async function dropOldCopies(adminUrl: string): Promise<void> {
  const names = await withClient(adminUrl, async (admin) => {
    const { rows } = await admin.query<{ datname: string }>(`select datname from pg_database where datname ~ '^test_'`)
    return rows.map(({ datname }) => datname)
  })
  const isOld = (name: string) => Date.now() - Number.parseInt(name.split('_')[1] ?? '', 36) > copyAgeMaxMs
  for (const name of names.filter(isOld))
    await runStatements(adminUrl, [`drop database if exists ${name}`]).catch(() => undefined)
}

/** The database of one test file. */
export interface TestDatabase {
  /** As the superuser, who may do anything. */
  readonly superuserUrl: string
  /** As the login of the service's processes. */
  readonly loginUrl: string
  readonly natsUrl: string
}

let copy: Promise<TestDatabase> | undefined

/** This test file's copy of the template, created at the first call. It ends with the run's server. */
export function testDatabase(): Promise<TestDatabase> {
  copy ??= makeCopy()
  return copy
}

async function makeCopy(): Promise<TestDatabase> {
  const { adminUrl, loginPassword, natsUrl, template } = await findServers()
  const name = `test_${Date.now().toString(36)}_${randomBytes(4).toString('hex')}`
  await runStatements(adminUrl, [`create database ${name} template ${template}`])
  const superuserUrl = urlIn(adminUrl, name)
  const url = new URL(superuserUrl)
  url.username = login
  url.password = loginPassword
  return { superuserUrl, loginUrl: url.href, natsUrl }
}

/** The servers of the run that started this process. Without a run, as in `node --test FILE`, those of `npm run test:servers`. */
async function findServers(): Promise<Servers> {
  const path = process.env[socketVariable]
  const found = path === undefined ? await findKeptServers() : await askForServers(path)
  assert(found, 'this test needs servers: run it with npm test -- FILE, or run npm run test:servers first')
  return found
}

function urlIn(adminUrl: string, database: string): string {
  const url = new URL(adminUrl)
  url.pathname = database
  return url.href
}
