import { randomBytes } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { createDatabase, login } from '../../../packages/server/src/dev-stack/database.ts'
import { type Postgres, startPostgres } from '../../../packages/server/src/dev-stack/postgres.ts'
import {
  findProgram,
  freePort,
  guardFolder,
  isListening,
  makeFolder,
  type Service,
  startService,
} from '../../../packages/server/src/dev-stack/processes.ts'
import type { Ground } from './cell.ts'

/** A PostgreSQL and a NATS for one test, which may kill them. */
export interface OwnServers extends Ground {
  /** Where both store everything, logs included. */
  readonly folder: string
  readonly postgres: Postgres
  /** Password of the processes' login. */
  readonly password: string
}

interface OwnServersOptions {
  /** Creates the database as other code would. */
  readonly create?: typeof createDatabase
  /** PostgreSQL settings; an undefined one can be changed by `alter system`. */
  readonly settings?: Readonly<Record<string, string | undefined>>
}

export async function startOwnServers(
  t: Pick<TestContext, 'after'>,
  { create = createDatabase, settings = {} }: OwnServersOptions = {},
): Promise<OwnServers> {
  const folder = makeFolder(mkdtempSync(join(tmpdir(), 'malipo-story-')))
  const guard = guardFolder(folder, { isKept: false })
  const postgres = await startPostgres(folder, settings)
  const port = await freePort()
  const nats = await startNatsAt(folder, port)
  const password = randomBytes(24).toString('hex')
  await create(postgres, 'story', password)
  t.after(async () => {
    await nats.stop('SIGKILL')
    await postgres.stop()
    await guard.dismiss()
  })
  return {
    folder,
    postgres,
    password,
    superuserUrl: postgres.urlOf('story'),
    loginUrl: postgres.urlOf('story', { name: login, password }),
    natsUrl: `nats://127.0.0.1:${port}`,
  }
}

/** Starts it at the same place, on its stored data. */
export function startNatsAt(folder: string, port: number): Promise<Service> {
  const command = findProgram('nats-server', ['/usr/sbin'], 'nats-server')
  const args = ['--addr', '127.0.0.1', '--port', String(port), '--jetstream', '--store_dir', join(folder, 'nats')]
  return startService({ name: 'nats', command, args, folder, isReady: () => isListening(port), env: {} })
}
