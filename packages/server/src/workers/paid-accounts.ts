import { laneOf } from '../alarms/alarms.ts'
import type { Context } from '../context.ts'
import { ask, settleSent } from '../transactions/dispatch.ts'
import { takeTurn } from '../transactions/lane-budget.ts'
import { askLater, endedAccounts, forgetAccount } from '../transactions/paid-accounts.ts'
import type { Transaction } from '../transactions/store.ts'

const pageMax = 100
const againSeconds = 15 * 60

/**
 * Asks a last time about accounts of charges that were paid before their accounts ended: what else came in, and got lost on the
 * way to us, is booked as late. Two processes may ask about one; each receipt is booked once.
 */
export async function lookAtPaidAccounts(ctx: Context): Promise<void> {
  for (const charge of await endedAccounts(ctx.db.write, pageMax)) await lookAt(ctx, charge)
}

/** A provider that has no turn left, or does not answer, is asked later; nobody waits behind it. */
async function lookAt(ctx: Context, charge: Transaction): Promise<void> {
  const { id, env, provider } = charge
  const { write } = ctx.db
  const rates = ctx.connectors[env].get(provider) ?? { requestsPerSecond: 1 }
  const payment = { transaction: charge, attempt: { number: charge.attempt } }
  const isMyTurn = await takeTurn(write, laneOf(env, provider), rates)
  const found = isMyTurn ? await ask(ctx, payment) : undefined
  if (!found || found.news.kind === 'unclear') return askLater(write, id, againSeconds)
  await settleSent(ctx, payment, found, 'query')
  await forgetAccount(write, id)
}
