import type { Context } from '../context.ts'
import { ask, settleSent } from '../payments/dispatch/dispatch.ts'
import { takeTurn } from '../payments/dispatch/lane-budget.ts'
import { claimEndedAccounts, forgetAccount } from '../payments/dispatch/paid-accounts.ts'
import { laneOf } from '../payments/dispatch/timers.ts'
import type { Transaction } from '../payments/model/store.ts'

const pageMax = 50
const againSeconds = 15 * 60

/**
 * Asks a last time about accounts of charges that were paid before their accounts ended: what else came in, and got lost on the
 * way to us, is booked as late. Each is claimed by one process and asked about beside the others of its page, so that a provider
 * that does not answer holds up nothing but its own.
 */
export async function lookAtPaidAccounts(ctx: Context): Promise<void> {
  const charges = await claimEndedAccounts(ctx.db.write, { limit: pageMax, seconds: againSeconds })
  await Promise.all(
    charges.map((charge) =>
      lookAt(ctx, charge).catch((err: unknown) =>
        ctx.log.warn(
          { err, transaction: charge.id },
          'a paid account could not be asked about; it is asked about again',
        ),
      ),
    ),
  )
}

/** A provider that has no turn left, or does not answer, is asked again later. */
async function lookAt(ctx: Context, charge: Transaction): Promise<void> {
  const { id, env, provider } = charge
  const { write } = ctx.db
  const rates = ctx.connectors[env].get(provider) ?? { requestsPerSecond: 1 }
  const payment = { transaction: charge, attempt: { number: charge.attempt } }
  const isMyTurn = await takeTurn(write, laneOf(env, provider), rates)
  const found = isMyTurn ? await ask(ctx, payment) : undefined
  if (!found || found.news.kind === 'unclear') return
  await settleSent(ctx, payment, found, 'query')
  await forgetAccount(write, id)
}
