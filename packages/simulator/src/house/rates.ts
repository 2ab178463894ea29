import type { Call, Reply } from '../dialect.ts'
import { ratesOf } from '../rates.ts'
import { refuse } from './words.ts'

/** Both sides of a pair. */
export function readRate({ core, query }: Call): Reply {
  const base = query.get('base') ?? ''
  const quote = query.get('quote') ?? ''
  const now = core.clock.now()
  const rates = ratesOf(base, quote, now)
  if (rates === undefined) return refuse(404, 'NO_RATE', 'Rate not found.')
  return { status: 200, body: { base, quote, ...rates, at: new Date(now).toISOString() } }
}
