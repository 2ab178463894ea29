import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findProgram, freePort, type Service, startService } from './processes.ts'
import { runStatements } from './statements.ts'

/** Our own PostgreSQL on a loopback port, as durable as in production: fsync and checksums are on. */
export interface Postgres extends Service {
  /** The file with the superuser's password. */
  readonly passwordFile: string
  /** The superuser's URL of a database. */
  urlOf(database: string, user?: { name: string; password: string }): string
  /** Runs statements as the superuser. */
  run(database: string, ...statements: string[]): Promise<void>
}

const settings = {
  fsync: 'on',
  full_page_writes: 'on',
  synchronous_commit: 'on',
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '300',
  shared_buffers: '512MB',
  log_parameter_max_length: '0', // Bound values are secrets, also in an error.
  log_parameter_max_length_on_error: '0',
}

/**
 * Starts on the data in the folder, or on new data when the folder has none. A setting that is undefined keeps PostgreSQL's own
 * default, and `alter system` can change it.
 */
export async function startPostgres(
  folder: string,
  over: Readonly<Record<string, string | undefined>> = {},
): Promise<Postgres> {
  const programs = programFolders()
  const server = findProgram('postgres', programs, 'postgresql')
  const user = serverUser()
  const data = join(folder, 'postgres')
  const passwordFile = join(folder, 'postgres.password')
  if (!existsSync(data)) initialise(findProgram('initdb', programs, 'postgresql'), data, passwordFile, user)
  const password = readFileSync(passwordFile, 'utf8')
  const port = await freePort()
  const urlOf: Postgres['urlOf'] = (database, { name, password: secret } = { name: 'postgres', password }) =>
    `postgres://${name}:${secret}@127.0.0.1:${port}/${database}`
  const options = Object.entries({ ...settings, ...over, port }).flatMap(([name, value]) =>
    value === undefined ? [] : ['-c', `${name}=${value}`],
  )
  const isReady = () =>
    runStatements(urlOf('postgres'), ['select 1']).then(
      () => true,
      () => false,
    )
  const service = await startService({
    name: 'postgres',
    command: server,
    args: ['-D', data, ...options],
    folder,
    user,
    isReady,
    env: {},
  })
  return {
    ...service,
    passwordFile,
    stop: (signal = 'SIGINT') => service.stop(signal), // SIGINT: end sessions, then stop cleanly.
    urlOf,
    run: (database, ...statements) => runStatements(urlOf(database), statements),
  }
}

function initialise(initdb: string, data: string, passwordFile: string, user: ServerUser): void {
  mkdirSync(data, { mode: 0o700 })
  writeFileSync(passwordFile, randomBytes(24).toString('hex'), { mode: 0o600 })
  for (const path of [data, passwordFile]) if (user) chownSync(path, user.uid, user.gid)
  try {
    const args = [
      '-D',
      data,
      '-U',
      'postgres',
      '--pwfile',
      passwordFile,
      '-A',
      'scram-sha-256',
      '-E',
      'UTF8',
      '-k',
      '--locale=C',
    ]
    execFileSync(initdb, args, { stdio: 'pipe', ...user })
  } catch (error) {
    rmSync(data, { recursive: true, force: true })
    throw error
  }
}

/** Debian keeps the server programs in one folder per version; newest first. */
export function programFolders(): string[] {
  const root = '/usr/lib/postgresql'
  if (!existsSync(root)) return []
  return readdirSync(root)
    .sort((left, right) => Number(right) - Number(left))
    .map((version) => join(root, version, 'bin'))
}

type ServerUser = { uid: number; gid: number } | undefined

/** PostgreSQL refuses to run as root; as root it runs as the user from its package. */
export function serverUser(): ServerUser {
  if (process.getuid?.() !== 0) return undefined
  const idOf = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  return { uid: idOf('-u'), gid: idOf('-g') }
}
