import { type Environment, sql, type WriteDb } from '../platform/db.ts'
import type { Log } from '../platform/log.ts'
import type { Wakeups, Watch } from '../platform/wakeups.ts'
import type { RequestEntry } from './entry.ts'

/** The log of merchants' requests, as a process writes it: never on the path of a request. */
export interface RequestLog {
  /** Keeps an entry for the next batch, or drops it when there is no room. */
  add(entry: RequestEntry): void
  /** Writes what waits. */
  flush(): Promise<void>
  /** Writes once a second, and at once when a batch is full. Stopping it writes the rest. */
  watch(): Watch
}

interface Options {
  readonly db: WriteDb
  readonly cell: number
  readonly wakeups: Wakeups
  readonly log: Log
  readonly onDropped: (env: Environment, count: number) => void
}

interface Waiting {
  readonly entry: RequestEntry
  readonly addedAt: number
}

interface Share {
  readonly waiting: Waiting[]
  readonly byMerchant: Map<string, number>
}

const everyMs = 1000
const batchMax = 500

/** Entries that may wait. Live and sandbox have their own room, and one merchant gets at most half of it. */
const waitingMax = { live: 4000, sandbox: 2000 } as const
const environments = ['live', 'sandbox'] as const

export function createRequestLog({ db, cell, wakeups, log, onDropped }: Options): RequestLog {
  const shares = { live: newShare(), sandbox: newShare() }
  let wake: () => void = () => undefined
  let writing = Promise.resolve()

  const write = async () => {
    for (const env of environments)
      while (shares[env].waiting.length > 0) {
        const taken = shares[env].waiting.slice(0, batchMax)
        await insert(db, cell, taken).catch((error: Error & { code?: string }) => {
          // Entries that the database refuses would be refused again; any other failure may pass.
          if (!/^2[23]/.test(error.code ?? '')) throw error
          log.warn({ err: error, entries: taken.length }, 'request log entries refused')
          onDropped(env, taken.length)
        })
        remove(shares[env], taken.length)
      }
  }
  /** One after another: two at once would write the same entries. */
  const flush = () => {
    writing = writing.catch(() => undefined).then(write)
    return writing
  }

  return {
    add: (entry) => {
      const share = shares[entry.env]
      const own = share.byMerchant.get(entry.merchant_id) ?? 0
      const max = waitingMax[entry.env]
      if (share.waiting.length >= max || own >= max / 2) return onDropped(entry.env, 1)
      share.waiting.push({ entry, addedAt: performance.now() })
      share.byMerchant.set(entry.merchant_id, own + 1)
      if (share.waiting.length === batchMax) wake()
    },
    flush,
    watch: () => {
      const watch = wakeups.onWake('request_log', everyMs, flush)
      wake = watch.wake
      return {
        stop: async () => {
          await watch.stop()
          await flush().catch((err) => log.warn({ err }, 'request log not written'))
        },
      }
    },
  }
}

const newShare = (): Share => ({ waiting: [], byMerchant: new Map() })

function remove({ waiting, byMerchant }: Share, count: number): void {
  for (const { entry } of waiting.splice(0, count)) {
    const own = (byMerchant.get(entry.merchant_id) ?? 0) - 1
    if (own > 0) byMerchant.set(entry.merchant_id, own)
    else byMerchant.delete(entry.merchant_id)
  }
}

/** The time of record of each entry, and so its id and day, is computed from how long it waited. A crash may lose the commit. */
async function insert(db: WriteDb, cell: number, waiting: readonly Waiting[]): Promise<void> {
  const now = performance.now()
  const of = <Value>(pick: (entry: RequestEntry) => Value) => waiting.map(({ entry }) => pick(entry))
  await db.transaction(async (tx) => {
    await Promise.all([
      tx.query(sql`set local synchronous_commit = off`),
      tx.query(sql`
        with moment as materialized (
          select record_time() as now
        ), added as (
          select now - make_interval(secs => e.waited_ms / 1000) as at, e.*
          from moment, unnest(${waiting.map(({ addedAt }) => now - addedAt)}::float8[], ${of((entry) => entry.merchant_id)}::uuid[],
            ${of((entry) => entry.env)}::text[], ${of((entry) => entry.method)}::text[], ${of((entry) => entry.path)}::text[],
            ${of((entry) => entry.status)}::smallint[], ${of((entry) => entry.error_code)}::text[],
            ${of((entry) => entry.duration_ms)}::int[], ${of((entry) => entry.request_id)}::text[],
            ${of((entry) => entry.credential)}::text[], ${of((entry) => entry.address)}::text[],
            ${of((entry) => entry.transaction_id)}::uuid[], ${of((entry) => entry.body)}::text[])
            as e(waited_ms, merchant_id, env, method, path, status, error_code, duration_ms, request_id, credential, address,
              transaction_id, body)
        )
        insert into request_log (id, merchant_id, env, at, method, path, status, error_code, duration_ms, request_id, credential,
          address, transaction_id, body)
        select (left(id_at(at)::text, 14) || '7' || lpad(to_hex(${cell}::int), 3, '0') || substr(gen_random_uuid()::text, 19))::uuid,
          merchant_id, env, at, method, path, status, error_code, duration_ms, request_id, credential, address, transaction_id,
          body
        from added`),
    ])
  })
}
