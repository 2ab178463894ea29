import type { IncomingMessage, ServerResponse } from 'node:http'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyBaseLogger, FastifyInstance, RawServerDefault } from 'fastify'
import type { Scope } from '../auth/scopes.ts'
import type { RequestKind } from '../context.ts'
import type { MemberAccess } from '../dashboard/access.ts'
import type { ErrorKey } from '../errors.ts'
import type { OperatorPermission } from '../people/roles.ts'
import type { Environment } from '../platform/db.ts'

/** The server as routes see it: bodies and responses have the types of their schemas. */
export type App = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>

/** What a route declares beside its schema: who may call it, and its errors beyond the common ones. */
export interface Access {
  /** No token is required. Every other route requires one. */
  readonly isPublic?: true
  /** The scope the token must have. */
  readonly scope?: Scope
  /** Any signed-in person may call it. */
  readonly isForPeople?: true
  /** The permission that operator staff or a machine of the operator must have. */
  readonly operator?: OperatorPermission
  /** What a person of the merchant in the path must have: see `dashboard/access.ts`. */
  readonly member?: MemberAccess['member']
  readonly isForLimited?: true
  /** The person must have proved presence within the last 5 minutes. */
  readonly isSteppedUp?: true
  readonly errors?: readonly ErrorKey[]
  /** The format of this route's own errors where the specification wants another one: `{success, error}`, or `{}` for 400. */
  readonly refusal?: 'error' | 'empty'
  /** The concurrency budget of a route without a token: see `admission.ts`. */
  readonly budget?: Exclude<RequestKind, Environment>
  /** How many requests a body counts as, where not one. */
  readonly unitsOf?: (body: unknown) => number
  /** The route only reports that the path does not take this method. */
  readonly isRefusal?: true
}
