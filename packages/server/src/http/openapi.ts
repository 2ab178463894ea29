import type { TSchema } from 'typebox'
import { catalogue, type ErrorKey } from '../errors.ts'
import { eventNames } from '../events/catalogue.ts'
import { WebhookEvent } from '../transactions/schema.ts'
import type { ApiDocument } from './reference/document.ts'
import { type Example, examples, filledIn } from './reference/examples.ts'
import type { DeclaredRoute } from './routes.ts'

type Json = Record<string, unknown>

/** The OpenAPI 3.1 document of the routes. TypeBox schemas are JSON Schema 2020-12 already, so nothing is translated. */
export function openApiDocument(declared: readonly DeclaredRoute[]): ApiDocument {
  const components: Json = { Failure: failure }
  const business = declared.filter((route) => isDescribed(route, declared))
  const paths: Record<string, Json> = {}
  for (const route of business) {
    const path = route.url.replaceAll(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route, components) }
  }
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
  return document as ApiDocument
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
        '2XX': { description: 'Taken; it is not sent again' },
        '410': { description: 'Nobody lives here any more: nothing is sent until the URL is set again' },
        '4XX': { description: 'Tried again, for three days' },
        '5XX': { description: 'Tried again, for three days' },
      },
    },
  }
}

const webhookHeaders = {
  'webhook-id': 'The same as `id` of the body',
  'webhook-timestamp': 'When it was sent, in seconds since 1970',
  'webhook-signature':
    'One or more of `v1,` and the base64 HMAC-SHA256 of `{id}.{timestamp}.{body}`, with a blank between them',
}

const info = {
  title: 'Malipo',
  version: '1.0.0',
  description:
    'Collect by card, mobile money and bank transfer; pay out to mobile money and banks; be told by webhooks. Amounts are JSON numbers in major units. A refusal is always the same envelope with an `errorCode`.',
  license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
}

const tags: Record<string, string | undefined> = {
  Authentication: 'A key pair is exchanged for a token, and the token opens everything else.',
  Charges: 'Money in.',
  Payouts: 'Money out.',
  Transactions: 'What became of the money.',
  Webhooks: 'What you are told, whether it arrived, and the feed of everything.',
  'External accounts': 'Beneficiaries: who is paid, and who pays.',
  'Reference data': 'Countries, banks, operators and their limits, exchange rates, names of account holders.',
  Sandbox: 'Tools for integrators: test values, scenarios, and a clock that moves.',
  Wallets: 'Whose money is where, line by line.',
  User: 'The merchant itself: who it is, and where it is told of events.',
}

const failure = {
  type: 'object',
  description: 'Every refusal has this form.',
  required: ['success', 'message', 'errorCode', 'requestId'],
  properties: {
    success: { type: 'boolean', const: false },
    message: { type: 'string' },
    errorCode: { type: 'string' },
    requestId: { type: 'string', description: 'Also in the header X-Request-Id; tell it to the operator' },
    details: {
      type: 'array',
      items: {
        type: 'object',
        required: ['field', 'message'],
        properties: { field: { type: 'string' }, message: { type: 'string' } },
      },
    },
    retryable: { type: 'boolean', description: 'The very same request may succeed later' },
  },
}

function operation({ method, url, schema, access }: DeclaredRoute, components: Json): Json {
  const id = operationId(method, url)
  const example = examples[id]
  const parameters = [
    ...parametersOf('path', schema.params, example),
    ...parametersOf('query', schema.querystring, example),
    ...parametersOf('header', schema.headers, example),
  ]
  const answers = Object.entries(schema.response ?? {}).map(([status, body]) => {
    return [status, { description: 'Success', content: json(lifted(body, components), example?.answer) }]
  })
  return {
    operationId: id,
    summary: schema.summary,
    ...(schema.description && { description: schema.description }),
    tags: schema.tags,
    ...(access.isPublic && { security: [] }),
    ...(access.scope && { 'x-scope': access.scope }),
    ...(parameters.length > 0 && { parameters }),
    ...(schema.body && {
      requestBody: { required: true, content: json(lifted(schema.body, components), example?.body) },
    }),
    responses: { ...Object.fromEntries(answers), ...refusals(errorsOf(method, access), access) },
  }
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
  const words = url.replace(roots, '').split(/[^A-Za-z0-9]+/)
  return method.toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}

function parametersOf(place: Place, schema: TSchema | undefined, example: Example | undefined): Json[] {
  const { properties = {}, required = [] } = (schema ?? {}) as {
    properties?: Record<string, Json>
    required?: string[]
  }
  return Object.entries(properties).map(([name, { description, ...rest }]) => {
    const sample = example?.[samplesIn[place]]?.[name]
    const isNumber = rest['type'] === 'integer' || rest['type'] === 'number'
    return {
      name,
      in: place,
      required: required.includes(name),
      ...(description !== undefined && { description }),
      schema: rest,
      ...(sample !== undefined && { example: isNumber ? Number(sample) : filledIn(sample) }),
    }
  })
}

const samplesIn = { path: 'path', query: 'query', header: 'headers' } as const
type Place = keyof typeof samplesIn

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
