import type { Db } from '../platform/db.ts'
import type { Vault } from '../platform/seal.ts'

export interface SealedRow {
  /** Its position in the order of its column. */
  readonly id: string
  /** The key that seals it. */
  readonly key: string
  /** The sealed value, if it is not sealed as the newest key does. */
  readonly sealed: string | null
}

export interface Move {
  readonly id: string
  readonly before: string
  readonly after: string
  /** Of each hashed part of the value, its hashes under every key, the newest first; empty without any. */
  readonly hashes: readonly (readonly string[])[]
}

/** A column of sealed values, with reads and changes that are safe while other processes write. */
export interface SealedColumn {
  readonly name: string
  contextOf(id: string): string
  /** Of each part of the value that is stored hashed: its hashes under every key, the newest first. */
  hashesOf?(vault: Vault, plain: string): string[][]
  /** The rows after one, in order, under any key. The first page starts after the empty text. */
  page(db: Db, wanted: Wanted): Promise<SealedRow[]>
  /**
   * Changes the rows that have not changed since. Skips rows locked by others, so that it never waits while it holds locks
   * itself. Returns the changed rows.
   */
  replace(db: Db, moves: readonly Move[]): Promise<{ id: string }[]>
}

export interface Wanted {
  readonly after: string
  readonly limit: number
  /** Matches values sealed as the newest key does. */
  readonly newest: string
}

export const firstId = '00000000-0000-0000-0000-000000000000'
export const idAfter = ({ after }: Wanted) => after || firstId
export const split = (moves: readonly Move[]) => ({
  ids: moves.map(({ id }) => id),
  befores: moves.map(({ before }) => before),
  afters: moves.map(({ after }) => after),
})
