import type { Context } from '../context.ts'
import { sampleRates } from '../reference/rates.ts'

/** Keeps the exchange rates of both environments fresh, where somebody quotes them. */
export async function keepRates(ctx: Context): Promise<void> {
  const sampler = { db: ctx.db.write, log: ctx.log }
  for (const env of ['live', 'sandbox'] as const) {
    const errand = { operation: 'rates', country: '*', currency: '*', target: '*' } as const
    const [connector] = ctx.routing.providersOf(env, errand)
    if (connector) await sampleRates(sampler, env, connector, ctx.reference.pairs)
  }
}
