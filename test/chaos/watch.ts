import { every } from './every.ts'
import type { Site } from './site.ts'

/** How the open payments stood at a moment of this process's watch. */
export interface Sample {
  readonly at: number
  readonly open: number
  /** Of those that nothing holds up with a name: neither their customer nor a doubt. */
  readonly oldestMs: number
  /** Shown ids of those that nobody looked at a minute after they were due. */
  readonly forgotten: readonly string[]
}

export interface Watch {
  readonly samples: readonly Sample[]
  stop(): Promise<void>
}

const lookEveryMs = 400
/** No fault lasts so long, so none excuses it. */
const forgottenSeconds = 60

/** Looks at the database itself, past every proxy. While that is away there is nothing to see. */
export function watchPayments(site: Site): Watch {
  const samples: Sample[] = []
  const watch = every(lookEveryMs, async () => {
    const [found] = await site.ask<{ open: number; oldest: number | null; forgotten: string[] | null }>(
      `select count(*)::int as open,
         (extract(epoch from record_time() - min(created_at) filter (where state <> 'waiting' and doubt = '')) * 1000)::float8
           as oldest,
         array_agg(id::text) filter (where wake_at is null or wake_at < record_time() - make_interval(secs => $1)) as forgotten
       from transactions where state not in ('successful', 'failed')`,
      [forgottenSeconds],
    )
    if (found)
      samples.push({
        at: performance.now(),
        open: found.open,
        oldestMs: found.oldest ?? 0,
        forgotten: found.forgotten ?? [],
      })
  })
  return { samples, stop: watch.stop }
}
