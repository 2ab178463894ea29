import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  type ApiDocument,
  answerSchema,
  inlined,
  operationsOf,
} from '../../packages/server/src/http/reference/document.ts'
import { examples, filledIn } from '../../packages/server/src/http/reference/examples.ts'
import { misfit } from '../../packages/server/src/testing/schema-check.ts'

const text = readFileSync(join(import.meta.dirname, '../../docs/reference/openapi.json'), 'utf8')
const operations = operationsOf(inlined(JSON.parse(text) as ApiDocument))

test('every operation has an example, and every example has its operation', () => {
  assert.deepEqual(new Set(operations.map(({ id }) => id)), new Set(Object.keys(examples)))
})

test('every example fits the schemas of its operation', () => {
  for (const operation of operations) {
    const { body, answer } = examples[operation.id] ?? {}
    const [sent, answered] = [operation.body, answerSchema(operation)]
    if (sent) assert.equal(misfit(sent, filledIn(body)), undefined, `${operation.id} body`)
    if (answered) assert.equal(misfit(answered, filledIn(answer)), undefined, `${operation.id} answer`)
    assert.equal(sent === undefined, body === undefined, `${operation.id} has a body exactly where one is sent`)
  }
})

test('every example fills each parameter of its path, and only known parameters', () => {
  for (const { id, path, parameters } of operations) {
    const { path: places = {}, query = {}, headers = {} } = examples[id] ?? {}
    const named = (place: string) => parameters.filter((each) => each.in === place).map(({ name }) => name)
    const braced = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
    assert.deepEqual(Object.keys(places), braced, id)
    for (const name of Object.keys(query)) assert.ok(named('query').includes(name), `${id} ${name}`)
    for (const name of Object.keys(headers)) assert.ok(named('header').includes(name), `${id} ${name}`)
  }
})

test('the examples repeat no reference and no idempotency key of a payment, and inject no fault', () => {
  const paying = Object.entries(examples).filter(([id]) => /^postFiat/.test(id))
  const sent = paying.flatMap(
    ([, example]) => JSON.stringify(example?.body ?? {}).match(/"externalReference":"[^"]+"/g) ?? [],
  )
  const keys = paying.flatMap(([, example]) => example?.headers?.['idempotency-key'] ?? [])

  assert.ok(sent.length > 0 && keys.length > 0)
  assert.equal(new Set(sent).size, sent.length)
  assert.equal(new Set(keys).size, keys.length)
  assert.ok(paying.every(([, example]) => example?.headers?.['x-sandbox-scenario'] === undefined))
})

test('the document carries the examples, with every variable filled in', () => {
  const { paths } = JSON.parse(text) as {
    paths: Record<string, Record<string, { requestBody?: object; responses: object }>>
  }
  for (const methods of Object.values(paths))
    for (const { requestBody, responses } of Object.values(methods)) {
      if (requestBody) assert.match(JSON.stringify(requestBody), /"example":/)
      assert.match(JSON.stringify(responses), /"example":/)
    }
  assert.doesNotMatch(text, /"\$[A-Z_]+"/)
})

/** Every named field in the document, with its path. */
function fieldsIn(part: unknown, path = ''): [string, { description?: string }][] {
  if (typeof part !== 'object' || part === null) return []
  const { properties = {} } = part as { properties?: Record<string, object> }
  const own = Object.entries(properties).map(([name, field]): [string, object] => [`${path}.${name}`, field])
  const inner = Object.entries(part).filter(([key]) => key !== 'example')
  return [...own, ...inner.flatMap(([key, value]) => fieldsIn(value, `${path}.${key}`))]
}

test('every field and parameter of the document is described', () => {
  const fields = fieldsIn(JSON.parse(text))
  const parameters = operations.flatMap(({ id, parameters: own }) =>
    own.map((parameter): [string, { description?: string }] => [`${id} ${parameter.name}`, parameter]),
  )
  const bare = [...fields, ...parameters].filter(([, { description }]) => !description).map(([name]) => name)

  assert.ok(fields.length > 400)
  assert.deepEqual(bare, [])
})

test('fields with a fixed vocabulary have it as their type in the document', () => {
  const { components } = JSON.parse(text) as {
    components: { schemas: Record<string, { properties: Record<string, unknown> }> }
  }
  const vocabularyOf = (schema: string, field: string) =>
    (components.schemas[schema]?.properties[field] as { $ref?: string } | undefined)?.$ref?.split('/').at(-1)

  assert.deepEqual(
    ['currency', 'status', 'chargeStatus', 'type', 'stage', 'method'].map((field) =>
      vocabularyOf('OneTransaction', field),
    ),
    ['Currency', 'Status', 'ChargeStatus', 'TransactionType', 'Stage', 'PaymentMethod'],
  )
  assert.equal(vocabularyOf('NextAction', 'type'), 'NextActionType')
  assert.equal(vocabularyOf('WebhookEvent', 'event'), 'EventName')
  assert.equal(vocabularyOf('WebhookRecord', 'status'), 'DeliveryStatus')
})
