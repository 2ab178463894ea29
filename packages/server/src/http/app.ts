import type { IncomingMessage, ServerResponse } from 'node:http'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyBaseLogger, FastifyInstance, RawServerDefault } from 'fastify'
import type { Scope } from '../auth/scopes.ts'
import type { RequestKind } from '../context.ts'
import type { ErrorKey } from '../errors.ts'
import type { Environment } from '../platform/db.ts'

/** The server as routes see it: bodies and answers have the types of their schemas. */
export type App = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>

/** What a route says of itself beside its schema: who may call it, and how it may refuse beside what all routes do. */
export interface Access {
  /** Anybody may call it. Every other route needs a token. */
  readonly isPublic?: true
  /** The scope the token must have. */
  readonly scope?: Scope
  readonly errors?: readonly ErrorKey[]
  /** How the specification wants this route's own refusals, where not as everywhere: `{success, error}`, or `{}` for 400. */
  readonly refusal?: 'error' | 'empty'
  /** The budget that it is handled in, where it has no token: see `admission.ts`. */
  readonly budget?: Exclude<RequestKind, Environment>
  /** How many requests a body counts as, where not one. */
  readonly unitsOf?: (body: unknown) => number
  /** It only says that the path does not take this method. */
  readonly isRefusal?: true
}
