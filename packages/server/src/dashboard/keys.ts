import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { bearerOf } from '../auth/request-bearer.ts'
import { type Scope, scopes } from '../auth/scopes.ts'
import type { Context } from '../context.ts'
import type { App } from '../http/app.ts'
import { KeyView, NewPair, oneOf, Reason } from '../operate/api/schema.ts'
import { create, end, type KeyView as Listed, listOf, rotate } from '../operate/keys.ts'
import { type OperatorContext, OperatorError } from '../operate/operator-context.ts'
import { permissionDenied } from '../people/grants.ts'
import { grantsWith, grantsWithin, includesPlace } from '../people/members.ts'
import { principalOf } from '../people/request-principal.ts'
import { type MerchantPermission, merchantPermissions } from '../people/roles.ts'
import { actingMembers } from './acting.ts'
import { closed, Done, dataOf, done, Texts } from './schema.ts'

/** What a person must hold, without limits, to receive a key with a scope: a key must not do what its holder may not. */
export const neededFor: Partial<Record<Scope, readonly MerchantPermission[]>> = {
  'payouts:write': ['payouts:create', 'personal-data:read'],
  'external-accounts:write': ['beneficiaries:write', 'personal-data:read'],
  'transactions:read': ['payments:read', 'personal-data:read'],
  'webhooks:read': ['webhooks:read', 'personal-data:read'],
  'profile:read': ['payments:read'],
  'profile:write': ['payments:read'],
}

const tags = ['Key pairs']
const errors = ['OPERATION_REFUSED'] as const
const PublicKey = Type.Object({ publicKey: Type.String({ maxLength: 100 }) })

const NewKey = Type.Object(
  {
    scopes: Type.Array(oneOf(scopes), {
      minItems: 1,
      maxItems: scopes.length,
      description: 'Only scopes whose permission you hold yourself in this environment',
    }),
    addresses: Type.Optional({ ...Texts, description: 'Ranges such as 203.0.113.0/24; none means any address' }),
  },
  closed,
)

/** The key pairs of the environment. */
export function keyRoutes(app: App, ctx: Context): void {
  const asMember = actingMembers(ctx)

  app.get(
    '/keys',
    { config: {}, schema: { summary: 'List key pairs', tags, response: { 200: dataOf(Type.Array(KeyView)) } } },
    async (request) => ({ success: true as const, data: await asMember(request, keysOf(request)) }) as never,
  )

  app.post(
    '/keys',
    {
      config: { errors },
      schema: {
        summary: 'Create a key pair',
        description: 'The API key is shown this once.',
        tags,
        body: NewKey,
        response: { 200: dataOf(NewPair) },
      },
    },
    async (request) => {
      requireHeld(request, request.body.scopes)
      const { env } = bearerOf(request)
      const order = { env, scopes: request.body.scopes, addresses: request.body.addresses ?? [] }
      return { success: true as const, data: await asMember(request, (context, id) => create(context, id, order)) }
    },
  )

  app.post(
    '/keys/:publicKey/rotate',
    {
      config: { errors },
      schema: {
        summary: 'Replace the API key of a pair',
        description: 'The public key stays; the old API key and its tokens end within 5 seconds.',
        tags,
        params: PublicKey,
        response: { 200: dataOf(NewPair) },
      },
    },
    async (request) => {
      const { publicKey } = request.params
      const data = await asMember(request, async (context, id) => {
        const { scopes: held } = await activeKey(request, context, id, publicKey)
        requireHeld(request, held)
        return rotate(context, publicKey)
      })
      return { success: true as const, data }
    },
  )

  app.post(
    '/keys/:publicKey/revoke',
    {
      config: { errors },
      schema: {
        summary: 'Revoke a key pair',
        description: 'Its tokens end within 5 seconds.',
        tags,
        params: PublicKey,
        body: Type.Object({ reason: Reason }, closed),
        response: { 200: Done },
      },
    },
    async (request) => {
      const { publicKey } = request.params
      await asMember(request, async (context, id) => {
        await activeKey(request, context, id, publicKey)
        return end(context, publicKey, request.body.reason)
      })
      return done
    },
  )
}

const keysOf = (request: FastifyRequest) => async (context: OperatorContext, merchantId: string) =>
  (await listOf(context, merchantId)).filter(({ env }) => env === bearerOf(request).env)

/** A pair of another merchant or environment is refused as one that does not exist. */
async function activeKey(
  request: FastifyRequest,
  context: OperatorContext,
  merchantId: string,
  publicKey: string,
): Promise<Listed> {
  const keys = await keysOf(request)(context, merchantId)
  const found = keys.find((key) => key.publicKey === publicKey && key.state === 'active')
  if (!found) throw new OperatorError(`active key pair ${publicKey} not found`)
  return found
}

function requireHeld(request: FastifyRequest, wanted: readonly string[]): void {
  const { merchant_id, env } = bearerOf(request)
  const grants = grantsWithin(principalOf(request), merchant_id)
  const needed = wanted.flatMap((scope) => (Object.hasOwn(neededFor, scope) ? (neededFor[scope as Scope] ?? []) : []))
  for (const permission of needed)
    if (!includesPlace(grantsWith(grants, env, permission), {})) throw permissionDenied(permission, merchantPermissions)
}
