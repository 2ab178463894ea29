import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { appendFileSync, copyFileSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { createDatabase } from '../../../packages/server/src/dev-stack/database.ts'
import { startNatsNamed } from '../../../packages/server/src/dev-stack/nats.ts'
import { programFolders, serverUser, startPostgres } from '../../../packages/server/src/dev-stack/postgres.ts'
import { findProgram, freePort } from '../../../packages/server/src/dev-stack/processes.ts'
import { runStatements } from '../../../packages/server/src/dev-stack/statements.ts'
import { makeSecrets, openOperator } from '../../../packages/server/src/operate/operator.ts'
import { countStandbys, dropStream, reload, storeStream } from '../../../packages/server/src/testing/server-settings.ts'
import { startOwnServers } from '../cluster/own-servers.ts'
import { startStandby } from '../cluster/standby.ts'

type Variables = Readonly<Record<string, string>>

/** An installation in which nothing is wrong, and what is needed to break it. */
export interface SoundInstallation {
  readonly variables: ReturnType<typeof soundVariables>
  /** URLs of the standby, and of the servers at an address that is not loopback, if this machine has one. */
  readonly standbyUrl: string
  readonly remote: { readonly databaseUrl: string; readonly natsUrl: string } | undefined
  readonly plainNatsUrl: string
  /** From now on the database offers TLS, with this certificate. */
  offerTls(): Promise<{ readonly certificate: string }>
  /** As the superuser. */
  ask(...statements: string[]): Promise<void>
  /** Changes settings of PostgreSQL by a reload, and waits until it uses them. */
  set(settings: Readonly<Record<string, string>>): Promise<void>
  /** The standby stops to follow the primary, or follows it again. */
  follow(isFollowing: boolean): Promise<void>
  /** The login's URL of a copy of the database that these statements changed. */
  changedCopy(...statements: string[]): Promise<string>
  storeStream(storage: 'file' | 'memory'): Promise<void>
  dropStream(): Promise<void>
  /** Starts PostgreSQL again without data checksums; returns its new URL. */
  withoutChecksums(): Promise<string>
}

/** Not passed to PostgreSQL, so that a reload changes them. */
const changeable = { fsync: undefined, full_page_writes: undefined, synchronous_commit: undefined }
const logging = { log_parameter_max_length: undefined, log_parameter_max_length_on_error: undefined }

export async function startSoundInstallation(t: Pick<TestContext, 'after'>): Promise<SoundInstallation> {
  const settings = { shared_buffers: '32MB', listen_addresses: '*', ...changeable, ...logging }
  const servers = await startOwnServers(t, { settings, create: createQuickly })
  const { folder, loginUrl, superuserUrl } = servers
  appendFileSync(join(folder, 'postgres/pg_hba.conf'), 'host all all all scram-sha-256\n')
  const ask = (...statements: string[]) => runStatements(superuserUrl, statements)
  const standby = await startStandby(t, servers.postgres)
  const set = (wanted: Readonly<Record<string, string>>) => reload(superuserUrl, wanted)
  await set({ synchronous_standby_names: '*', log_parameter_max_length: '0' })
  const nats = await startRemoteNats(t, folder, '')
  const lasting = await startRemoteNats(t, folder, `jetstream { store_dir: "${join(folder, 'nats-lasting')}" }`)
  const variables = soundVariables(loginUrl, lasting.url)
  await setFees(variables)
  await ask(`insert into command_results (name, is_good) values ('backup', true)`)
  let primary = servers.postgres
  const follow = async (isFollowing: boolean) => {
    await reload(standby.urlOf('story'), { primary_conninfo: isFollowing ? conninfoOf(primary.urlOf('story')) : '' })
    await countStandbys(primary.urlOf('story'), isFollowing ? 1 : 0)
  }
  return {
    variables,
    standbyUrl: withHost(loginUrl, new URL(standby.urlOf('story')).host),
    remote: remoteOf(loginUrl, lasting.url),
    plainNatsUrl: nats.url,
    offerTls: async () => {
      const certificate = makeCertificate(join(folder, 'postgres'))
      await set({ ssl: 'on' })
      return { certificate }
    },
    ask,
    set,
    follow,
    changedCopy: async (...statements) => {
      await runStatements(primary.urlOf('postgres'), [
        'drop database if exists changed',
        'create database changed template story',
      ])
      await runStatements(primary.urlOf('changed'), statements)
      return withDatabase(loginUrl, 'changed')
    },
    storeStream: (storage) => storeStream(lasting.url, storage),
    dropStream: () => dropStream(lasting.url),
    withoutChecksums: async () => {
      await primary.stop()
      const program = findProgram('pg_checksums', programFolders(), 'postgresql')
      execFileSync(program, ['--disable', '-D', join(folder, 'postgres')], { stdio: 'pipe', ...serverUser() })
      primary = await startPostgres(folder, settings)
      t.after(() => primary.stop())
      await follow(true)
      return withHost(loginUrl, new URL(primary.urlOf('story')).host)
    },
  }
}

/** Nothing of it needs to survive before the tests start. */
const createQuickly: typeof createDatabase = async (postgres, name, password) => {
  await postgres.run('postgres', 'alter system set fsync = off', 'select pg_reload_conf()')
  await createDatabase(postgres, name, password)
  await postgres.run('postgres', 'alter system reset fsync', 'select pg_reload_conf()')
}

/** PostgreSQL reads `server.crt` and `server.key` in its folder; the key must be closed to others. */
function makeCertificate(folder: string): string {
  const files = ['-keyout', 'server.key', '-out', 'server.crt']
  const names = ['-subj', '/CN=malipo', '-addext', 'subjectAltName=IP:127.0.0.1']
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...files, ...names], {
    cwd: folder,
    stdio: 'pipe',
    ...serverUser(),
  })
  const copy = join(folder, '../database-ca.pem')
  copyFileSync(join(folder, 'server.crt'), copy)
  return copy
}

const token = () => randomBytes(24).toString('hex')

function soundVariables(loginUrl: string, natsUrl: string) {
  return {
    ...makeSecrets(new Date()),
    DATABASE_URL: loginUrl,
    NATS_URL: natsUrl,
    MALIPO_PORT: '0',
    MALIPO_PUBLIC_URL: 'https://pay.example.com',
    MALIPO_METRICS_TOKEN: token(),
    MALIPO_PAWAPAY_URL: 'https://api.pawapay.example',
    MALIPO_PAWAPAY_TOKEN: token(),
    MALIPO_PAWAPAY_REQUESTS_PER_SECOND: '50',
  }
}

async function setFees(variables: Variables): Promise<void> {
  const operator = openOperator(variables, 'wanjiru')
  await operator.fees.set({ env: 'live', basisPoints: 0, reason: 'a test' })
  await operator.close()
}

const withHost = (url: string, host: string) => Object.assign(new URL(url), { host }).href
const withDatabase = (url: string, name: string) => Object.assign(new URL(url), { pathname: name }).href

/** The servers under the address of a network card: clients there are not on loopback. */
function remoteOf(databaseUrl: string, natsUrl: string): SoundInstallation['remote'] {
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? [])
  const own = addresses.find(({ family, internal }) => family === 'IPv4' && !internal)?.address
  const at = (url: string) => withHost(url, `${own}:${new URL(url).port}`)
  return own === undefined ? undefined : { databaseUrl: at(databaseUrl), natsUrl: at(natsUrl) }
}

/** It also listens on the network card. */
async function startRemoteNats(t: Pick<TestContext, 'after'>, folder: string, config: string) {
  const port = await freePort()
  const nats = await startNatsNamed({ folder, name: `nats-${port}`, port, config: `host: "0.0.0.0"\n${config}` })
  t.after(() => nats.stop('SIGKILL'))
  return nats
}

function conninfoOf(url: string): string {
  const { hostname, port, username, password } = new URL(url)
  return `host=${hostname} port=${port} user=${username} password=${password}`
}
