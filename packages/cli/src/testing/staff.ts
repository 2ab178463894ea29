import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { testDatabase } from '../../../server/src/dev-stack/servers.ts'
import { peopleContext } from '../../../server/src/people/people-context.ts'
import { openSession } from '../../../server/src/people/sessions.ts'
import type { Malipo } from '../../../server/src/testing/malipo.ts'
import { headersOf, type PersonOptions, type TestPerson, testPerson } from '../../../server/src/testing/people.ts'
import { saveSession } from '../operator-access.ts'
import { commandLine, type Seen } from './command-line.ts'

/** A member of the operator's staff who has logged in on a machine with a home folder of its own. */
export interface Staff {
  readonly person: TestPerson
  readonly variables: Readonly<Record<string, string>>
  run(...args: string[]): Promise<Seen>
}

export async function openStaff(
  t: TestContext,
  malipo: Malipo,
  options: PersonOptions = { operator: ['admin'] },
): Promise<Staff> {
  const home = mkdtempSync(join(tmpdir(), 'malipo-staff-'))
  t.after(() => rmSync(home, { recursive: true }))
  const person = await testPerson(malipo, { ...options, kind: 'cli' })
  const variables = { HOME: home }
  saveLogin(variables, malipo, person)
  return { person, variables, run: commandLine(variables) }
}

/** Saves the session of a person in the home folder, as `malipo login --operator` does. */
export function saveLogin(variables: Readonly<Record<string, string>>, { url }: Malipo, { token }: TestPerson): void {
  const cli = { variables, actor: '', write: () => undefined, writeError: () => undefined }
  saveSession(cli, 'default', { url, token })
}

/** A browser in which the same person signed in just now. */
export async function browserOf({ ctx, call }: Malipo, { person_id }: TestPerson): Promise<Pick<TestPerson, 'call'>> {
  const client = { address: '127.0.0.1', userAgent: 'test' }
  const { token } = await ctx.db.write.transaction((tx) =>
    openSession(tx, peopleContext(ctx), { ...client, person_id, kind: 'browser', strength: 'passkey' }),
  )
  const headers = headersOf(ctx, 'browser', token)
  return { call: (method, path, body) => call(method, path, headers, body) }
}

/** The settings of an installation's own machine, for the commands that work on its database. */
export async function installationOf({ secrets }: Pick<Malipo, 'secrets'>): Promise<Record<string, string>> {
  const { loginUrl, superuserUrl, natsUrl } = await testDatabase()
  return { DATABASE_URL: loginUrl, DATABASE_OWNER_URL: superuserUrl, NATS_URL: natsUrl, ...secrets }
}
