import type { Context } from '../context.ts'
import { sampleRates } from '../reference/rate-sampling.ts'
import { duePairs, forgetRates, pairStatuses } from '../reference/rate-store.ts'

/** Keeps the exchange rates of both environments fresh, where a provider quotes them. */
export async function keepRates(ctx: Context): Promise<void> {
  const { db, log, metrics, config, reference } = ctx
  const markups = { live: config.liveMarkup, sandbox: config.sandboxMarkup }
  for (const env of ['live', 'sandbox'] as const) {
    const routeQuery = { operation: 'rates', country: '*', currency: '*', target: '*' } as const
    const sources = ctx.routing.providersOf(env, routeQuery)
    if (sources.length === 0) continue
    const limits = { markupBasisPoints: markups[env], jumpPercent: config.rateJumpPercent }
    const due = await duePairs(db.write, env, reference.pairs)
    await sampleRates({ env, db: db.write, log, ...limits }, sources, due)
    await forgetRates(db.write, env)
    const statuses = await pairStatuses(db.write, env, reference.pairs)
    metrics.ratesHeld.set({ env }, statuses.filter(({ held_id }) => held_id !== null).length)
    metrics.ratesTooOld.set({ env }, statuses.filter(({ is_too_old }) => is_too_old).length)
  }
}
