import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { recordAudit } from '../audit/record.ts'
import { auditOf, type Bearer, requirePlace } from '../auth/bearer.ts'
import { bearerOf } from '../auth/request-bearer.ts'
import type { Context } from '../context.ts'
import { AppError, invalid } from '../errors.ts'
import type { App } from '../http/app.ts'
import { IdempotencyHeaders, keyedRequest, type Once, once } from '../idempotency/keys.ts'
import { databaseTimeMs } from '../platform/clock.ts'
import type { Tx } from '../platform/db.ts'
import { newId, readId, showId } from '../platform/ids.ts'
import { beneficiaryOf } from './beneficiary.ts'
import { inputOf } from './beneficiary-input.ts'
import { presentExternalAccount } from './present.ts'
import { Destination, PayoutMethod } from './schema.ts'
import * as store from './store.ts'

const closed = { additionalProperties: false }
const oneOf = <Word extends string>(words: readonly Word[]) => Type.Union(words.map((word) => Type.Literal(word)))
const Name = Type.String({ maxLength: 100 })
const Short = Type.String({ maxLength: 50 })

const Place = {
  country: Type.String({ maxLength: 100, description: 'Two-letter country code' }),
  currency: Type.String({ maxLength: 100, description: 'Three-letter currency code' }),
}

const CreateBody = Type.Object(
  {
    ...Place,
    type: Type.Optional(oneOf(store.types)),
    payload: Type.Optional(
      Type.Object(
        {
          firstName: Type.Optional(Name),
          lastName: Type.Optional(Name),
          phoneNumber: Type.Optional(Short),
          destination: Type.Optional(Destination),
          payoutMethod: Type.Optional(PayoutMethod),
        },
        { ...closed, description: 'Either a person with a phone number, or a destination and its payout method' },
      ),
    ),
    destination: Type.Optional(Destination),
    payoutMethod: Type.Optional({ ...PayoutMethod, description: 'With `destination`, instead of `payload`' }),
  },
  closed,
)

const ReplaceBody = Type.Object({ ...Place, destination: Destination, payoutMethod: PayoutMethod }, closed)

const ExternalAccount = Type.Object(
  {
    externalAccountId: Type.String(),
    country: Type.String(),
    currency: Type.String(),
    destination: Type.String(),
    type: Type.String({ description: 'payout or deposit' }),
    createdAt: Type.Integer({ description: 'Unix timestamp in seconds' }),
    payoutMethod: Type.Object({
      accountName: Type.String(),
      accountNumber: Type.String(),
      code: Type.String({
        description: 'The bank, or the operator; the operator is derived from the number if none was named',
      }),
      branchCode: Type.String(),
      businessNumber: Type.Optional(Type.String()),
    }),
  },
  { title: 'ExternalAccount' },
)

const Success = Type.Object({ success: Type.Literal(true), message: Type.String() }, { title: 'Done' })
const Params = Type.Object({ externalAccountId: Type.String({ maxLength: 100 }) })

const ListQuery = Type.Object(
  {
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: '50 if omitted' })),
    cursor: Type.Optional(Type.String({ maxLength: 100, description: 'From the `Link` header of the previous page' })),
    country: Type.Optional(Type.String({ maxLength: 100 })),
    currency: Type.Optional(Type.String({ maxLength: 100 })),
    destination: Type.Optional(Destination),
    type: Type.Optional(oneOf(store.types)),
  },
  closed,
)

const tags = ['External accounts']
const scope = 'external-accounts:write'
const repeated = ['IDEMPOTENCY_KEY_IN_PROGRESS', 'IDEMPOTENCY_KEY_REUSED'] as const

export function externalAccountRoutes(app: App, ctx: Context): void {
  createRoute(app, ctx)
  replaceRoute(app, ctx)
  deleteRoute(app, ctx)
  readingRoutes(app, ctx)
}

function readingRoutes(app: App, ctx: Context): void {
  app.get(
    '/external-accounts',
    {
      config: { scope },
      schema: {
        summary: 'List external accounts',
        description: 'Newest first. If there are more, the `Link` header has the URL of the next page.',
        tags,
        querystring: ListQuery,
        response: { 200: Type.Object({ success: Type.Literal(true), data: Type.Array(ExternalAccount) }) },
      },
    },
    async (request, reply) => {
      const { limit = 50, cursor, country, currency, destination, type } = request.query
      const before = cursor === undefined ? undefined : readId('external account', cursor)
      if (cursor !== undefined && before === undefined)
        throw invalid([{ field: 'cursor', message: 'cursor must be from the Link header of a previous page' }])
      const wanted = { before, limit, country, currency, destination, type }
      const { accounts, next } = await store.list(ctx.db.read, ctx.vault, bearerOf(request), wanted)
      if (next !== undefined) linkTo(reply, request.url, showId('external account', next))
      return { success: true as const, data: accounts.map(presentExternalAccount) }
    },
  )

  app.get(
    '/external-accounts/:externalAccountId',
    {
      config: { scope, errors: ['EXTERNAL_ACCOUNT_MISSING'] },
      schema: {
        summary: 'Read an external account',
        tags,
        params: Params,
        response: { 200: Type.Object({ success: Type.Literal(true), data: ExternalAccount }) },
      },
    },
    async (request) => {
      const id = idOf(request.params.externalAccountId)
      const account = await store.find(ctx.db.read, ctx.vault, bearerOf(request), id)
      if (!account) throw new AppError('EXTERNAL_ACCOUNT_MISSING')
      return { success: true as const, data: presentExternalAccount(account) }
    },
  )
}

function createRoute(app: App, ctx: Context): void {
  const { reference, vault, config } = ctx
  app.post(
    '/external-accounts',
    {
      config: { scope, errors: ['MOMO_CODE_REQUIRED', 'ACCOUNT_NUMBER_USED', 'PROVIDER_NOT_FOUND', ...repeated] },
      schema: {
        summary: 'Create an external account',
        tags,
        headers: IdempotencyHeaders,
        body: CreateBody,
        response: {
          200: Type.Object({ ...Success.properties, data: Type.Object({ id: Type.String() }) }, { title: 'Created' }),
        },
      },
    },
    async (request, reply) => {
      const bearer = bearerOf(request)
      const { input, fieldOf } = inputOf(request.body)
      const made = { ...beneficiaryOf(reference, input, fieldOf), type: request.body.type ?? ('payout' as const) }
      requirePlace(bearer, made)
      const done = await once(ctx, bearer, keyedRequest(request, bearer), async (tx) => {
        const id = newId(await databaseTimeMs(tx), config.cell)
        await store.insert(tx, vault, bearer, { ...made, id })
        await recordAudit(tx, config.cell, auditOf(bearer, 'external-account.create', { externalAccountId: id }))
        const shown = showId('external account', id)
        return { success: true as const, message: 'External account created.', data: { id: shown } }
      })
      return responseOf(reply, done)
    },
  )
}

function replaceRoute(app: App, ctx: Context): void {
  const { reference, vault, config } = ctx
  app.put(
    '/external-accounts/:externalAccountId',
    {
      config: {
        scope,
        errors: [
          'MOMO_CODE_REQUIRED',
          'ACCOUNT_NUMBER_USED',
          'EXTERNAL_ACCOUNT_MISSING',
          'PROVIDER_NOT_FOUND',
          ...repeated,
        ],
      },
      schema: {
        summary: 'Replace an external account',
        description: 'Pending payouts keep the previous version.',
        tags,
        params: Params,
        headers: IdempotencyHeaders,
        body: ReplaceBody,
        response: { 200: Success },
      },
    },
    async (request, reply) => {
      const bearer = bearerOf(request)
      const id = idOf(request.params.externalAccountId)
      const made = { ...beneficiaryOf(reference, request.body, (name) => `payoutMethod.${name}`), id }
      await requirePlaceOf(ctx, bearer, id)
      requirePlace(bearer, made)
      const replace = async (tx: Tx) => {
        if (!(await store.replace(tx, vault, bearer, made))) throw new AppError('EXTERNAL_ACCOUNT_MISSING')
        await recordAudit(tx, config.cell, auditOf(bearer, 'external-account.replace', { externalAccountId: id }))
        return { success: true as const, message: 'External account updated.' }
      }
      return responseOf(reply, await once(ctx, bearer, keyedRequest(request, bearer), replace))
    },
  )
}

function deleteRoute(app: App, ctx: Context): void {
  const { config } = ctx
  app.delete(
    '/external-accounts/:externalAccountId',
    {
      config: { scope, errors: ['EXTERNAL_ACCOUNT_MISSING', ...repeated] },
      schema: {
        summary: 'Delete an external account',
        description: 'It can no longer be paid. Pending payouts keep the previous version.',
        tags,
        params: Params,
        headers: IdempotencyHeaders,
        response: { 200: Success },
      },
    },
    async (request, reply) => {
      const bearer = bearerOf(request)
      const id = idOf(request.params.externalAccountId)
      await requirePlaceOf(ctx, bearer, id)
      const remove = async (tx: Tx) => {
        if (!(await store.remove(tx, bearer, id))) throw new AppError('EXTERNAL_ACCOUNT_MISSING')
        await recordAudit(tx, config.cell, auditOf(bearer, 'external-account.delete', { externalAccountId: id }))
        return { success: true as const, message: 'External account deleted.' }
      }
      return responseOf(reply, await once(ctx, bearer, keyedRequest(request, bearer), remove))
    },
  )
}

/** A person whose roles are limited to countries or currencies changes only accounts there. */
async function requirePlaceOf({ db, vault }: Context, bearer: Bearer, id: string): Promise<void> {
  if (bearer.kind === 'key pair') return
  const account = await store.find(db.read, vault, bearer, id)
  if (!account) throw new AppError('EXTERNAL_ACCOUNT_MISSING')
  requirePlace(bearer, account)
}

function idOf(shown: string): string {
  const id = readId('external account', shown)
  if (id === undefined) throw new AppError('EXTERNAL_ACCOUNT_MISSING')
  return id
}

function responseOf<Body>(reply: FastifyReply, { response, isReplay }: Once<Body>): Body {
  if (isReplay) reply.header('idempotency-replayed', 'true')
  return response
}

function linkTo(reply: FastifyReply, path: string, cursor: string): void {
  const url = new URL(path, 'http://localhost')
  url.searchParams.set('cursor', cursor)
  reply.header('link', `<${url.pathname}${url.search}>; rel="next"`)
}
