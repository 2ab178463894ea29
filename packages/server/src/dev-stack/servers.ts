import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { createDatabase, login } from './database.ts'
import { startNats } from './nats.ts'
import { startPostgres } from './postgres.ts'
import { guardFolder, makeFolder } from './processes.ts'

/** What a test file needs to know about the servers of its run. */
interface Servers {
  readonly adminUrl: string
  readonly loginPassword: string
  readonly natsUrl: string
}

const variable = 'MALIPO_TEST_SERVERS'
const template = 'malipo_template'

/** One PostgreSQL and one NATS for a whole test run, with a migrated template database. */
export async function startTestServers(
  folder: string,
): Promise<{ exports: Record<string, string>; stop(): Promise<void> }> {
  const guard = guardFolder(makeFolder(folder), { isKept: false })
  const postgres = await startPostgres(folder, { fsync: 'off', full_page_writes: 'off' }) // Nothing outlives the run.
  const nats = await startNats(folder)
  const loginPassword = randomBytes(24).toString('hex')
  await createDatabase(postgres, template, loginPassword)
  const servers: Servers = { adminUrl: postgres.urlOf('postgres'), loginPassword, natsUrl: nats.url }
  return {
    exports: { [variable]: JSON.stringify(servers) },
    stop: async () => {
      await nats.stop()
      await postgres.stop()
      await guard.dismiss()
    },
  }
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
  const setting = process.env[variable]
  assert(setting, 'start the tests with npm test -- FILE…: it brings up the servers they need')
  const { adminUrl, loginPassword, natsUrl } = JSON.parse(setting) as Servers
  const name = `test_${randomBytes(6).toString('hex')}`
  await run(adminUrl, `create database ${name} template ${template}`)
  const url = new URL(adminUrl)
  url.pathname = name
  const superuserUrl = url.href
  url.username = login
  url.password = loginPassword
  return { superuserUrl, loginUrl: url.href, natsUrl }
}

async function run(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(statement)
  await client.end()
}
