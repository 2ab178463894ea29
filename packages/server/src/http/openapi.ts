import type { TSchema } from 'typebox'
import { dashboardRoot } from '../dashboard/access.ts'
import { catalogue, type ErrorKey } from '../errors.ts'
import { eventNames } from '../events/catalogue.ts'
import { WebhookEvent } from '../transactions/schema.ts'
import { dashboardTags, merchantTags, operatorTags } from './openapi-tags.ts'
import type { ApiDocument } from './reference/document.ts'
import { examples, filledIn } from './reference/examples.ts'
import { meaningFor, vocabularies, vocabularyFor } from './reference/vocabulary.ts'
import type { DeclaredRoute } from './routes.ts'

type Json = Record<string, unknown>

/**
 * The OpenAPI 3.1 document of the merchants' routes. TypeBox schemas are JSON Schema 2020-12 already, so nothing is translated.
 */
export function openApiDocument(declared: readonly DeclaredRoute[]): ApiDocument {
  const components: Json = { ...vocabularyComponents, Failure: lifted(failure, {}) }
  const business = declared.filter((route) => isDescribed(route, declared))
  const paths = pathsOf(business, components)
  const document: Json = {
    openapi: '3.1.0',
    info,
    servers: [
      {
        url: '/',
        description: 'This server; every path below /api/b2b also exists below /api/sandbox/b2b for sandbox tokens',
      },
    ],
    tags: [...new Set(business.flatMap(({ schema }) => schema.tags ?? []))].map((name) => ({
      name,
      description: merchantTags[name],
    })),
    security: [{ bearer: [] }],
    paths,
    webhooks: Object.fromEntries(
      Object.entries(eventNames).map(([name, about]) => [name, webhookOf(name, about, components)]),
    ),
    components: {
      schemas: components,
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
    },
  }
  return document as ApiDocument
}

/** The same for the routes of people and of the operator: each names the permission it needs. */
export const operatorDocument = (declared: readonly DeclaredRoute[]): ApiDocument =>
  principalsDocument(
    declared.filter(({ url }) => principalRoots.test(url) && !isOfDashboard(url)),
    operatorTags,
    {
      title: 'Malipo for operators',
      description:
        'What operator staff and machines do. People send the cookie of their session with `x-malipo-csrf`, command lines and machines a bearer token. `x-permission` names the permission that a caller must have.',
    },
  )

/** The same for the routes of merchants' people. */
export const dashboardDocument = (declared: readonly DeclaredRoute[]): ApiDocument =>
  principalsDocument(
    declared.filter(({ url }) => isOfDashboard(url)),
    { ...merchantTags, ...dashboardTags },
    {
      title: 'Malipo for people of merchants',
      description:
        'What people of a merchant see and do in a dashboard: the operations of the merchant API, and approvals, people, key pairs, payout controls and the audit trail. People send the cookie of their session with `x-malipo-csrf`, command lines a bearer token. `x-permission` names the permission that the person must have in the merchant; `member` means any role. Phone and account numbers are masked for people without `personal-data:read`.',
    },
  )

function principalsDocument(
  declared: readonly DeclaredRoute[],
  about: Readonly<Record<string, string | undefined>>,
  named: { readonly title: string; readonly description: string },
): ApiDocument {
  const components: Json = { ...vocabularyComponents, Failure: lifted(failure, {}) }
  const routes = declared.filter(({ method, schema }) => method !== 'HEAD' && schema.summary)
  const paths = pathsOf(routes, components)
  const document: Json = {
    openapi: '3.1.0',
    info: { ...info, ...named },
    servers: [{ url: '/', description: 'This server' }],
    tags: [...new Set(routes.flatMap(({ schema }) => schema.tags ?? []))].map((name) => ({
      name,
      description: about[name],
    })),
    security: [{ bearer: [] }, { session: [] }],
    paths,
    components: {
      schemas: usedIn(paths, components),
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        session: { type: 'apiKey', in: 'cookie', name: '__Host-malipo' },
      },
    },
  }
  return document as ApiDocument
}

/** Without the lists of values that no field has. */
function usedIn(paths: Json, components: Json): Json {
  const text = JSON.stringify([paths, components])
  const isUsed = (name: string) => text.includes(`"#/components/schemas/${name}"`)
  return Object.fromEntries(Object.entries(components).filter(([name]) => isUsed(name)))
}

const principalRoots = /^\/(people|operator|dashboard)\/v1\/(merchants\/:merchantId\/:env\/)?/

const isOfDashboard = (url: string) => url.startsWith(dashboardRoot)

function pathsOf(routes: readonly DeclaredRoute[], components: Json): Record<string, Json> {
  const paths: Record<string, Json> = {}
  for (const route of routes) {
    const path = route.url.replaceAll(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route, components) }
  }
  return paths
}

/** The webhook request to a merchant's URL. */
function webhookOf(name: string, about: string, components: Json): Json {
  const headers = Object.entries(webhookHeaders).map(([header, description]) => {
    return { name: header, in: 'header', required: true, description, schema: { type: 'string' } }
  })
  return {
    post: {
      operationId: name,
      summary: about,
      tags: ['Webhooks'],
      security: [],
      parameters: headers,
      requestBody: { required: true, content: json(lifted(WebhookEvent, components)) },
      responses: {
        '2XX': { description: 'Accepted; it is not sent again' },
        '410': { description: 'The endpoint is gone: nothing is sent until its URL is set again' },
        '4XX': { description: 'Retried for about three days' },
        '5XX': { description: 'Retried for about three days' },
      },
    },
  }
}

const webhookHeaders = {
  'webhook-id': 'The same as `id` of the body',
  'webhook-timestamp': 'When it was sent, in seconds since 1970',
  'webhook-signature':
    'One or more of `v1,` and the base64 HMAC-SHA256 of `{id}.{timestamp}.{body}`, separated by spaces',
}

const info = {
  title: 'Malipo',
  version: '1.0.0',
  description:
    'Collect by card, mobile money and bank transfer; pay out to mobile money and banks; get the outcome by webhook. Amounts are JSON numbers in major units. A refusal is always the same envelope with an `errorCode`.',
  license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
}

const failure = {
  type: 'object',
  description: 'Every error has this form.',
  required: ['success', 'message', 'errorCode', 'requestId'],
  properties: {
    success: { type: 'boolean', const: false },
    message: { type: 'string' },
    errorCode: { type: 'string' },
    requestId: {
      type: 'string',
      description: 'Also in the header `X-Request-Id`; give it to the operator when you report a problem',
    },
    details: {
      type: 'array',
      items: {
        type: 'object',
        required: ['field', 'message'],
        properties: { field: { type: 'string' }, message: { type: 'string' } },
      },
    },
    attemptsLeft: { type: 'integer', description: 'Only for a refused authorisation: the attempts left' },
    retryable: { type: 'boolean', description: 'The same request may succeed later' },
    fix: { type: 'string', description: 'What to do, in one or two sentences' },
    docs: { type: 'string', description: 'The page of this error, relative to the address of the API' },
  },
}

function operation({ method, url, schema, access }: DeclaredRoute, components: Json): Json {
  const id = operationId(method, url)
  const example = examples[id]
  const parameters = [
    ...parametersOf('path', schema.params, id),
    ...parametersOf('query', schema.querystring, id),
    ...parametersOf('header', schema.headers, id),
  ]
  const answers = Object.entries(schema.response ?? {}).map(([status, body]) => {
    return [status, { description: 'Success', content: contentOf(body, components, example?.response) }]
  })
  return {
    operationId: id,
    summary: schema.summary,
    ...(schema.description && { description: schema.description }),
    tags: schema.tags,
    ...(access.isPublic && { security: [] }),
    ...(access.scope && { 'x-scope': access.scope }),
    ...(access.operator && { 'x-permission': access.operator }),
    ...(access.member && { 'x-permission': access.member }),
    ...(parameters.length > 0 && { parameters }),
    ...(schema.body && {
      requestBody: { required: true, content: json(lifted(schema.body, components), example?.body) },
    }),
    responses: { ...Object.fromEntries(answers), ...refusals(errorsOf(method, access), access) },
  }
}

/** JSON, unless the schema names other media types. */
function contentOf(body: TSchema, components: Json, example: unknown): Json {
  const { 'x-media-types': types, ...schema } = body as TSchema & { 'x-media-types'?: readonly string[] }
  if (!types) return json(lifted(body, components), example)
  // A line of NDJSON is one object of the example; other forms are described in words.
  const line = example === undefined ? {} : { example: `${JSON.stringify(filledIn(example))}\n` }
  return Object.fromEntries(types.map((type) => [type, { schema, ...(type.endsWith('ndjson') && line) }]))
}

const json = (schema: unknown, example?: unknown) => ({
  'application/json': { schema, ...(example !== undefined && { example: filledIn(example) }) },
})

/** Describes each route once: below the sandbox root, only routes that exist only there. */
function isDescribed({ method, url }: DeclaredRoute, declared: readonly DeclaredRoute[]): boolean {
  if (method === 'HEAD' || !roots.test(url)) return false
  const plain = url.replace(roots, '/api/b2b/')
  return plain === url || !declared.some((other) => other.url === plain)
}

const roots = /^\/api\/(sandbox\/)?b2b\//

/** `PUT /api/b2b/users/webhook-secret/rotate` is `putUsersWebhookSecretRotate`. */
function operationId(method: string, url: string): string {
  const words = url
    .replace(roots, '')
    .replace(principalRoots, '')
    .split(/[^A-Za-z0-9]+/)
  return method.toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}

function parametersOf(place: Place, schema: TSchema | undefined, id: string): Json[] {
  const { properties = {}, required = [] } = (schema ?? {}) as {
    properties?: Record<string, Json>
    required?: string[]
  }
  return Object.entries(properties).map(([name, { description, ...rest }]) => {
    const sample = examples[id]?.[samplesIn[place]]?.[name]
    const about = description ?? meaningFor(id, name)
    const isNumber = rest['type'] === 'integer' || rest['type'] === 'number'
    return {
      name,
      in: place,
      required: required.includes(name),
      ...(about !== undefined && { description: about }),
      schema: rest,
      ...(sample !== undefined && { example: isNumber ? Number(sample) : filledIn(sample) }),
    }
  })
}

const samplesIn = { path: 'path', query: 'query', header: 'headers' } as const
type Place = keyof typeof samplesIn

const vocabularyComponents: Json = Object.fromEntries(
  Object.entries(vocabularies).map(([name, { values, description, ...rest }]) => [
    name,
    { type: 'string', enum: values, description, ...('isOpen' in rest && { 'x-extensible': true }) },
  ]),
)

/** Where a schema is: the title of the component around it, and its path there. */
interface Spot {
  readonly title: string
  readonly path: string
}

/**
 * A schema with a title becomes a component of that name; the rest stays where it is used. Fields get their meaning and values
 * from the vocabulary. `x-documented` is what the document shows in place of a schema that says less to readers.
 */
function lifted(schema: unknown, components: Json, spot: Spot = { title: '', path: '' }): unknown {
  if (Array.isArray(schema)) return schema.map((item) => lifted(item, components, spot))
  if (typeof schema !== 'object' || schema === null) return schema
  const { title, properties, 'x-documented': documented, ...rest } = schema as Json & { title?: string }
  if (documented !== undefined) return lifted(documented, components, spot)
  const within = title === undefined ? spot : { title, path: '' }
  const inner = {
    ...Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, lifted(value, components, within)])),
    ...(properties !== undefined && { properties: fieldsIn(properties as Record<string, Json>, components, within) }),
  }
  if (title === undefined) return inner
  components[title] = inner
  return { $ref: `#/components/schemas/${title}` }
}

function fieldsIn(properties: Record<string, Json>, components: Json, { title, path }: Spot): Json {
  const entries = Object.entries(properties).map(([name, property]) => {
    const spot = { title, path: path === '' ? name : `${path}.${name}` }
    const described = lifted(property, components, spot) as Json
    const description = property['description'] ?? meaningFor(title, name)
    const values = isAnyText(property) ? vocabularyFor(title, spot.path) : undefined
    const shown = values === undefined ? described : { $ref: `#/components/schemas/${values}` }
    return [name, { ...shown, ...(description !== undefined && { description }) }]
  })
  return Object.fromEntries(entries)
}

/** Text that the schema itself does not limit to certain values or to a form. */
const isAnyText = ({ type, enum: values, pattern }: Json) =>
  type === 'string' && values === undefined && pattern === undefined

/** Every method except GET may carry a body, whether the operation reads one or not. */
function errorsOf(method: string, access: DeclaredRoute['access']): ErrorKey[] {
  const { isPublic, scope, member, isSteppedUp, errors = [] } = access
  const guarded: ErrorKey[] = scope
    ? ['UNAUTHORIZED', 'INSUFFICIENT_SCOPE', 'ADDRESS_NOT_ALLOWED', 'RATE_LIMIT_EXCEEDED']
    : ['SIGN_IN_REQUIRED', 'PERMISSION_DENIED', 'CROSS_SITE_REQUEST', 'RATE_LIMIT_EXCEEDED']
  if (member) guarded.push('MERCHANT_MISSING')
  if (isSteppedUp) guarded.push('STEP_UP_REQUIRED')
  const ofBody: ErrorKey[] = ['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE']
  const all: ErrorKey[] = [
    'VALIDATION',
    ...(method === 'GET' ? [] : ofBody),
    ...(isPublic ? [] : guarded),
    ...errors,
    'INTERNAL',
    'OVERLOADED',
  ]
  return [...new Set(all)]
}

/** One response per status, listing the codes it can carry. */
function refusals(keys: readonly ErrorKey[], access: DeclaredRoute['access']): Json {
  const byStatus = Object.groupBy(keys, (key) => catalogue[key].status)
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, same = []]) => [
      status,
      {
        description: same.map((key) => `\`${catalogue[key].errorCode}\`: ${catalogue[key].message}`).join('\n\n'),
        content: json(refusalSchema(Number(status), access)),
      },
    ]),
  )
}

/** An operation with its own error format still uses the usual one for errors before it runs. */
function refusalSchema(status: number, { refusal }: DeclaredRoute['access']): Json {
  const usual = { $ref: '#/components/schemas/Failure' }
  if (refusal === 'empty' && status === 400) return { anyOf: [usual, ownForms.empty] }
  return refusal === 'error' && ![401, 403, 429].includes(status) ? { anyOf: [usual, ownForms.error] } : usual
}

const ownForms = {
  empty: {
    type: 'object',
    maxProperties: 0,
    description: 'The reason is in the headers `X-Error-Code` and `X-Error-Message`.',
  },
  error: {
    type: 'object',
    required: ['success', 'error'],
    properties: {
      success: { type: 'boolean', const: false, description: 'Always false' },
      error: { type: 'string', description: 'What failed, for people' },
    },
  },
}
