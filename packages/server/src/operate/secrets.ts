import { setTimeout as pause } from 'node:timers/promises'
import { recordAudit } from '../audit/record.ts'
import { countHashes } from '../auth/credentials.ts'
import { fingerprintsKeptDays, type KnownKey, listKeys, noteKeys, retireKeys } from '../platform/secret-keys.ts'
import type { Desk } from './operator-context.ts'
import { type Move, type SealedColumn, type SealedRow, sealedColumns } from './sealed-columns.ts'

/** A secret key, and what is in the database under it. */
export interface SecretKeyView {
  readonly key: string
  readonly isConfigured: boolean
  /** The first one writes. */
  readonly isNewest: boolean
  /** Sealed values and API keys under it, by where they are. */
  readonly values: Readonly<Record<string, number>>
  /** Whether a process had it as its first key in the last half hour. */
  readonly isWrittenWith: boolean
  /** Until then requests of before may be sent again, and are recognised by this key only. */
  readonly neededUntil: string
  /** Nothing is under it, no process writes with it, and the time is over. */
  readonly isRemovable: boolean
}

export interface ResealOrder {
  /** Called after each piece of a column. */
  readonly onPiece?: (progress: Progress) => void
  readonly signal?: AbortSignal
}

interface Progress {
  readonly column: string
  readonly read: number
  readonly moved: number
}

export interface Resealed {
  /** The key that everything is under now. */
  readonly key: string
  readonly moved: Readonly<Record<string, number>>
  /** What is not under it yet: changed or locked by others meanwhile, or not to be opened. Run it again. */
  readonly left: Readonly<Record<string, number>>
  readonly keys: readonly SecretKeyView[]
}

const pieceRows = 500
const passesMax = 3
const pauseMaxMs = 1000
/** Each process notes its first key every ten minutes. */
const noticeMs = 30 * 60_000
const apiKeys = 'credentials.api_key_hash'

/** Reads every sealed value once. */
export async function listSecretKeys(desk: Desk): Promise<SecretKeyView[]> {
  const found: Counts = new Map()
  for (const column of sealedColumns)
    for await (const rows of pieces(desk, column)) for (const { key } of rows) add(found, key, column.name)
  return views(desk, found)
}

/**
 * Moves every sealed value to the newest key while processes work: piece by piece, each value only if it is still what it was. It
 * takes at most half of one connection's time. Interrupted, it is run again and finds what is left. API keys are hashed: they
 * move when they are next exchanged for a token.
 */
export async function reseal(desk: Desk, order: ResealOrder): Promise<Resealed> {
  const [key] = desk.vault.keyIds
  await noteKeys(desk.db.write, desk.vault)
  const audit = (action: string, detail: object) =>
    desk.db.write.transaction((tx) =>
      recordAudit(tx, desk.cell, { actor: desk.actor, action, subject: key, detail: { ...detail } }),
    )
  await audit('secrets.reseal_started', {})
  const found: Counts = new Map()
  const moved: Record<string, number> = {}
  const left: Record<string, number> = {}
  for (const column of sealedColumns) {
    const result = await resealColumn(desk, column, order)
    if (result.moved > 0) moved[column.name] = result.moved
    if (result.left > 0) left[column.name] = result.left
    for (const [id, count] of result.keys) add(found, id, column.name, count)
  }
  const keys = await views(desk, found)
  const retired = keys.filter(({ isNewest, values }) => !isNewest && Object.keys(values).length === 0)
  const names = retired.map((view) => view.key)
  await retireKeys(desk.db.write, names)
  await audit('secrets.resealed', { moved, left, retired: names })
  return { key, moved, left, keys }
}

/** Goes through a column until nothing is left to move, or others keep changing it. */
async function resealColumn(desk: Desk, column: SealedColumn, order: ResealOrder): Promise<Pass> {
  let moved = 0
  for (let number = 1; ; number += 1) {
    const pass = await passThrough(desk, column, (read, movedNow) => {
      order.onPiece?.({ column: column.name, read, moved: moved + movedNow })
      order.signal?.throwIfAborted()
    })
    moved += pass.moved
    if (pass.left === 0 || number === passesMax) return { ...pass, moved }
  }
}

interface Pass {
  readonly moved: number
  readonly left: number
  /** How many values each key has now. */
  readonly keys: ReadonlyMap<string, number>
}

async function passThrough(
  desk: Desk,
  column: SealedColumn,
  onPiece: (read: number, moved: number) => void,
): Promise<Pass> {
  const [newest] = desk.vault.keyIds
  const keys = new Map<string, number>()
  let [read, moved, left] = [0, 0, 0]
  for await (const rows of pieces(desk, column)) {
    const old = rows.filter(({ sealed }) => sealed !== null)
    const ids = new Set((await moveRows(desk, column, old)).map(({ id }) => id))
    for (const { id, key } of rows) {
      const now = ids.has(id) ? newest : key
      keys.set(now, (keys.get(now) ?? 0) + 1)
    }
    read += rows.length
    moved += ids.size
    left += old.length - ids.size
    onPiece(read, moved)
  }
  return { moved, left, keys }
}

async function* pieces({ db, vault }: Desk, column: SealedColumn): AsyncGenerator<readonly SealedRow[]> {
  let after: string | undefined = ''
  while (after !== undefined) {
    const startedAt = performance.now()
    const rows: SealedRow[] = await column.page(db.write, { after, limit: pieceRows, newest: vault.newestPattern })
    if (rows.length > 0) yield rows
    after = rows.length < pieceRows ? undefined : rows.at(-1)?.id
    await pause(Math.min(performance.now() - startedAt, pauseMaxMs))
  }
}

type Moved = readonly { readonly id: string }[]

async function moveRows(desk: Desk, column: SealedColumn, rows: readonly SealedRow[]): Promise<Moved> {
  const moves = rows.flatMap((row) => moveOf(desk, column, row) ?? [])
  return moves.length === 0 ? [] : replaceAll(desk, column, moves)
}

/** Nothing when it does not open: its key is not configured, or it was changed by hand. It is reported as left. */
function moveOf({ vault }: Desk, column: SealedColumn, { id, sealed }: SealedRow): Move | undefined {
  const context = column.contextOf(id)
  try {
    const plain = vault.open(sealed ?? '', context)
    const hash = column.hashOf?.(vault, plain) ?? ''
    return { id, before: sealed ?? '', after: vault.seal(plain, context), hash }
  } catch {
    return undefined
  }
}

/** Two living accounts with one number, which a race under two keys could make, keep their hashes: the others move. */
async function replaceAll(desk: Desk, column: SealedColumn, moves: readonly Move[]): Promise<Moved> {
  try {
    return await column.replace(desk.db.write, moves)
  } catch (error) {
    if ((error as { code?: string }).code !== '23505') throw error
    if (moves.length === 1) return []
    const middle = Math.ceil(moves.length / 2)
    const first = await replaceAll(desk, column, moves.slice(0, middle))
    return [...first, ...(await replaceAll(desk, column, moves.slice(middle)))]
  }
}

type Counts = Map<string, Record<string, number>>

function add(counts: Counts, key: string, name: string, count = 1): void {
  const values = counts.get(key) ?? {}
  values[name] = (values[name] ?? 0) + count
  counts.set(key, values)
}

/** Every key that is configured, known to the database, or found; in the order of the configuration. */
async function views({ db, vault: { keyIds } }: Desk, found: Counts): Promise<SecretKeyView[]> {
  for (const { key, count } of await countHashes(db.write)) add(found, key, apiKeys, count)
  const known = new Map((await listKeys(db.write)).map((each) => [each.id, each]))
  const names = new Set([...keyIds, ...known.keys(), ...found.keys()])
  return [...names].map((key) => viewOf(keyIds, key, found.get(key) ?? {}, known.get(key)))
}

function viewOf(
  keyIds: readonly string[],
  key: string,
  values: Readonly<Record<string, number>>,
  known: KnownKey | undefined,
): SecretKeyView {
  const isNewest = key === keyIds[0]
  const usedMs = known?.used_at.getTime() ?? Date.now()
  const neededMs = usedMs + fingerprintsKeptDays * 86_400_000
  const isWrittenWith = Date.now() - usedMs < noticeMs
  return {
    key,
    isConfigured: keyIds.includes(key),
    isNewest,
    values,
    isWrittenWith,
    neededUntil: new Date(neededMs).toISOString(),
    isRemovable: !isNewest && Object.keys(values).length === 0 && Date.now() > neededMs,
  }
}
