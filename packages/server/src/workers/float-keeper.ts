import type { Context } from '../context.ts'
import { floatLevels } from '../ledger/float-marks.ts'

/** Reports the floats that have a low-water mark. Series of removed marks end. */
export async function reportFloats({ db, metrics }: Pick<Context, 'db' | 'metrics'>): Promise<void> {
  const marked = (await floatLevels(db.write)).filter(({ mark }) => mark !== null)
  metrics.floatBelowMark.reset()
  for (const { env, provider, country, currency, amount, mark } of marked)
    metrics.floatBelowMark.set({ env, provider, country, currency }, mark !== null && amount < mark ? 1 : 0)
}
