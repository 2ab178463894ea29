import { Type } from 'typebox'
import type { Bearer } from '../auth/bearer.ts'
import { bearerOf } from '../auth/request-bearer.ts'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import type { App } from '../http/app.ts'
import { presentProfile } from './present.ts'
import { readProfile } from './profile.ts'
import { rotateWebhookSecret } from './rotate-secret.ts'
import { updateProfile } from './update.ts'

const Wallet = Type.Object({
  currency: Type.String(),
  country: Type.String({ description: 'The scope of a currency that several countries use' }),
  balance: Type.Number({ description: 'available + pending' }),
  available: Type.Number({ description: 'Available balance' }),
  pending: Type.Number({ description: 'Held for pending payouts' }),
})

const CurrencySum = Type.Object({ balance: Type.Number({ description: 'Available balance over all countries' }) })

const UserProfile = Type.Object(
  {
    success: Type.Literal(true),
    firstName: Type.String(),
    lastName: Type.String(),
    email: Type.String(),
    publicKey: Type.String({ description: 'The public key of the pair that the token was issued for' }),
    webhookUrl: Type.String({ description: 'Where live events go; empty when not set' }),
    sandboxWebhookUrl: Type.String({ description: 'Where sandbox events go; empty when not set' }),
    wallets: Type.Array(Wallet),
    owed: Type.Array(
      Type.Object({ currency: Type.String(), country: Type.String(), amount: Type.Number() }, { title: 'Debt' }),
      {
        description:
          'Amount that a provider took back and the wallet could not cover. It is deducted from the next credits of that wallet.',
      },
    ),
  },
  { title: 'UserProfile', patternProperties: { '^[A-Z]{3}Wallet$': CurrencySum } },
)

const Name = Type.String({ minLength: 1, maxLength: 100 })
const Url = Type.String({ maxLength: 2048 })

const ProfileChange = Type.Object(
  {
    firstName: Type.Optional(Name),
    lastName: Type.Optional(Name),
    webhookUrl: Type.Optional({ ...Url, description: 'With a live token only; https; empty to unset' }),
    sandboxWebhookUrl: Type.Optional({ ...Url, description: 'With a sandbox token only; empty to unset' }),
  },
  { additionalProperties: false },
)

const NewSecret = Type.Object(
  {
    success: Type.Literal(true),
    data: Type.Object({ secret: Type.String({ description: '`whsec_…`; shown this once' }) }),
  },
  { title: 'NewWebhookSecret' },
)

const tags = ['User']

/** The merchant's own profile. */
export function userRoutes(app: App, ctx: Context): void {
  profileRoute(app, ctx)
  changeProfileRoute(app, ctx)
  webhookSecretRoute(app, ctx)
}

async function profileOf(ctx: Context, bearer: Bearer) {
  const profile = await readProfile(ctx.db.read, bearer)
  if (!profile) throw new AppError('USER_MISSING')
  return presentProfile(profile, bearer.kind === 'key pair' ? bearer.public_key : '')
}

export function profileRoute(app: App, ctx: Context): void {
  app.get(
    '/users',
    {
      config: { scope: 'profile:read', errors: ['USER_MISSING'] },
      schema: { summary: 'Read the profile', tags, response: { 200: UserProfile } },
    },
    (request) => profileOf(ctx, bearerOf(request)),
  )
}

function changeProfileRoute(app: App, ctx: Context): void {
  app.put(
    '/users',
    {
      config: { scope: 'profile:write', errors: ['USER_MISSING', 'LIVE_ONLY', 'SANDBOX_ONLY'] },
      schema: {
        summary: 'Change the profile',
        description: 'Changes only the fields sent, and returns the new profile.',
        tags,
        body: ProfileChange,
        response: { 200: UserProfile },
      },
    },
    async (request) => {
      const bearer = bearerOf(request)
      await updateProfile(ctx, bearer, request.body)
      return profileOf(ctx, bearer)
    },
  )
}

export function webhookSecretRoute(app: App, ctx: Context): void {
  app.post(
    '/users/webhook-secret/rotate',
    {
      config: { scope: 'profile:write', errors: ['USER_MISSING'] },
      schema: {
        summary: 'Get a new webhook signing secret',
        description:
          "A new secret for the token's environment. For 24 hours deliveries are signed with the old one too, so that receivers can be updated without a gap.",
        tags,
        response: { 200: NewSecret },
      },
    },
    async (request) => ({
      success: true as const,
      data: { secret: await rotateWebhookSecret(ctx, bearerOf(request)) },
    }),
  )
}
