import { AppError } from '../errors.ts'
import { databaseTimeMs } from '../platform/clock.ts'
import type { Db, Tx } from '../platform/db.ts'
import { qrCode } from '../platform/qr-code.ts'
import type { Vault } from '../platform/seal.ts'
import type { Passwords } from './passwords.ts'
import { type Person, replaceHash, setPassword, useTotpStep } from './store.ts'
import { makeTotpSecret, stepOfCode, totpUri } from './totp.ts'

export const passwordContext = (personId: string) => `people.password_hash ${personId}`
export const totpContext = (personId: string) => `people.totp_secret ${personId}`

interface Needs {
  readonly db: Db
  readonly vault: Vault
  readonly passwords: Passwords
}

interface Sent {
  readonly password: string
  readonly code: string
}

export interface Checked {
  readonly isPasswordRight: boolean
  /** Password and code are right, and the code is used up. */
  readonly isRight: boolean
}

/**
 * Checks a password and a code. Costs the same for an unknown person, for one without a password, and for a wrong password: one
 * argon2 computation and one read of the clock.
 */
export async function checkPassword(needs: Needs, person: Person | undefined, sent: Sent): Promise<Checked> {
  const { db, vault, passwords } = needs
  const { id, password_hash, totp_secret } = person?.disabled_at === null ? person : nothing
  const hash = password_hash === null ? undefined : vault.open(password_hash, passwordContext(id))
  const [isPasswordRight, atMs] = await Promise.all([passwords.matches(sent.password, hash), databaseTimeMs(db)])
  if (!isPasswordRight || hash === undefined || totp_secret === null) return { isPasswordRight: false, isRight: false }
  const step = stepOfCode(vault.open(totp_secret, totpContext(id)), sent.code, atMs)
  const isRight = step !== undefined && (await useTotpStep(db, id, step))
  if (isRight && !passwords.isCurrent(hash)) await storeHash(needs, { id, from: password_hash }, sent.password)
  return { isPasswordRight, isRight }
}

const nothing = { id: '', password_hash: null, totp_secret: null }

/** Stores the hash of today's cost, unless the password was changed meanwhile. */
async function storeHash(
  { db, vault, passwords }: Needs,
  { id, from }: { readonly id: string; readonly from: string | null },
  password: string,
): Promise<void> {
  await replaceHash(db, { id, from, to: vault.seal(await passwords.hash(password), passwordContext(id)) })
}

export interface TotpSetup {
  /** In base 32, to type into an authenticator app. */
  readonly secret: string
  readonly uri: string
  /** The same as a QR code; missing for an e-mail address that is too long for one. */
  readonly qr?: { readonly size: number; readonly path: string }
  /** Holds the secret, sealed, until a code proves that the app has it. */
  readonly ticket: string
}

const ticketMs = 15 * 60_000
const ticketContext = (owner: string) => `people.totp_ticket ${owner}`

/** A new secret for an authenticator app. Nothing is stored: the ticket brings it back. `owner` is a person or an invitation. */
export async function startTotp(
  db: Db,
  vault: Vault,
  { owner, email }: { readonly owner: string; readonly email: string },
): Promise<TotpSetup> {
  const secret = makeTotpSecret()
  const content = JSON.stringify({ secret, atMs: await databaseTimeMs(db) })
  const uri = totpUri(secret, email, 'Malipo')
  const modules = qrCode(uri)
  const qr = modules && { size: modules.length, path: pathOf(modules) }
  return { secret, uri, ...(qr && { qr }), ticket: vault.seal(content, ticketContext(owner)) }
}

/** The dark modules as an SVG path, each a square of one unit. */
const pathOf = (modules: readonly (readonly boolean[])[]) =>
  modules.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : []))).join('')

interface NewPassword extends Sent {
  readonly owner: string
  readonly person_id: string
  readonly ticket: string
}

/** Stores a password and an authenticator app, whose first code proves that it works and is used up. */
export async function addPassword(
  tx: Tx,
  { vault, hash }: { readonly vault: Vault; readonly hash: string },
  { owner, person_id: id, ticket, code }: Omit<NewPassword, 'password'>,
): Promise<void> {
  const atMs = await databaseTimeMs(tx)
  const secret = secretIn(vault, ticket, owner, atMs)
  const step = secret === undefined ? undefined : stepOfCode(secret, code, atMs)
  if (secret === undefined || step === undefined) throw new AppError('CODE_REFUSED')
  await setPassword(tx, {
    id,
    password_hash: vault.seal(hash, passwordContext(id)),
    totp_secret: vault.seal(secret, totpContext(id)),
  })
  await useTotpStep(tx, id, step)
}

function secretIn(vault: Vault, ticket: string, owner: string, atMs: number): string | undefined {
  try {
    const content = JSON.parse(vault.open(ticket, ticketContext(owner))) as { secret: string; atMs: number }
    return atMs - content.atMs < ticketMs ? content.secret : undefined
  } catch {
    return undefined // Not a ticket of this owner.
  }
}
