import { catalogue, invalid } from '../../errors.ts'
import { envelope } from '../refuse.ts'
import { type Flag, fieldsOf, fieldsTable, typeOf } from './fields.ts'
import { codeBlock, type Html, html, type Part, paragraphs, prose, slug, table, wholePage } from './html.ts'
import { essential, exampleOf, type Schema } from './schema.ts'
import { style } from './style.ts'

type Json = Readonly<Record<string, unknown>>

interface Content {
  readonly description?: string
  readonly content?: { readonly 'application/json'?: { readonly schema?: Schema } }
}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly description?: string
  readonly schema?: Schema
}

interface Operation {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly tags?: readonly string[]
  readonly operationId?: string
  readonly summary?: string
  readonly description?: string
  readonly security?: readonly unknown[]
  readonly 'x-scope'?: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: Content
  readonly responses?: Readonly<Record<string, Content>>
}

interface Group {
  readonly id: string
  readonly name: string
  readonly description?: string
  readonly operations: readonly Operation[]
}

/** The whole reference as one page that loads nothing. Every text of the document is escaped. */
export function referencePage(document: Json): string {
  const { title = 'API', version = '', description = '' } = (document['info'] ?? {}) as Record<string, string>
  const starts = startsOf(document, version)
  const groups = groupsOf(document)
  const brand = html`<a class="brand" href="#top">${title} <small>API ${version}</small></a>`
  return wholePage(
    `${title} API reference`,
    style,
    html`<a class="skip" href="#content">Skip to the content</a>
<details class="narrow"><summary>${title} API: contents</summary>${contents(starts, groups)}</details>
<div class="frame">
<div class="wide">${brand}${contents(starts, groups)}</div>
<main id="content">
<h1>${title} API</h1>
<p class="lead">${prose(description)}</p>
<section class="group" id="getting-started"><h2>Getting started</h2>
${starts.map(startSection)}</section>
${groups.map(groupSection)}
${errorsSection()}
</main>
</div>`,
  )
}

/** The operations under their tags, in document order, with every reference resolved. */
function groupsOf(document: Json): Group[] {
  const { schemas = {} } = (document['components'] ?? {}) as { schemas?: Json }
  const paths = resolved(document['paths'] ?? {}, schemas) as Record<string, Record<string, Operation>>
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      return { ...operation, method, path, id: slug(operation.operationId ?? `${method}${path}`) }
    }),
  )
  const described = (document['tags'] ?? []) as readonly { name: string; description?: string }[]
  const byTag = Map.groupBy(operations, ({ tags = [] }) => tags[0] ?? 'Other')
  const names = new Set([...described.map(({ name }) => name).filter((name) => byTag.has(name)), ...byTag.keys()])
  return [...names].map((name) => {
    const tag = described.find((each) => each.name === name)
    return { ...tag, name, id: `tag-${slug(name)}`, operations: byTag.get(name) ?? [] }
  })
}

/** A recursive schema is not followed: inside itself it is an object with its name. */
function resolved(value: unknown, schemas: Json, within: readonly string[] = []): unknown {
  if (Array.isArray(value)) return value.map((item) => resolved(item, schemas, within))
  if (typeof value !== 'object' || value === null) return value
  const { $ref, allOf, ...plain } = value as { $ref?: unknown; allOf?: unknown }
  const own = Object.fromEntries(Object.entries(plain).map(([key, inner]) => [key, resolved(inner, schemas, within)]))
  const parts = Array.isArray(allOf) ? (resolved(allOf, schemas, within) as Schema[]) : []
  if (parts.length > 0) return [...parts, own as Schema].reduce(merged)
  if (typeof $ref !== 'string') return own
  const name = $ref.slice($ref.lastIndexOf('/') + 1)
  if (within.includes(name)) return { type: 'object', title: name, ...own }
  return { ...(resolved(schemas[name] ?? {}, schemas, [...within, name]) as Json), ...own }
}

function merged(left: Schema, right: Schema): Schema {
  const properties = { ...left.properties, ...right.properties }
  return { ...left, ...right, properties, required: [...(left.required ?? []), ...(right.required ?? [])] }
}

interface Start {
  readonly id: string
  readonly title: string
  readonly text: string
  readonly caption: string
  readonly code: string
}

function contents(starts: readonly Start[], groups: readonly Group[]): Html {
  const list = (title: string, links: readonly Html[]) => html`<h2>${title}</h2>\n<ul>${links}</ul>\n`
  const link = (id: string, label: Part) => html`<li><a href="#${id}">${label}</a></li>\n`
  const startLink = ({ id, title }: Start) => link(id, title)
  const operationLink = ({ id, method, summary, path }: Operation) =>
    link(id, [badge(method), html`<span>${summary ?? path}</span>`])
  return html`<nav aria-label="Contents">
${list('Getting started', starts.map(startLink))}
${groups.map(({ name, operations }) => list(name, operations.map(operationLink)))}
${list('Errors', [link('errors', 'All error codes')])}</nav>`
}

const badge = (method: string) => html`<span class="method ${slug(method)}">${method.toUpperCase()}</span> `

/** The sections that apply to every operation. */
function startsOf(document: Json, version: string): Start[] {
  const [server] = (document['servers'] ?? []) as readonly { url?: string }[]
  const origin = server?.url?.startsWith('http') ? server.url.replace(/\/$/, '') : undefined
  return [
    {
      id: 'base-url',
      title: 'Base URL and token',
      text: `Every path begins at ${origin ? `\`${origin}\`` : 'the address that shows you this page'}; the examples call it \`$MALIPO_URL\`. Requests and answers are JSON.

A key pair is exchanged for a token, and the token goes with every other request as \`Authorization: Bearer …\`. It lasts an hour; \`expiresAt\` tells until when. Asking again gives the same token while more than five minutes of it remain. A missing, wrong or expired token is refused with \`UNAUTHORIZED\`.`,
      caption: 'Get a token and use it',
      code: firstCalls(origin),
    },
    {
      id: 'sandbox',
      title: 'Sandbox',
      text: `A key pair is for live or for the sandbox, and its token decides which of the two a request is about. They never mix.

Every path below \`/api/b2b\` also exists below \`/api/sandbox/b2b\`, which takes sandbox tokens only: a live token is refused there with \`SANDBOX_ONLY\`, so a test sent there cannot move real money.`,
      caption: 'In the sandbox',
      code: 'curl "$MALIPO_URL/api/sandbox/b2b/users" \\\n  -H "Authorization: Bearer $TOKEN"',
    },
    {
      id: 'refusals',
      title: 'Refusals',
      text: `Unless an operation says otherwise, a refusal is this envelope. Decide by \`errorCode\`: it has one meaning and one HTTP status, while \`message\` is for people and may change.

\`details\` names what is wrong, where that helps. \`retryable\` is there, and true, when the very same request may succeed later.`,
      caption: 'Answer 400',
      code: pretty(envelope(sampleRefusal, 'req_6f1c2a9e-5d0b-4c7e-9a43-1f0e8d2b7c55')),
    },
    {
      id: 'rate-limits',
      title: 'Rate limits',
      text: `Requests are counted for each merchant, live and sandbox apart. An answer to a request with a good token tells how it stands: \`RateLimit-Limit\` is how many a second are allowed, \`RateLimit-Remaining\` how many are left now, \`RateLimit-Reset\` the seconds until all of them are back.

One too many is refused with \`RATE_LIMIT_EXCEEDED\`. That and \`OVERLOADED\` carry \`Retry-After\`: wait as many seconds.`,
      caption: 'Headers of an answer',
      code: 'RateLimit-Limit: 25\nRateLimit-Remaining: 24\nRateLimit-Reset: 1',
    },
    {
      id: 'request-ids',
      title: 'Request ids and version',
      text: `Every answer carries \`X-Request-Id\`, which a refusal repeats as \`requestId\`: tell it to the operator when something is wrong. Send your own, at most 128 printable ASCII characters without spaces, and it is kept.

\`X-API-Version\` is the version of this API, now \`${version}\`.`,
      caption: 'Headers of an answer',
      code: `X-Request-Id: order-1042-first-try\nX-API-Version: ${version}`,
    },
  ]
}

const firstCalls = (origin = 'https://malipo.example.com') => `MALIPO_URL=${origin}

TOKEN=$(curl -s "$MALIPO_URL/api/b2b/auth/generate-bearer-token" \\
  -H "api-key: sk_test_…" \\
  -H "Content-Type: application/json" \\
  -d '{ "publicKey": "pk_test_…" }' | jq -r .token)

curl "$MALIPO_URL/api/b2b/users" \\
  -H "Authorization: Bearer $TOKEN"`

const sampleRefusal = invalid([{ field: 'firstName', message: 'firstName must have at least 1 character' }])

const pretty = (value: unknown) => JSON.stringify(value, undefined, 2)

const startSection = ({ id, title, text, caption, code }: Start) => html`<section class="pair" id="${id}">
<div class="text"><h3><a href="#${id}">${title}</a></h3>${paragraphs(text)}</div>
<div class="example">${codeBlock(caption, code)}</div></section>
`

const groupSection = ({ id, name, description, operations }: Group) => html`<section class="group" id="${id}">
<h2>${name}</h2>${description && paragraphs(description)}
${operations.map(operationSection)}</section>
`

function operationSection(operation: Operation): Html {
  const { id, method, path, summary = path, description, parameters = [], requestBody, responses = {} } = operation
  const answers = Object.entries(responses).filter(([status]) => status < '300')
  const refusals = Object.entries(responses).filter(([status]) => status >= '300')
  const shownPath = path.split(/(\{[^}]*\})/).map((part, index) => (index % 2 ? html`<var>${part}</var>` : part))
  return html`<section class="pair operation" id="${id}"><div class="text">
<h3><a href="#${id}">${summary}</a></h3>
<p class="call">${badge(method)}<code>${shownPath}</code></p>
<p class="access">${accessOf(operation)}</p>
${description && paragraphs(description)}
${parameterTables(parameters)}
${requestBody && bodySection('Body', requestBody, 'required')}
${answers.map(([status, answer]) => bodySection(`Answer ${status}`, answer, 'optional'))}
${refusals.length > 0 ? html`<h4>Refusals</h4>${table('refusals', ['Status', 'Error codes'], refusals.map(refusalRow))}` : ''}
</div>
<div class="example">${codeBlock('Request', curlOf(operation))}
${answers.map(([status, answer]) => {
  const schema = schemaOf(answer)
  return schema && codeBlock(`Answer ${status}`, pretty(exampleOf(schema)))
})}</div></section>
`
}

const schemaOf = (content: Content | undefined) => content?.content?.['application/json']?.schema

function accessOf({ security, 'x-scope': scope }: Operation): Part {
  if (security?.length === 0) return 'No token needed'
  return scope === undefined ? 'Needs a token' : html`Needs a token with the scope <code>${scope}</code>`
}

const places = { path: 'Path parameters', query: 'Query parameters', header: 'Headers' }

function parameterTables(parameters: readonly Parameter[]): Html[] {
  const field = ({ name, schema = {}, required = false, description = schema.description ?? '' }: Parameter) => {
    return { name, schema: { ...schema, description }, isRequired: required }
  }
  return Object.entries(places).flatMap(([place, heading]) => {
    const fields = parameters.filter((parameter) => parameter.in === place).map(field)
    return fields.length > 0 ? [fieldsTable(heading, fields, 'required')] : []
  })
}

function refusalRow([status, { description = '' }]: [string, Content]): Html {
  const codes = description.split('\n\n').map((line) => [prose(/^`[^`]+`/.exec(line)?.[0] ?? line), ' '])
  return html`<tr><th scope="row">${status}</th><td class="codes">${codes}</td></tr>\n`
}

function errorsSection(): Html {
  const rows = Object.values(catalogue).map(({ errorCode, status, message, cause, fix, ...rest }) => {
    return html`<tr id="error-${slug(errorCode)}"><th scope="row"><code>${errorCode}</code>
<span class="note">${message}</span></th><td>${status}</td><td>${prose(cause)}</td><td>${prose(fix)}</td>
<td>${'retryable' in rest ? 'retryable' : ''}</td></tr>\n`
  })
  return html`<section class="group" id="errors"><h2>Errors</h2>
<p>Every error code, what leads to it and what to do. Where it says retryable, the very same request may succeed later.</p>
${table('errors', ['Error code', 'Status', 'Cause', 'What to do', 'Retry'], rows)}</section>`
}

function bodySection(heading: string, content: Content, flag: Flag): Html {
  const schema = schemaOf(content)
  if (!schema) return html`<h4>${heading}</h4><p>No body.</p>`
  const fields = fieldsOf(schema)
  const isPlain = fields.length > 0 && !schema.items
  return fieldsTable(isPlain ? heading : `${heading}: ${typeOf(schema)}`, fields, flag)
}

/** A command to paste into a shell once `MALIPO_URL` and `TOKEN` are set. */
function curlOf({ method, path, security, parameters = [], requestBody }: Operation): string {
  const sample = ({ name, schema = {} }: Parameter) => String(exampleOf(schema, name))
  const inPlace = (place: string) => parameters.filter((parameter) => parameter.in === place)
  const fill = (url: string, each: Parameter) => url.replace(`{${each.name}}`, encodeURIComponent(sample(each)))
  const query = essential(inPlace('query'), ({ required }) => required === true)
    .map((each) => `${encodeURIComponent(each.name)}=${encodeURIComponent(sample(each))}`)
    .join('&')
  const body = schemaOf(requestBody)
  const lines = [
    `curl ${method === 'get' ? '' : `-X ${method.toUpperCase()} `}"$MALIPO_URL${inPlace('path').reduce(fill, path)}${query && `?${query}`}"`,
    ...(security?.length === 0 ? [] : ['-H "Authorization: Bearer $TOKEN"']),
    ...inPlace('header').map((each) => `-H "${each.name}: ${sample(each)}"`),
    ...(body ? ['-H "Content-Type: application/json"', `-d ${quoted(pretty(exampleOf(body, '', essential)))}`] : []),
  ]
  return lines.map((line) => line.replaceAll('\n', '\n  ')).join(' \\\n  ')
}

/** Quotes text as one shell word. */
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`
