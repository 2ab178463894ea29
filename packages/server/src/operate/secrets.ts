import { setTimeout as pause } from 'node:timers/promises'
import { recordAudit } from '../audit/record.ts'
import { countHashes } from '../auth/credentials.ts'
import { countMachineHashes } from '../people/machines.ts'
import { actorOf } from '../people/principal.ts'
import { idempotencyKeysKeptDays, type KnownKey, listKeys, noteKeys, retireKeys } from '../platform/secret-keys.ts'
import type { OperatorContext } from './operator-context.ts'
import type { Move, SealedColumn, SealedRow } from './sealed-column.ts'
import { sealedColumns } from './sealed-columns.ts'

/** A secret key, and the values in the database under it. */
export interface SecretKeyView {
  readonly key: string
  readonly isConfigured: boolean
  /** The first key, which seals new values. */
  readonly isNewest: boolean
  /** Sealed values and API keys under it, by column. */
  readonly values: Readonly<Record<string, number>>
  /** Whether a process had it as its first key in the last half hour. */
  readonly isWrittenWith: boolean
  /** Until then earlier requests may be repeated, and only this key recognises them. */
  readonly neededUntil: string
  /** Nothing is under it, no process writes with it, and the time has passed. */
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
  /** Values not under it yet: changed or locked meanwhile, or impossible to open. Run it again. */
  readonly left: Readonly<Record<string, number>>
  readonly keys: readonly SecretKeyView[]
}

const pieceRows = 500
const passesMax = 3
const pauseMaxMs = 1000
/** Each process records its first key every ten minutes. */
const noticeMs = 30 * 60_000
const apiKeys = 'credentials.api_key_hash'
const machineKeys = 'machines.api_key_hash'

/** Reads every sealed value once. */
export async function listSecretKeys(context: OperatorContext): Promise<SecretKeyView[]> {
  const found: Counts = new Map()
  for (const column of sealedColumns)
    for await (const rows of pieces(context, column)) for (const { key } of rows) add(found, key, column.name)
  return views(context, found)
}

/**
 * Moves every sealed value to the newest key while processes run: piece by piece, each value only if it is unchanged. It uses at
 * most half of one connection's time. After an interruption, another run moves the rest. API keys are hashed: they move when they
 * are next exchanged for a token.
 */
export async function reseal(context: OperatorContext, order: ResealOrder): Promise<Resealed> {
  const [key] = context.vault.keyIds
  await noteKeys(context.db.write, context.vault)
  const audit = (action: string, detail: object) =>
    context.db.write.transaction((tx) =>
      recordAudit(tx, context.cell, { actor: actorOf(context.principal), action, subject: key, detail: { ...detail } }),
    )
  await audit('secrets.reseal_started', {})
  const found: Counts = new Map()
  const moved: Record<string, number> = {}
  const left: Record<string, number> = {}
  for (const column of sealedColumns) {
    const result = await resealColumn(context, column, order)
    if (result.moved > 0) moved[column.name] = result.moved
    if (result.left > 0) left[column.name] = result.left
    for (const [id, count] of result.keys) add(found, id, column.name, count)
  }
  const keys = await views(context, found)
  const retired = keys.filter(({ isNewest, values }) => !isNewest && Object.keys(values).length === 0)
  const names = retired.map((view) => view.key)
  await retireKeys(context.db.write, names)
  await audit('secrets.resealed', { moved, left, retired: names })
  return { key, moved, left, keys }
}

/** Repeats passes over a column until nothing is left to move, at most three times. */
async function resealColumn(context: OperatorContext, column: SealedColumn, order: ResealOrder): Promise<Pass> {
  let moved = 0
  for (let number = 1; ; number += 1) {
    const pass = await passThrough(context, column, (read, movedNow) => {
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
  context: OperatorContext,
  column: SealedColumn,
  onPiece: (read: number, moved: number) => void,
): Promise<Pass> {
  const [newest] = context.vault.keyIds
  const keys = new Map<string, number>()
  let [read, moved, left] = [0, 0, 0]
  for await (const rows of pieces(context, column)) {
    const old = rows.filter(({ sealed }) => sealed !== null)
    const ids = new Set((await moveRows(context, column, old)).map(({ id }) => id))
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

async function* pieces({ db, vault }: OperatorContext, column: SealedColumn): AsyncGenerator<readonly SealedRow[]> {
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

async function moveRows(context: OperatorContext, column: SealedColumn, rows: readonly SealedRow[]): Promise<Moved> {
  const moves = rows.flatMap((row) => moveOf(context, column, row) ?? [])
  return moves.length === 0 ? [] : replaceAll(context, column, moves)
}

/** Undefined when it does not open: its key is not configured, or the value was changed by hand. It is reported as left. */
function moveOf({ vault }: OperatorContext, column: SealedColumn, { id, sealed }: SealedRow): Move | undefined {
  const context = column.contextOf(id)
  try {
    const plain = vault.open(sealed ?? '', context)
    const hashes = column.hashesOf?.(vault, plain) ?? []
    return { id, before: sealed ?? '', after: vault.seal(plain, context), hashes }
  } catch {
    return undefined
  }
}

/** Two active accounts with one number, possible after a race under two keys, keep their hashes; the others move. */
async function replaceAll(context: OperatorContext, column: SealedColumn, moves: readonly Move[]): Promise<Moved> {
  try {
    return await column.replace(context.db.write, moves)
  } catch (error) {
    if ((error as { code?: string }).code !== '23505') throw error
    if (moves.length === 1) return []
    const middle = Math.ceil(moves.length / 2)
    const first = await replaceAll(context, column, moves.slice(0, middle))
    return [...first, ...(await replaceAll(context, column, moves.slice(middle)))]
  }
}

type Counts = Map<string, Record<string, number>>

function add(counts: Counts, key: string, name: string, count = 1): void {
  const values = counts.get(key) ?? {}
  values[name] = (values[name] ?? 0) + count
  counts.set(key, values)
}

/** Every key that is configured, known to the database, or found, in the order of the configuration. */
async function views({ db, vault: { keyIds } }: OperatorContext, found: Counts): Promise<SecretKeyView[]> {
  for (const { key, count } of await countHashes(db.write)) add(found, key, apiKeys, count)
  for (const { key, count } of await countMachineHashes(db.write)) add(found, key, machineKeys, count)
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
  const neededMs = usedMs + idempotencyKeysKeptDays * 86_400_000
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
