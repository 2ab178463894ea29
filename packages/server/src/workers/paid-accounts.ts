import type { Context } from '../context.ts'
import { queryProvider, resolveSent } from '../payments/dispatch/dispatch.ts'
import { takeTurn } from '../payments/dispatch/lane-budget.ts'
import { claimEndedAccounts, forgetAccount } from '../payments/dispatch/paid-accounts.ts'
import { laneOf } from '../payments/dispatch/timers.ts'
import type { Transaction } from '../payments/model/store.ts'
import { timing } from '../payments/resolve/timing.ts'

const pageMax = 50

/**
 * Queries the accounts of paid charges one last time after they end. Money that came in but was never reported to us is booked as
 * late. One process claims each account and queries it in parallel with the others of its page, so that a provider that does not
 * respond delays only its own accounts.
 */
export async function pollPaidAccounts(ctx: Context): Promise<void> {
  const charges = await claimEndedAccounts(ctx.db.write, { limit: pageMax, seconds: timing.paidAccountClaimMs / 1000 })
  await Promise.all(
    charges.map((charge) =>
      pollAccount(ctx, charge).catch((err: unknown) =>
        ctx.log.warn({ err, transaction: charge.id }, 'paid account not queried, will be retried'),
      ),
    ),
  )
}

/** A provider without a turn left, or that does not respond, is queried again later. */
async function pollAccount(ctx: Context, charge: Transaction): Promise<void> {
  const { id, env, provider } = charge
  const { write } = ctx.db
  const rates = ctx.connectors[env].get(provider) ?? { requestsPerSecond: 1 }
  const payment = { transaction: charge, attempt: { number: charge.attempt } }
  const isMyTurn = await takeTurn(write, laneOf(env, provider), rates)
  const found = isMyTurn ? await queryProvider(ctx, payment) : undefined
  if (!found || found.observation.kind === 'unclear') return
  await resolveSent(ctx, payment, found, 'query')
  await forgetAccount(write, id)
}
