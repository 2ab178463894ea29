import { every } from './every.ts'
import type { Site } from './site.ts'

/** The open payments at a moment of this process's clock. */
export interface Sample {
  readonly at: number
  readonly open: number
  /** How long the oldest due payment has been due. */
  readonly lateMs: number
  /** Shown ids of payments that no worker polled within a minute after they were due. */
  readonly forgotten: readonly string[]
}

export interface Watch {
  readonly samples: readonly Sample[]
  stop(): Promise<void>
}

const pollEveryMs = 400
/** Longer than any fault, so no fault excuses it. */
export const dueBeforeMs = 60_000

/** Open payments in the database at one moment. */
export type Found = {
  readonly open: number
  readonly late: number | null
  readonly forgotten: readonly string[] | null
  /** Refunds that waited for an earlier one of their charge and need not wait any longer. */
  readonly turns: readonly string[] | null
}

/** Reads the database directly, past every proxy. While it is down there are no samples. */
export function watchPayments(site: Site): Watch {
  const samples: Sample[] = []
  const turns = watchTurns()
  const watch = every(pollEveryMs, async () => {
    const [found] = await site.ask<Found>(foundSql, [dueBeforeMs / 1000])
    if (!found) return
    const at = performance.now()
    const missed = turns.missed(found.turns ?? [], at)
    samples.push({ at, open: found.open, lateMs: found.late ?? 0, forgotten: [...(found.forgotten ?? []), ...missed] })
  })
  return { samples, stop: watch.stop }
}

/** A refund waits only while an earlier one is open. It is due from then on, although its time to wake is long past. */
export const foundSql = `
  with open as (
    select id, wake_at, doubt = 'earlier_refund' as is_in_line, exists (
      select from refund_totals r join transactions earlier on earlier.id = r.turn_of
      where t.doubt = 'earlier_refund' and r.charge_id = t.related_transaction_id
        and earlier.id <> t.id and earlier.state not in ('successful', 'failed')
    ) as waits
    from transactions t where state not in ('successful', 'failed')
  )
  select count(*)::int as open,
    (extract(epoch from record_time() - min(wake_at) filter (where not is_in_line)) * 1000)::float8 as late,
    array_agg(id::text) filter (
      where not is_in_line and (wake_at is null or wake_at < record_time() - make_interval(secs => $1))
    ) as forgotten,
    array_agg(id::text) filter (where is_in_line and not waits) as turns
  from open`

/** Remembers since when each refund has had its turn. */
export function watchTurns() {
  let since = new Map<string, number>()
  return {
    /** Of these refunds, those that have had their turn for too long. */
    missed(ids: readonly string[], at: number): string[] {
      since = new Map(ids.map((id) => [id, since.get(id) ?? at]))
      return ids.filter((id) => at - (since.get(id) ?? at) >= dueBeforeMs)
    },
  }
}

interface Forgotten {
  readonly id: string
  /** The first and the last time it was seen overdue. */
  readonly from: number
  readonly to: number
}

/** Payments that no worker polled in time, and when. */
export function forgottenIn(samples: readonly Sample[]): Forgotten[] {
  const found = new Map<string, Forgotten>()
  for (const { at, forgotten } of samples)
    for (const id of forgotten) found.set(id, { id, from: found.get(id)?.from ?? at, to: at })
  return [...found.values()]
}
