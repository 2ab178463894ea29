import { recordAudit } from '../audit/record.ts'
import { auditOf, type Bearer } from '../auth/bearer.ts'
import type { Context } from '../context.ts'
import { AppError, type Detail, invalid } from '../errors.ts'
import { setDefaultUrl } from '../merchants/endpoints.ts'
import { rename } from '../merchants/store.ts'
import { urlProblem } from '../merchants/webhook-url.ts'
import type { Environment } from '../platform/db.ts'
import { nameMerchants } from '../platform/named-merchants.ts'

/** The fields that a merchant may change; omitted fields stay as they are. */
export interface ProfileChange {
  readonly firstName?: string
  readonly lastName?: string
  readonly webhookUrl?: string
  readonly sandboxWebhookUrl?: string
}

/** Changes the profile and audits it in one transaction. A token changes only the URL of its own environment. */
export async function updateProfile(ctx: Context, bearer: Bearer, change: ProfileChange): Promise<void> {
  const url = urlOfOwnEnvironment(bearer.env, change)
  refuseUnreadable('firstName', change.firstName)
  refuseUnreadable('lastName', change.lastName)
  await ctx.db.write.transaction(async (tx) => {
    await nameMerchants(tx, [bearer.merchant_id])
    const names = { first_name: change.firstName, last_name: change.lastName }
    if (!(await rename(tx, bearer.merchant_id, names))) throw new AppError('USER_MISSING')
    if (url !== undefined) await setDefaultUrl(tx, bearer, url)
    await recordAudit(tx, ctx.config.cell, auditOf(bearer, 'profile.update', change))
  })
}

/** A name is one line of visible text. */
function refuseUnreadable(field: string, name: string | undefined): void {
  if (name === undefined || (/\S/.test(name) && !/\p{Cc}/u.test(name))) return
  throw invalid([{ field, message: `${field} must be one line of printable text` }])
}

function urlOfOwnEnvironment(env: Environment, { webhookUrl, sandboxWebhookUrl }: ProfileChange): string | undefined {
  if (env === 'sandbox' && webhookUrl !== undefined) throw new AppError('LIVE_ONLY')
  if (env === 'live' && sandboxWebhookUrl !== undefined) throw new AppError('SANDBOX_ONLY')
  const [field, url] =
    env === 'live' ? (['webhookUrl', webhookUrl] as const) : (['sandboxWebhookUrl', sandboxWebhookUrl] as const)
  const problem = url ? urlProblem(env, url) : undefined
  if (problem) throw invalid([{ field, message: `${field} ${problem}` } satisfies Detail])
  return url
}
