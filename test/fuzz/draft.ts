import type { Operation, Schema } from '../../packages/server/src/http/reference/document.ts'
import type { Random } from '../support/cluster/random.ts'
import type { ApiDocument } from './document.ts'
import { fittingValue } from './fitting.ts'
import { recipeFor } from './recipes.ts'
import type { World } from './world.ts'

/** A request before it is sent; mutations change it. */
export interface Draft {
  readonly operation: Operation
  method: string
  /** Path parameters by name. */
  readonly places: Record<string, string>
  /** Replaces the path that the template gives. */
  path?: string
  readonly query: [string, string][]
  readonly headers: Record<string, string>
  body: unknown
  /** Sent as they are, instead of the body as JSON. */
  bytes?: Buffer
  /** Its mutations, in words. */
  readonly changes: string[]
}

export interface SentRequest {
  readonly method: string
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer | undefined
}

/** A request that fits the document, with values that the sandbox knows. */
export function drawRequest(document: ApiDocument, world: World, random: Random): Draft {
  const operation = random.pick(document.operations)
  const caller = random.pick(world.callers)
  const isWanted = ({ required = false }) => required || random() < 0.5
  const valueFor = (name: string, schema: Schema) => fittingValue(schema, { name, world, random })
  const given = (place: string) =>
    operation.parameters
      .filter((parameter) => parameter.in === place && isWanted(parameter))
      .map(({ name, schema = {} }): [string, string] => [name, String(valueFor(name, schema))])
  const recipe = random() < 0.5 ? recipeFor(operation.id, world, random) : undefined
  return {
    operation,
    method: operation.method,
    places: { ...Object.fromEntries(given('path')), ...recipe?.places },
    query: recipe?.query ?? given('query'),
    headers: {
      ...Object.fromEntries(given('header')),
      ...(operation.isPublic ? { 'api-key': caller.apiKey } : { authorization: `Bearer ${caller.token}` }),
    },
    body:
      recipe?.body ??
      (operation.isPublic ? { publicKey: caller.publicKey } : operation.body && valueFor('', operation.body)),
    changes: [],
  }
}

export function asSent(draft: Draft): SentRequest {
  const { operation, method, places, query, headers } = draft
  const filled = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encoded(places[name] ?? 'x'))
  const search = query.map(([name, value]) => `${encoded(name)}=${encoded(value)}`).join('&')
  const path = draft.path ?? filled
  const target = `${path}${search && !path.includes('?') ? `?${search}` : ''}`
  const body = draft.bytes ?? (draft.body === undefined ? undefined : Buffer.from(JSON.stringify(draft.body)))
  const framing = body ? { 'content-type': 'application/json', 'content-length': String(body.length) } : {}
  return {
    method,
    target: target.replaceAll(/[^\x21-\x7e]/gu, encoded),
    headers: Object.fromEntries(Object.entries({ ...framing, ...headers }).filter(([, value]) => isHeaderText(value))),
    body,
  }
}

const encoded = (text: string) => encodeURIComponent(text.toWellFormed())
/** Characters that Node sends in a header. */
const isHeaderText = (text: string) => /^[\t\x20-\x7e\x80-\xff]+$/.test(text)
