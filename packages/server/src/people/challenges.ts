import { randomBytes } from 'node:crypto'
import { databaseTimeMs } from '../platform/clock.ts'
import { type Db, sql } from '../platform/db.ts'
import { newId } from '../platform/ids.ts'
import type { PeopleContext } from './people-context.ts'

export type Purpose = 'sign_in' | 'step_up' | 'passkey' | 'invitation' | 'oidc'

const browserPurpose = 'browser'
const contextOf = (id: string) => `challenges.content ${id}`

/** The value of the cookie that binds a browser's challenges to it. */
export const newBrowserId = () => randomBytes(32).toString('base64url')

interface NewChallenge {
  /** From {@link newChallengeId}; otherwise one is made. */
  readonly id?: string
  readonly browser: string
  readonly purpose: Purpose
  readonly content: Readonly<Record<string, unknown>>
  /** How long it can be answered; 5 minutes unless set. */
  readonly minutes?: number
}

export const newChallengeId = async (db: Db, { cell }: PeopleContext) => newId(await databaseTimeMs(db), cell)

/** Stores what the browser must answer in time. Returns the id that the answer must name. Old ones are deleted. */
export async function createChallenge(
  db: Db,
  context: PeopleContext,
  { browser, purpose, content, minutes = 5, ...given }: NewChallenge,
): Promise<string> {
  const { vault } = context
  const id = given.id ?? (await newChallengeId(db, context))
  await db.query(sql`
    with old as (
      delete from challenges
      where (select pg_try_advisory_xact_lock(hashtextextended('old challenges', 0)))
        and id in (select id from challenges where expires_at < record_time() limit 100)
    )
    insert into challenges (id, browser_hash, purpose, content, expires_at)
    values (${id}, ${vault.hash(browser, browserPurpose)}, ${purpose},
      ${vault.seal(JSON.stringify(content), contextOf(id))}, record_time() + make_interval(mins => ${minutes}))`)
  return id
}

/**
 * Takes a challenge out: it is gone whether its answer turns out right or wrong, so call it outside of the transaction that checks
 * the answer. Undefined when it was answered before, is too old, or belongs to another browser or purpose.
 */
export async function takeChallenge<Content>(
  db: Db,
  { vault }: PeopleContext,
  { id, browser, purpose }: { readonly id: string; readonly browser: string; readonly purpose: Purpose },
): Promise<Content | undefined> {
  if (!/^[0-9a-f-]{36}$/.test(id) || browser === '' || browser.length > 100) return undefined
  const [taken] = await db.query<{ content: string; is_late: boolean }>(sql`
    delete from challenges
    where id = ${id}::uuid
      and purpose = ${purpose}
      and browser_hash = any (${vault.hashes(browser, browserPurpose)}::text[])
    returning content, expires_at <= record_time() as is_late`)
  if (!taken || taken.is_late) return undefined
  return JSON.parse(vault.open(taken.content, contextOf(id))) as Content
}
