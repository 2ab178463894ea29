import type { Environment } from '../platform/db.ts'
import { readId, showId } from '../platform/ids.ts'
import { sendAgain } from '../webhooks/store.ts'
import { existing, merchantId } from './merchants.ts'
import { audited, type OperatorContext, OperatorError } from './operator-context.ts'

export interface ResendOrder {
  readonly env: Environment
  /** As merchants see it: `wh_…`. */
  readonly webhook: string
  readonly reason: string
}

export interface ResentWebhook {
  readonly webhook: string
}

/** Sends a merchant's webhook again, with the same id and body, to the current URL. */
export async function resendWebhook(
  context: OperatorContext,
  shownMerchantId: string,
  { env, webhook, reason }: ResendOrder,
): Promise<ResentWebhook> {
  const merchant_id = merchantId(shownMerchantId)
  const id = readId('webhook', webhook)
  if (id === undefined) throw new OperatorError(`${webhook} is not a webhook id; they look like wh_0193…`)
  const resent = await audited(context, async (tx) => {
    await existing(tx, merchant_id)
    const resent = await sendAgain(tx, { merchant_id, env }, id)
    if (resent === 'no record')
      throw new OperatorError(`${showId('merchant', merchant_id)} has no webhook ${webhook} in ${env}`)
    if (resent === 'disabled') throw new OperatorError(`The merchant disabled the endpoint of ${webhook}`)
    if (resent === 'no endpoint') throw new OperatorError(`The endpoint of ${webhook} was deleted`)
    return { result: { webhook }, entry: { action: 'webhook.resend', merchant_id, env, subject: webhook, reason } }
  })
  context.wakeups.wake('webhooks')
  return resent
}
