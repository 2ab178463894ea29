import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { eventNames } from '../../packages/server/src/events/catalogue.ts'
import { compare, lint } from './openapi.ts'
import { seriesOf } from './releases.ts'

interface Operation {
  operationId?: string
  requestBody?: { content: Record<string, { schema: { required: string[]; properties: Record<string, object> } }> }
  responses: Record<string, object>
}
interface Document {
  paths: Record<string, Record<string, Operation>>
  components: {
    schemas: Record<string, { required: string[]; properties: Record<string, object>; enum?: string[] }>
  }
}

const written = join(import.meta.dirname, '../../docs/reference/openapi.json')
const exchange = '/api/b2b/auth/generate-bearer-token'

/** The current document, and a changed copy of it, as files. */
function changed(t: TestContext, change: (document: Document) => void): { before: string; after: string } {
  const folder = mkdtempSync(join(tmpdir(), 'malipo-openapi-test-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const text = readFileSync(written, 'utf8')
  const document = JSON.parse(text) as Document
  change(document)
  const [before, after] = [join(folder, 'before.json'), join(folder, 'after.json')]
  writeFileSync(before, text)
  writeFileSync(after, JSON.stringify(document))
  return { before, after }
}

const propertiesOf = ({ schemas }: Document['components'], name: string) => schemas[name]?.properties ?? {}

const valuesOf = ({ schemas }: Document['components'], name: string) => schemas[name]?.enum ?? []

const breaking: Record<string, (document: Document) => void> = {
  'a path taken away': ({ paths }) => delete paths['/api/b2b/users'],
  'a method taken away': ({ paths }) => delete paths['/api/b2b/users']?.['put'],
  'a new required field': ({ paths }) => {
    const schema = paths[exchange]?.['post']?.requestBody?.content['application/json']?.schema
    schema?.required.push('region')
    Object.assign(schema?.properties ?? {}, { region: { type: 'string' } })
  },
  'an answer that lost a field': ({ components }) => delete propertiesOf(components, 'IssuedToken')['expiresAt'],
  'a value added to a closed list': ({ components }) => valuesOf(components, 'Status').push('MAYBE'),
  'a field of another type': ({ components }) =>
    Object.assign(propertiesOf(components, 'UserProfile'), { email: { type: 'integer' } }),
}

for (const [name, change] of Object.entries(breaking)) {
  test(`${name} is reported as a breaking change`, (t) => {
    const { before, after } = changed(t, change)

    assert.ok(!compare(before, after).isFine)
  })
}

test('versions of one series stay compatible: of a major version, or before 1.0 of a minor one', () => {
  assert.deepEqual(['0.2.0', '0.2.7', '0.3.0', '1.0.0', '1.9.2', '2.0.0'].map(seriesOf), [
    '0.2',
    '0.2',
    '0.3',
    '1',
    '1',
    '2',
  ])
})

test('a new path, a new optional field and a new value of an extensible list break nothing', (t) => {
  const { before, after } = changed(t, ({ paths, components }) => {
    Object.assign(paths, { '/api/b2b/more': structuredClone(paths['/api/b2b/users']) })
    Object.assign(propertiesOf(components, 'UserProfile'), { nickname: { type: 'string' } })
    valuesOf(components, 'Stage').push('UNHEARD_OF')
  })

  const { isFine, report } = compare(before, after)

  assert.ok(isFine, report)
})

test('an invalid description is refused, and ours is valid', (t) => {
  const { before, after } = changed(t, ({ paths }) => {
    for (const operation of Object.values(paths).flatMap(Object.values<Operation>)) delete operation.operationId
  })

  assert.ok(lint(before).isFine, lint(before).report)
  assert.ok(!lint(after).isFine)
})

test('every merchant event is described, with its body and its signature headers', () => {
  const { webhooks } = JSON.parse(readFileSync(written, 'utf8')) as {
    webhooks: Record<string, { post: { parameters: { name: string }[]; requestBody: { content: unknown } } }>
  }

  assert.deepEqual(Object.keys(webhooks), Object.keys(eventNames))
  for (const { post } of Object.values(webhooks)) {
    const body = { 'application/json': { schema: { $ref: '#/components/schemas/WebhookEvent' } } }
    assert.deepEqual(post.requestBody.content, body)
    assert.deepEqual(
      post.parameters.map(({ name }) => name),
      ['webhook-id', 'webhook-timestamp', 'webhook-signature'],
    )
  }
})
