/** The API's description, prepared for readers: operations with their fields, examples and refusals. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Schema {
  readonly $ref?: string
  readonly type?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly description?: string
  readonly anyOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly minimum?: number
  readonly maximum?: number
  readonly maxLength?: number
}

interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required: boolean
  readonly description?: string
  readonly schema: Schema
}

type Content = Readonly<Record<string, { readonly schema: Schema }>>

interface RawOperation {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly tags: readonly string[]
  readonly 'x-scope'?: string
  readonly security?: readonly unknown[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Partial<Record<string, { readonly description: string; readonly content?: Content }>>>
}

export interface ApiDocument {
  readonly info: { readonly title: string; readonly version: string; readonly description: string }
  readonly tags: readonly { readonly name: string; readonly description?: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, RawOperation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

/** A complete request, and its response. The sender fills in `$NAMES`. */
interface Example {
  readonly path?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly answer?: unknown
  /** The response becomes the shown one after a moment. */
  readonly isEventual?: true
  /** Why the document check does not send it. */
  readonly skip?: string
}

export interface Operation extends RawOperation {
  readonly method: string
  readonly url: string
  readonly isOpen: boolean
  readonly example: Example
}

export interface Field {
  readonly name: string
  readonly type: string
  readonly isRequired: boolean
  readonly about: string
}

const examples = JSON.parse(readFileSync(join(import.meta.dirname, 'api-examples.json'), 'utf8')) as Record<
  string,
  Example
>

/** Every operation, in the order of the examples, which can be run one after another. Those without one come last. */
export function operationsOf({ paths }: ApiDocument): Operation[] {
  const order = Object.keys(examples)
  const placeOf = ({ operationId }: RawOperation) =>
    order.includes(operationId) ? order.indexOf(operationId) : order.length
  return Object.entries(paths)
    .flatMap(([url, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        ...operation,
        method: method.toUpperCase(),
        url,
        isOpen: operation.security?.length === 0,
        example: examples[operation.operationId] ?? {},
      })),
    )
    .sort((left, right) => placeOf(left) - placeOf(right))
}

/** Operations without an example, and examples of removed operations. Another path to the same operation needs none. */
export function exampleTroubles(document: ApiDocument): string[] {
  const operations = operationsOf(document)
  const known = new Set(operations.map(({ operationId }) => operationId))
  const shown = new Set(operations.filter(({ operationId }) => examples[operationId]).map(({ summary }) => summary))
  return [
    ...operations
      .filter(({ summary }) => !shown.has(summary))
      .map(({ operationId }) => `${operationId} has no example`),
    ...Object.keys(examples)
      .filter((id) => !known.has(id))
      .map((id) => `${id} is an example of nothing`),
  ]
}

/** A schema's fields; nested ones by their whole path. */
export function fieldsOf(document: ApiDocument, schema: Schema, prefix = ''): Field[] {
  const { properties = {}, required = [] } = resolve(document, schema)
  return Object.entries(properties).flatMap(([key, given]) => {
    const property = resolve(document, given)
    const name = `${prefix}${key}`
    const field = {
      name,
      type: typeOf(document, property),
      isRequired: required.includes(key),
      about: aboutOf({ ...property, description: given.description ?? property.description ?? usual[key] ?? '' }),
    }
    const inner = property.type === 'array' && property.items ? property.items : property
    return [field, ...fieldsOf(document, inner, `${name}${property.type === 'array' ? '[]' : ''}.`)]
  })
}

export function parameterFields(document: ApiDocument, { parameters = [] }: RawOperation): Field[] {
  return parameters.map(({ name, in: place, required, description, schema }) => ({
    name,
    type: `${typeOf(document, schema)} (${place})`,
    isRequired: required,
    about: aboutOf({ ...schema, ...(description !== undefined && { description }) }),
  }))
}

export function bodySchema({ requestBody }: RawOperation): Schema | undefined {
  return requestBody?.content['application/json']?.schema
}

export function answerSchema({ responses }: RawOperation): Schema | undefined {
  return responses['200']?.content?.['application/json']?.schema
}

/** The refusal codes of an operation, in order of their status. */
export function refusalsOf({ responses }: RawOperation): string[] {
  return Object.entries(responses)
    .filter(([status]) => Number(status) >= 400)
    .flatMap(([, answer]) => [...(answer?.description ?? '').matchAll(/^`([^`]+)`/gm)].map(([, code = '']) => code))
}

function resolve({ components }: ApiDocument, schema: Schema): Schema {
  const name = schema.$ref?.replace('#/components/schemas/', '')
  return name === undefined ? schema : { ...components.schemas[name], ...schema }
}

const shown = (value: unknown) => `\`${value}\``

function typeOf(document: ApiDocument, given: Schema): string {
  const { type, anyOf, items, const: constant, enum: values } = resolve(document, given)
  if (values) return values.map(shown).join(' or ')
  if (constant !== undefined) return shown(constant)
  if (anyOf) return anyOf.map((each) => typeOf(document, each)).join(' or ')
  const item = type === 'array' && items ? typeOf(document, items) : 'any'
  return item === 'any' ? (type ?? 'any') : `array of ${item}s`
}

/** Descriptions by field name, for schemas without one. */
const usual: Readonly<Record<string, string>> = {
  transactionId: 'Our id of the payment, `txn_…`',
  externalReference: 'Your id of the payment',
  externalAccountId: 'Its id, `ea_…`',
  message: 'For people; decide by `success` and `errorCode`',
  currency: 'Three-letter currency code',
  country: 'Two-letter country code',
  amount: 'In major units',
  status: 'PENDING, SUCCESSFUL or FAILED',
  nextAction: 'What the customer must do now',
  senderAmount: "What leaves: the customer's side of a charge, your wallet's of a payout",
  receiverAmount: 'What arrives: in your wallet after the fee, or with the beneficiary',
  failureReason: 'Why it failed',
  failureCode: 'One of [these](../states.md#why-a-payment-failed)',
  failureMessage: 'A sentence you may show',
  providerCode: "The provider's own word",
  createdAt: 'ISO 8601 date-time',
  accountName: 'Name of the holder',
  accountNumber: 'Number of the account, phone or till',
  timeline: 'Everything that happened, oldest first',
  virtualAccount: 'The account to transfer to',
  instructions: 'Sentences for the customer',
  ussdCode: 'What the customer dials should no prompt come',
}

function aboutOf({ description, minimum, maximum, maxLength }: Schema): string {
  const bounds = [
    ...(minimum !== undefined && maximum !== undefined && maximum < 1e6 ? [`${minimum} to ${maximum}`] : []),
    ...(maxLength === undefined ? [] : [`at most ${maxLength} characters`]),
  ]
  return [...(description ? [description] : []), ...bounds].join('; ')
}
