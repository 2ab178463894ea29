import { recordAudit } from '../audit/record.ts'
import { auditOf, type Bearer } from '../auth/bearer.ts'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { replaceSecret } from '../merchants/store.ts'
import { makeWebhookSecret, sealWebhookSecret } from '../merchants/webhook-secret.ts'
import { nameMerchants } from '../platform/named-merchants.ts'

/** Creates a new signing secret for the token's environment. It is shown only this once. */
export async function rotateWebhookSecret(ctx: Context, bearer: Bearer): Promise<string> {
  const secret = makeWebhookSecret()
  await ctx.db.write.transaction(async (tx) => {
    await nameMerchants(tx, [bearer.merchant_id])
    if (!(await replaceSecret(tx, bearer, sealWebhookSecret(ctx.vault, bearer, secret))))
      throw new AppError('USER_MISSING')
    await recordAudit(tx, ctx.config.cell, auditOf(bearer, 'webhook-secret.rotate'))
  })
  return secret
}
