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

/** Reads the database directly, past every proxy. While it is down there are no samples. */
export function watchPayments(site: Site): Watch {
  const samples: Sample[] = []
  const watch = every(pollEveryMs, async () => {
    const [found] = await site.ask<{ open: number; late: number | null; forgotten: string[] | null }>(
      `select count(*)::int as open,
         (extract(epoch from record_time() - min(wake_at)) * 1000)::float8 as late,
         array_agg(id::text) filter (where wake_at is null or wake_at < record_time() - make_interval(secs => $1)) as forgotten
       from transactions where state not in ('successful', 'failed')`,
      [dueBeforeMs / 1000],
    )
    if (found)
      samples.push({
        at: performance.now(),
        open: found.open,
        lateMs: found.late ?? 0,
        forgotten: found.forgotten ?? [],
      })
  })
  return { samples, stop: watch.stop }
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
