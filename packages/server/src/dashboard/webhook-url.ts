import { Type } from 'typebox'
import type { Bearer } from '../auth/bearer.ts'
import { bearerOf } from '../auth/request-bearer.ts'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import type { App } from '../http/app.ts'
import { readProfile } from '../users/profile.ts'
import { updateProfile } from '../users/update.ts'
import { closed, dataOf } from './schema.ts'

const WebhookUrl = Type.Object({ url: Type.String({ maxLength: 2048, description: 'Empty when not set' }) }, closed)
const tags = ['Webhooks']

/** Where events of the environment go. In the merchant API it is part of the profile, which also shows balances. */
export function webhookUrlRoutes(app: App, ctx: Context): void {
  app.get(
    '/webhook-url',
    {
      config: { errors: ['USER_MISSING'] },
      schema: { summary: 'Show the webhook URL', tags, response: { 200: dataOf(WebhookUrl) } },
    },
    async (request) => ({ success: true as const, data: await urlOf(ctx, bearerOf(request)) }),
  )

  app.put(
    '/webhook-url',
    {
      config: { errors: ['USER_MISSING'] },
      schema: {
        summary: 'Set the webhook URL',
        description: 'An empty one ends deliveries.',
        tags,
        body: WebhookUrl,
        response: { 200: dataOf(WebhookUrl) },
      },
    },
    async (request) => {
      const bearer = bearerOf(request)
      const { url } = request.body
      await updateProfile(ctx, bearer, bearer.env === 'live' ? { webhookUrl: url } : { sandboxWebhookUrl: url })
      return { success: true as const, data: await urlOf(ctx, bearer) }
    },
  )
}

async function urlOf({ db }: Context, bearer: Bearer): Promise<{ url: string }> {
  const profile = await readProfile(db.read, bearer)
  if (!profile) throw new AppError('USER_MISSING')
  return { url: bearer.env === 'live' ? profile.webhook_url : profile.sandbox_webhook_url }
}
