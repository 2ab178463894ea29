import { recordAudit } from '../audit/record.ts'
import { auditOf, type Bearer } from '../auth/bearer.ts'
import type { Context } from '../context.ts'
import { AppError, type Detail, invalid } from '../errors.ts'
import { rename, setEndpointUrl } from '../merchants/store.ts'
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
    if (url !== undefined) await setEndpointUrl(tx, bearer, url)
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

/** What is wrong with a webhook URL; its destination is checked when it is used. */
function urlProblem(env: Environment, text: string): string | undefined {
  if (!URL.canParse(text)) return 'must be a URL such as https://shop.example.com/webhooks'
  if (/[\s\p{Cc}]/u.test(text)) return 'must not contain spaces or line breaks'
  const { protocol, username, password, hash } = new URL(text)
  if (protocol !== 'https:' && !(env === 'sandbox' && protocol === 'http:'))
    return env === 'live' ? 'must start with https://' : 'must start with https:// or http://'
  if (username !== '' || password !== '') return 'must not contain a user name or password'
  if (hash !== '') return 'must not contain a fragment'
  return undefined
}
