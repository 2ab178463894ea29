import { recordAudit } from '../audit/record.ts'
import { auditOf, type Bearer } from '../auth/bearer.ts'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { defaultEndpointId } from '../events/endpoint-tables.ts'
import { replaceSecret } from '../merchants/endpoints.ts'
import { makeWebhookSecret, sealWebhookSecret } from '../merchants/webhook-secret.ts'
import { nameMerchants } from '../platform/named-merchants.ts'

/** Creates a new signing secret for the default endpoint of the token's environment. It is shown only this once. */
export async function rotateWebhookSecret(ctx: Context, bearer: Bearer): Promise<string> {
  const secret = makeWebhookSecret()
  const { merchant_id, env } = bearer
  const endpoint = { merchant_id, env, endpoint_id: defaultEndpointId }
  await ctx.db.write.transaction(async (tx) => {
    await nameMerchants(tx, [merchant_id])
    if (!(await replaceSecret(tx, endpoint, sealWebhookSecret(ctx.vault, endpoint, secret))))
      throw new AppError('USER_MISSING')
    await recordAudit(tx, ctx.config.cell, auditOf(bearer, 'webhook-secret.rotate'))
  })
  return secret
}
