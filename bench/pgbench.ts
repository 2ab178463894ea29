import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { programFolders } from '../packages/server/src/dev-stack/postgres.ts'
import { findProgram } from '../packages/server/src/dev-stack/processes.ts'

export interface PgbenchOrder {
  readonly url: string
  readonly script: string
  readonly clients: number
  readonly seconds: number
  readonly variables?: Readonly<Record<string, string>>
  /** Options of its connections, such as `-c role=…`. */
  readonly settings?: string
}

/** Transactions a second that pgbench completes with a script of prepared statements. A failure stops the bench. */
export async function pgbench({
  url,
  script,
  clients,
  seconds,
  variables = {},
  settings = '',
}: PgbenchOrder): Promise<number> {
  const program = findProgram('pgbench', programFolders(), 'postgresql-contrib')
  const { hostname, port, username, password, pathname } = new URL(url)
  const load = ['-n', '-M', 'prepared', '-c', String(clients), '-j', '2', '-T', String(seconds), '-f', script]
  const defined = Object.entries(variables).flatMap(([name, value]) => ['-D', `${name}=${value}`])
  const server = ['-h', hostname, '-p', port, '-U', username, pathname.slice(1)]
  const env = { PATH: process.env['PATH'], PGPASSWORD: password, PGOPTIONS: settings }
  const { stdout } = await promisify(execFile)(program, [...load, ...defined, ...server], { env })
  const [, rate] = /tps = ([\d.]+)/.exec(stdout) ?? []
  if (rate === undefined || !/number of failed transactions: 0 /.test(stdout))
    throw new Error(`pgbench failed:\n${stdout}`)
  return Number(rate)
}
