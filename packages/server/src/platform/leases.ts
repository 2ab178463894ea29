import { randomUUID } from 'node:crypto'
import { type Db, sql } from './db.ts'

/** Work that one process at a time does for the whole cell. */
export interface Lease {
  /** Whether this process has the work now, for `holdMs` from now on. */
  hold(): Promise<boolean>
  /** Lets another process take over at once. */
  release(): Promise<void>
}

export function createLease(db: Db, name: 'cell_metrics' | 'retention', holdMs: number): Lease {
  const self = randomUUID()
  return {
    hold: async () => {
      const held = await db.query(sql`
        update leases
        set held_by = ${self}, held_until = now() + ${`${holdMs} milliseconds`}::interval
        where name = ${name}
          and (held_by = ${self} or held_until < now())
        returning name`)
      return held.length > 0
    },
    release: async () => {
      await db.query(sql`update leases set held_until = '-infinity' where name = ${name} and held_by = ${self}`)
    },
  }
}
