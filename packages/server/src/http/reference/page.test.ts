import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Type } from 'typebox'
import { catalogue } from '../../errors.ts'
import { openApiDocument } from '../openapi.ts'
import type { DeclaredRoute } from '../routes.ts'
import type { ApiDocument } from './document.ts'
import { errorsPage } from './errors-page.ts'
import { referencePage } from './page.ts'
import { script } from './script.ts'
import { style } from './style.ts'

const Payout = Type.Object({
  amount: Type.Number({ minimum: 1, maximum: 500 }),
  currency: Type.Union([Type.Literal('KES'), Type.Literal('UGX')]),
  externalReference: Type.String({ minLength: 1, maxLength: 100, pattern: '^[!-~]+$' }),
  country: Type.String({ pattern: '^[A-Z]{2}$' }),
  businessNumber: Type.String({ pattern: '^\\*[0-9]{5,7}#$' }),
  beneficiaries: Type.Array(Type.Object({ firstName: Type.String(), isKnown: Type.Boolean() })),
  note: Type.Optional(Type.String({ description: 'Never shown in an example, since it is optional' })),
})

const routes: DeclaredRoute[] = [
  {
    method: 'POST',
    url: '/api/b2b/payouts',
    access: { scope: 'profile:write', errors: ['USER_MISSING', 'LIVE_ONLY'] },
    schema: { summary: 'Pay out', tags: ['Payouts'], body: Payout, response: { 200: Type.Array(Payout) } },
  },
  {
    method: 'GET',
    url: '/api/b2b/payouts/:id',
    access: { isPublic: true },
    schema: {
      description: 'See `amount`, or `OVERLOADED`.',
      params: Type.Object({ id: Type.String() }),
      querystring: Type.Object({ limit: Type.Optional(Type.Integer({ minimum: 1, default: 50 })) }),
      response: { 204: Type.Null() },
    },
  },
]

/** A document with every kind of schema, in which each text ends with the given suffix. */
function documentWith(text: string): ApiDocument {
  const say = (word: string) => `${word}${text}`
  const field = { type: 'string', description: say('field'), pattern: say('^x'), format: say('f'), title: say('title') }
  const object = { type: 'object', title: say('form'), properties: { [say('name')]: field }, required: [say('name')] }
  const schema = {
    ...object,
    properties: {
      ...object.properties,
      list: { type: 'array', items: { anyOf: [object, { ...object }, { type: 'null' }] } },
      choice: { enum: [say('a'), say('b')], default: say('a') },
      fixed: { const: say('fixed'), examples: [say('example')] },
      whole: { allOf: [object, { $ref: '#/components/schemas/Known' }] },
      map: { type: 'object', patternProperties: { [say('^k')]: field }, additionalProperties: field },
    },
  }
  const content = { 'application/json': { schema } }
  const parameter = (place: string) => ({ name: say('p'), in: place, description: say('about'), schema: field })
  const operation = {
    operationId: say('id'),
    summary: say('summary'),
    description: say('description `code`\n\n'),
    tags: [say('tag')],
    'x-scope': say('scope'),
    parameters: ['path', 'query', 'header'].map(parameter),
    requestBody: { content },
    responses: { 200: { content }, 400: { description: say('`CODE`: ') }, [say('5xx')]: { description: say('text') } },
  }
  return {
    info: { title: say('title'), version: say('1'), description: say('about') },
    tags: [{ name: say('tag'), description: say('tag') }],
    paths: { [say('/path/{id}')]: { get: operation, [say('post')]: { ...operation, operationId: say('other') } } },
    components: {
      schemas: {
        Known: { ...object, properties: { self: { $ref: '#/components/schemas/Known', title: say('self') } } },
      },
    },
  }
}

const origin = 'https://api.example.com'
const pageOf = (document: ApiDocument) => referencePage(document, origin)
const pages = () => [pageOf(openApiDocument(routes)), pageOf(documentWith('')), pageOf({})]
const tagsOf = (page: string) => page.match(/<[a-z!/][^>]*>/gi) ?? []
const attributes = (page: string, name: string) =>
  tagsOf(page).flatMap((tag) =>
    [...tag.matchAll(new RegExp(` ${name}="([^"]*)"`, 'g'))].map(([, value]) => value ?? ''),
  )
const plain = (page: string) =>
  page
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')

test('no text of the document becomes markup, wherever it appears', () => {
  const hostile = '"\'><script src=//evil.example></script><p style=x onclick=x>&amp;'
  const structure = (page: string) =>
    tagsOf(page)
      .map((tag) => /^<\/?\w+/.exec(tag)?.[0])
      .filter((tag) => !tag?.endsWith('span'))

  const page = pageOf(documentWith(hostile))

  assert.deepEqual(structure(page), structure(pageOf(documentWith(''))))
  assert.doesNotMatch(page, /<script |evil\.example>|onclick=x>/)
  assert.ok(page.includes('&quot;&#39;&gt;&lt;script src=//evil.example&gt;&lt;/script&gt;'))
  assert.ok(page.includes('&amp;amp;'))
})

test('the page loads no resource and runs only its own script', () => {
  for (const page of pages()) {
    const tags = tagsOf(page)

    assert.ok(attributes(page, 'href').every((target) => target.startsWith('#')))
    assert.deepEqual(
      tags.filter((tag) => /^<(script .*|link|img|iframe|object|embed|base|form)\b/i.test(tag)),
      [],
    )
    assert.deepEqual(
      tags.filter((tag) => / (style|src|srcset|on\w+)=/i.test(tag)),
      [],
    )
  }
  assert.doesNotMatch(style, /url\(|@import|</)
})

test('the only style and script elements hold exactly the texts whose hashes the policy allows', () => {
  for (const page of pages()) {
    const styles = [...page.matchAll(/<style>([^<]*)<\/style>/g)].map(([, text]) => text)

    const scripts = [...page.matchAll(/<script>([^<]*)<\/script>/g)].map(([, text]) => text)

    assert.deepEqual([styles, scripts], [[style], [script]])
  }
})

test('every operation and error code has an anchor, and every link on the page has a target', () => {
  for (const page of pages()) {
    const ids = attributes(page, 'id')

    assert.equal(new Set(ids).size, ids.length)
    for (const { errorCode } of Object.values(catalogue)) assert.ok(ids.includes(errorCode), errorCode)
    for (const target of attributes(page, 'href')) assert.ok(ids.includes(target.slice(1)), target)
  }
  const ids = attributes(pageOf(openApiDocument(routes)), 'id')
  for (const id of ['postPayouts', 'getPayoutsId']) assert.ok(ids.includes(id), id)
})

test('each error code of an operation links to the row that explains it', () => {
  const [, operation = ''] = pageOf(openApiDocument(routes)).split('id="postPayouts"')

  for (const code of ['VALIDATION_ERROR', 'E-B2B-S-118', 'LIVE_ONLY', 'INTERNAL_SERVER_ERROR'])
    assert.ok(operation.includes(`<a href="#${code}"><code>${code}</code></a>`), code)
})

test('backticks make code, and an error code between them links to its row', () => {
  const page = pageOf(openApiDocument(routes))

  assert.ok(page.includes('See <code>amount</code>, or <a href="#OVERLOADED"><code>OVERLOADED</code></a>.'))
})

test('an operation with an example shows it as a command with the real URL, and its response', () => {
  const shown = { ...routes[0], url: '/api/b2b/fiat/deposit/momo' } as DeclaredRoute
  const text = plain(pageOf(openApiDocument([shown])))

  assert.match(
    text,
    /curl -s "https:\/\/api\.example\.com\/api\/b2b\/fiat\/deposit\/momo" \\\n {2}-H "authorization: Bearer \$TOKEN"/,
  )
  assert.match(text, /"phoneNumber": "\+254703456789"/)
  assert.match(text, /"message": "Initiated request\."/)
})

test('nested fields are shown by their dotted names, with their limits in words', () => {
  const text = plain(pageOf(openApiDocument(routes)))

  for (const words of [
    'beneficiaries[].firstName',
    '1 to 500',
    'one of KES, UGX',
    '1 to 100 characters',
    '50 if omitted',
  ])
    assert.ok(text.includes(words), words)
})

test('each variant of a field is shown separately, and patterned names appear as their pattern', () => {
  const text = plain(pageOf(documentWith('')))

  for (const words of ['list[], form 1 of 2: form', 'list[], form 2 of 2: form', 'map./^k/', 'map.*', 'whole.self'])
    assert.ok(text.includes(words), words)
})

test('the page of errors has an anchor, the cause and the fix of every error', () => {
  const page = errorsPage()
  const ids = attributes(page, 'id')
  const text = plain(page)

  for (const { errorCode, cause, fix } of Object.values(catalogue)) {
    assert.ok(ids.includes(errorCode), errorCode)
    for (const words of [cause, fix]) assert.ok(text.includes(words.replaceAll('`', '')), words)
  }
})
