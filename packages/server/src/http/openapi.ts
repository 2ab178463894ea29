import type { TSchema } from 'typebox'
import { catalogue, type ErrorKey } from '../errors.ts'
import { eventNames } from '../events/catalogue.ts'
import { WebhookEvent } from '../transactions/schema.ts'
import type { DeclaredRoute } from './routes.ts'

type Json = Record<string, unknown>

/** The OpenAPI 3.1 document of the routes. TypeBox schemas are JSON Schema 2020-12 already, so nothing is translated. */
export function openApiDocument(declared: readonly DeclaredRoute[]): Json {
  const components: Json = { Failure: failure }
  const business = declared.filter((route) => isDescribed(route, declared))
  const paths: Record<string, Json> = {}
  for (const route of business) {
    const path = route.url.replaceAll(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route, components) }
  }
  return {
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
      description: tags[name],
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
        '410': { description: 'Endpoint gone; nothing is sent until the URL is set again' },
        '4XX': { description: 'Retried for three days' },
        '5XX': { description: 'Retried for three days' },
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
    'Collect by card, mobile money and bank transfer; pay out to mobile money and banks; receive webhooks. Amounts are JSON numbers in major units. Every error is the same envelope with an `errorCode`.',
  license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
}

const tags: Record<string, string | undefined> = {
  Authentication: 'Exchange a key pair for the token that all other requests carry.',
  Charges: 'Collect payments from customers.',
  Payouts: 'Pay out to mobile money and bank accounts.',
  Transactions: 'Status and history of payments.',
  Webhooks: 'Webhook deliveries, and the feed of all events.',
  'External accounts': 'Saved accounts of beneficiaries and customers.',
  'Reference data': 'Countries, banks, operators and their limits, exchange rates, account holder names.',
  Sandbox: 'Tools for integrators: test values, scenarios, and a clock you can advance.',
  Wallets: 'Statements of your wallets, line by line.',
  User: 'Your profile, balances and webhook URLs.',
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
      description: 'Also in the header X-Request-Id; include it when you contact the operator',
    },
    details: {
      type: 'array',
      items: {
        type: 'object',
        required: ['field', 'message'],
        properties: { field: { type: 'string' }, message: { type: 'string' } },
      },
    },
    retryable: { type: 'boolean', description: 'The same request may succeed later' },
  },
}

function operation({ method, url, schema, access }: DeclaredRoute, components: Json): Json {
  const parameters = [
    ...parametersOf('path', schema.params),
    ...parametersOf('query', schema.querystring),
    ...parametersOf('header', schema.headers),
  ]
  return {
    operationId: operationId(method, url),
    summary: schema.summary,
    ...(schema.description && { description: schema.description }),
    tags: schema.tags,
    ...(access.isPublic && { security: [] }),
    ...(access.scope && { 'x-scope': access.scope }),
    ...(parameters.length > 0 && { parameters }),
    ...(schema.body && { requestBody: { required: true, content: json(lifted(schema.body, components)) } }),
    responses: {
      ...Object.fromEntries(
        Object.entries(schema.response ?? {}).map(([status, body]) => [
          status,
          { description: 'Success', content: json(lifted(body, components)) },
        ]),
      ),
      ...refusals(errorsOf(method, access), access),
    },
  }
}

const json = (schema: unknown) => ({ 'application/json': { schema } })

/** Describes each route once: below the sandbox root, only routes that exist only there. */
function isDescribed({ method, url }: DeclaredRoute, declared: readonly DeclaredRoute[]): boolean {
  if (method === 'HEAD' || !roots.test(url)) return false
  const plain = url.replace(roots, '/api/b2b/')
  return plain === url || !declared.some((other) => other.url === plain)
}

const roots = /^\/api\/(sandbox\/)?b2b\//

/** `PUT /api/b2b/users/webhook-secret/rotate` is `putUsersWebhookSecretRotate`. */
function operationId(method: string, url: string): string {
  const words = url.replace(roots, '').split(/[^A-Za-z0-9]+/)
  return method.toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}

function parametersOf(place: string, schema: TSchema | undefined): Json[] {
  const { properties = {}, required = [] } = (schema ?? {}) as {
    properties?: Record<string, Json>
    required?: string[]
  }
  return Object.entries(properties).map(([name, { description, ...rest }]) => ({
    name,
    in: place,
    required: required.includes(name),
    ...(description !== undefined && { description }),
    schema: rest,
  }))
}

/** A schema with a title becomes a component of that name; the rest stays where it is used. */
function lifted(schema: unknown, components: Json): unknown {
  if (Array.isArray(schema)) return schema.map((item) => lifted(item, components))
  if (typeof schema !== 'object' || schema === null) return schema
  const inner = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, lifted(value, components)]))
  const { title } = schema as { title?: string }
  if (title === undefined) return inner
  components[title] = inner
  return { $ref: `#/components/schemas/${title}` }
}

/** Every method except GET may carry a body, whether the operation reads one or not. */
function errorsOf(method: string, { isPublic, errors = [] }: DeclaredRoute['access']): ErrorKey[] {
  const guarded: ErrorKey[] = ['UNAUTHORIZED', 'INSUFFICIENT_SCOPE', 'ADDRESS_NOT_ALLOWED', 'RATE_LIMIT_EXCEEDED']
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
    properties: { success: { type: 'boolean', const: false }, error: { type: 'string' } },
  },
}
