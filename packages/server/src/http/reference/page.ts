import {
  type ApiDocument,
  type Content,
  codesIn,
  type Group,
  groupsOf,
  inlined,
  type Operation,
  operationsOf,
  type Parameter,
  schemaOf,
} from './document.ts'
import { errorsTable } from './errors-page.ts'
import { curlOf, examples, inExampleOrder } from './examples.ts'
import { type Field, type FormTitle, fieldsOf, parameterField, typeOf } from './fields.ts'
import { codeBlock, type Html, html, type Part, paragraphs, prose, slug, table, wholePage } from './html.ts'
import { requestCaption, type Start, startsOf } from './starts.ts'
import { style } from './style.ts'

/** A request flags required fields, a response flags optional ones. */
type Flag = 'required' | 'optional'

/** The whole reference as one page that loads nothing. Every text of the document is escaped. */
export function referencePage(document: ApiDocument, origin: string): string {
  const { title = 'API', version = '', description = '' } = document.info ?? {}
  const starts = startsOf(origin, version)
  const groups = groupsOf(document, inExampleOrder(operationsOf(inlined(document))))
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
${groups.map((group) => groupSection(group, origin))}
<section class="group" id="errors"><h2>Errors</h2>
<p>Every error code, with its cause and what to do. Retryable: the same request may succeed later.</p>
${errorsTable()}</section>
</main>
</div>`,
  )
}

function contents(starts: readonly Start[], groups: readonly Group[]): Html {
  const list = (title: string, links: readonly Html[]) => html`<h2>${title}</h2>\n<ul>${links}</ul>\n`
  const link = (id: string, label: Part) => html`<li><a href="#${id}">${label}</a></li>\n`
  const startLink = ({ id, title }: Start) => link(id, title)
  const operationLink = ({ id, method, summary }: Operation) =>
    link(slug(id), [badge(method), html`<span>${summary}</span>`])
  return html`<nav aria-label="Contents">
${list('Getting started', starts.map(startLink))}
${groups.map(({ name, operations }) => list(name, operations.map(operationLink)))}
${list('Errors', [link('errors', 'All error codes')])}</nav>`
}

const badge = (method: string) => html`<span class="method ${slug(method.toLowerCase())}">${method}</span> `

const pretty = (value: unknown) => JSON.stringify(value, undefined, 2)

const startSection = ({ id, title, text, blocks }: Start) => html`<section class="pair" id="${id}">
<div class="text"><h3><a href="#${id}">${title}</a></h3>${paragraphs(text)}</div>
<div class="example">${blocks.map(([caption, code]) => codeBlock(caption, code))}</div></section>
`

const groupSection = (
  { name, description, operations }: Group,
  origin: string,
) => html`<section class="group" id="tag-${slug(name)}">
<h2>${name}</h2>${description && paragraphs(description)}
${operations.map((operation) => operationSection(operation, origin))}</section>
`

function operationSection(operation: Operation, origin: string): Html {
  const { method, path, summary, description, parameters, body, responses } = operation
  const id = slug(operation.id)
  const answers = Object.entries(responses).filter(([status]) => status < '300')
  const refusals = Object.entries(responses).filter(([status]) => status >= '300')
  const shownPath = path.split(/(\{[^}]*\})/).map((part, index) => (index % 2 ? html`<var>${part}</var>` : part))
  const sample = examples[operation.id]
  return html`<section class="pair operation" id="${id}"><div class="text">
<h3><a href="#${id}">${summary}</a></h3>
<p class="call">${badge(method)}<code>${shownPath}</code></p>
<p class="access">${accessOf(operation)}</p>
${description && paragraphs(description)}
${parameterTables(parameters)}
${body && fieldsTable('Body', fieldsOf(body), 'required')}
${answers.map(([status, answer]) => answerSection(`Response ${status}`, answer))}
${refusals.length > 0 ? html`<h4>Refusals</h4>${table('refusals', ['Status', 'Error codes'], refusals.map(refusalRow))}` : ''}
</div>
<div class="example">${codeBlock(requestCaption, curlOf(operation, origin))}
${sample && codeBlock('Response 200', pretty(sample.answer))}</div></section>
`
}

function accessOf({ isPublic, scope }: Operation): Part {
  if (isPublic) return 'No token needed'
  return scope === undefined ? 'Needs a token' : html`Needs a token with the scope <code>${scope}</code>`
}

const places = { path: 'Path parameters', query: 'Query parameters', header: 'Headers' }

function parameterTables(parameters: readonly Parameter[]): Html[] {
  return Object.entries(places).flatMap(([place, heading]) => {
    const fields = parameters.filter((parameter) => parameter.in === place).map(parameterField)
    return fields.length > 0 ? [fieldsTable(heading, fields, 'required')] : []
  })
}

function refusalRow([status, { description = '' }]: [string, Content]): Html {
  const codes = codesIn(description)
  const cells = codes.length > 0 ? codes.map((code) => [prose(`\`${code}\``), ' ']) : prose(description)
  return html`<tr><th scope="row">${status}</th><td class="codes">${cells}</td></tr>\n`
}

function answerSection(heading: string, content: Content): Html {
  const schema = schemaOf(content)
  if (!schema) return html`<h4>${heading}</h4><p>No body.</p>`
  const fields = fieldsOf(schema)
  const isPlain = fields.length > 0 && !schema.items
  return fieldsTable(isPlain ? heading : `${heading}: ${typeOf(schema)}`, fields, 'optional')
}

function fieldsTable(heading: string, fields: readonly (Field | FormTitle)[], flag: Flag): Html {
  const rows = fields.map((field) => ('form' in field ? formRow(field) : fieldRow(field, flag)))
  return html`<h4>${heading}</h4>${rows.length > 0 ? table('fields', ['Field', 'Meaning and limits'], rows) : ''}`
}

const formRow = ({ form }: FormTitle) => html`<tr class="form"><th scope="rowgroup" colspan="2">${form}</th></tr>\n`

function fieldRow({ name, type, isRequired, description, limits }: Field, flag: Flag): Html {
  const ownAt = name.lastIndexOf('.') + 1
  const flagged = isRequired === (flag === 'required') ? html` <span class="${flag}">${flag}</span>` : ''
  const note = limits.join('; ')
  return html`<tr><th scope="row"><code><span class="parent">${name.slice(0, ownAt)}</span><wbr>${name.slice(ownAt)}</code>
<span class="note">${type}${flagged}</span></th>
<td>${prose(description)}${note && html`<span class="note">${prose(note)}</span>`}</td></tr>\n`
}
