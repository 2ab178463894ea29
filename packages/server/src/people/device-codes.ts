import { randomBytes, randomInt } from 'node:crypto'
import { recordAudit } from '../audit/record.ts'
import { AppError } from '../errors.ts'
import { databaseTimeMs } from '../platform/clock.ts'
import { type Db, sql, type Tx, type WriteDb } from '../platform/db.ts'
import { newId, showId } from '../platform/ids.ts'
import type { Vault } from '../platform/seal.ts'
import type { PeopleContext } from './people-context.ts'
import { actorById, actorOf, type Principal } from './principal.ts'
import { type Client, openSession, type SignInStrength } from './sessions.ts'

/** Letters and digits that are not mistaken for each other, and make no words. */
const alphabet = 'BCDFGHJKLMNPQRSTVWXZ'
const userCodeLength = 8
const devicePurpose = 'device code'
const userPurpose = 'user code'
const liveSeconds = 600
const pollSeconds = 3

export interface StartedDevice {
  /** The command line's secret, for polling. */
  readonly deviceCode: string
  /** What the person reads in the terminal and types in the browser. */
  readonly userCode: string
  readonly expiresIn: number
  readonly interval: number
}

/** Starts the sign-in of a command line. Old codes are deleted. */
export async function startDevice(db: Db, { cell, vault }: PeopleContext, client: Client): Promise<StartedDevice> {
  const id = newId(await databaseTimeMs(db), cell)
  const deviceCode = randomBytes(32).toString('base64url')
  const letters = Array.from({ length: userCodeLength }, () => alphabet.charAt(randomInt(alphabet.length))).join('')
  await db.query(sql`
    with old as (
      delete from device_codes
      where id in (
        select id from device_codes where expires_at < record_time() - interval '1 day' limit 100 for update skip locked
      )
    )
    insert into device_codes (id, device_hash, user_hash, address, user_agent)
    values (${id}, ${vault.hash(deviceCode, devicePurpose)}, ${vault.hash(letters, userPurpose)}, ${client.address}::inet,
      ${client.userAgent})`)
  const userCode = `${letters.slice(0, 4)}-${letters.slice(4)}`
  return { deviceCode, userCode, expiresIn: liveSeconds, interval: pollSeconds }
}

export interface WaitingDevice {
  readonly id: string
  readonly address: string
  readonly user_agent: string
  readonly created_at: Date
}

/** The command line that waits under a code, for the person to compare before approving. */
export async function findDevice(db: Db, vault: Vault, userCode: string): Promise<WaitingDevice> {
  const [found] = await db.query<WaitingDevice>(sql`
    select id, host(address) as address, user_agent, created_at
    from device_codes
    where user_hash = any (${vault.hashes(plain(userCode), userPurpose)}::text[])
      and decided_at is null
      and expires_at > record_time()
    order by id desc
    limit 1`)
  if (!found) throw new AppError('DEVICE_CODE_INVALID')
  return found
}

const plain = (userCode: string) => userCode.toUpperCase().replaceAll(/[^A-Z]/g, '')

/** Approves or denies a waiting command line, once. */
export async function decideDevice(
  tx: Tx,
  { cell, vault }: PeopleContext,
  principal: Principal,
  { userCode, isApproved }: { readonly userCode: string; readonly isApproved: boolean },
): Promise<void> {
  const { id, address } = await findDevice(tx, vault, userCode)
  const decided = await tx.query(sql`
    update device_codes
    set decided_at = record_time(),
      session_id = ${principal.session_id ?? null}::uuid,
      is_approved = ${isApproved}
    where id = ${id}
      and decided_at is null
      and expires_at > record_time()
    returning id`)
  if (decided.length === 0) throw new AppError('DEVICE_CODE_INVALID')
  await recordAudit(tx, cell, {
    actor: actorOf(principal),
    action: isApproved ? 'device.approve' : 'device.deny',
    subject: principal.id,
    detail: { address },
  })
}

interface Polled {
  readonly id: string
  readonly is_approved: boolean | null
  readonly session_id: string | null
  readonly is_over: boolean
}

interface Approving {
  readonly person_id: string
  readonly strength: SignInStrength
  readonly proved_at: Date | null
}

/**
 * Exchanges an approved code for the command line's session, once. Its presence was proved when the approving session last proved it.
 * Refused as pending, denied, or invalid: unknown, expired, used, or approved in a session or by a person that has ended since.
 */
export async function exchangeDevice(
  db: WriteDb,
  context: PeopleContext,
  { deviceCode, client }: { readonly deviceCode: string; readonly client: Client },
): Promise<{ readonly token: string; readonly person: string }> {
  return db.transaction(async (tx) => {
    const code = await lockDevice(tx, context.vault, deviceCode)
    if (!code || code.is_over) throw new AppError('DEVICE_CODE_INVALID')
    if (code.is_approved === null) throw new AppError('DEVICE_CODE_PENDING')
    if (!code.is_approved) throw new AppError('DEVICE_CODE_DENIED')
    const approving = await findApproving(tx, code.session_id)
    if (!approving) throw new AppError('DEVICE_CODE_INVALID')
    const { person_id, strength } = approving
    await tx.query(sql`
      update device_codes
      set used_at = record_time()
      where id = ${code.id}`)
    const session = { ...client, ...approving, kind: 'cli' } as const
    const { id, token } = await openSession(tx, context, session)
    const person = showId('person', person_id)
    const detail = { session: showId('session', id), strength, kind: 'cli', address: client.address }
    await recordAudit(tx, context.cell, {
      actor: actorById(person),
      action: 'session.sign_in',
      subject: person,
      detail,
    })
    return { token, person }
  })
}

/** The lock lets one of several polls of an approved code succeed. */
async function lockDevice(tx: Tx, vault: Vault, deviceCode: string): Promise<Polled | undefined> {
  if (deviceCode.length > 100) return undefined
  const [found] = await tx.query<Polled>(sql`
    select id, is_approved, session_id, used_at is not null or expires_at <= record_time() as is_over
    from device_codes
    where device_hash = any (${vault.hashes(deviceCode, devicePurpose)}::text[])
    for update`)
  return found
}

/** A statement of its own: joined to the locked row, it would see the sessions as of before the wait for the lock. */
async function findApproving(tx: Tx, sessionId: string | null): Promise<Approving | undefined> {
  const [found] = await tx.query<Approving>(sql`
    select s.person_id, s.strength, s.proved_at
    from sessions s
    join people p on p.id = s.person_id
    where s.id = ${sessionId}::uuid
      and s.ended_at is null
      and s.ends_at > record_time()
      and p.disabled_at is null`)
  return found
}
