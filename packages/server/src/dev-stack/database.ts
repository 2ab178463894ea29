import { migrate } from '../platform/migrate.ts'
import { Secret } from '../platform/secret.ts'
import type { Postgres } from './postgres.ts'

/** The login of the service's processes: a member of the two roles, with no rights of its own. */
export const login = 'malipo'

/** Creates the migrated database of a cell, and the login that processes use. */
export async function createDatabase(
  postgres: Pick<Postgres, 'run' | 'urlOf'>,
  name: string,
  loginPassword: string,
  cell = 0,
): Promise<void> {
  await postgres.run('postgres', `create database ${name}`)
  await migrate(new Secret(postgres.urlOf(name)), cell)
  await postgres.run(
    name,
    `do $$ begin create role ${login} login noinherit; exception when duplicate_object then null; end $$`,
    `alter role ${login} password '${loginPassword}'`,
    `grant malipo_write, malipo_read to ${login}`,
  )
}
