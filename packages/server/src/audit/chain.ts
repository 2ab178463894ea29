import { createHash } from 'node:crypto'

/** A row of `audit_entries` as its hash covers it: the time in microseconds, the detail as the database prints it. */
export interface ChainedEntry {
  readonly chain: number
  readonly number: bigint
  readonly previous_hash: Buffer
  readonly id: string
  readonly at_us: bigint
  readonly actor_kind: string
  readonly actor: string
  readonly actor_name: string
  readonly action: string
  readonly result: string
  readonly merchant_id: string | null
  readonly env: string | null
  readonly subject: string
  readonly detail: string
  readonly reason: string | null
  readonly request_id: string | null
  readonly address: string | null
  readonly user_agent: string | null
  readonly role: string | null
  readonly strength: string | null
  readonly hash: Buffer
}

/** In the order of `canonical_audit` in migration 0011. */
const covered = [
  'chain',
  'number',
  'previous_hash',
  'id',
  'at_us',
  'actor_kind',
  'actor',
  'actor_name',
  'action',
  'result',
  'merchant_id',
  'env',
  'subject',
  'detail',
  'reason',
  'request_id',
  'address',
  'user_agent',
  'role',
  'strength',
] as const satisfies readonly (keyof ChainedEntry)[]

/** The hash that an entry must have. Computed here and not by the database, whose functions a superuser can replace. */
export function hashOfEntry(entry: Omit<ChainedEntry, 'hash'>): Buffer {
  return createHash('sha256')
    .update(covered.map((name) => fieldOf(entry[name])).join(''))
    .digest()
}

/** A value with its length in bytes before it, as `audit_field` in migration 0011 makes it. */
function fieldOf(value: Buffer | bigint | number | string | null): string {
  if (value === null) return '-'
  const text = Buffer.isBuffer(value) ? value.toString('hex') : String(value)
  return `${Buffer.byteLength(text)}:${text}`
}
