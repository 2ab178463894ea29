/** docs/reference/api: a page for each part of the API, generated from its description and from examples that are run. */
import {
  type ApiDocument,
  answerSchema,
  bodySchema,
  type Field,
  fieldsOf,
  type Operation,
  operationsOf,
  parameterFields,
  refusalsOf,
} from './api-document.ts'
import { curlOf } from './api-requests.ts'

const note = '<!-- Made by npm run generate. Change the routes or tools/docs/api-examples.json instead. -->'

export function apiPages(document: ApiDocument): Map<string, string> {
  const operations = operationsOf(document)
  const common = commonRefusals(operations)
  const pages = document.tags.map(({ name, description = '' }) => {
    const own = operations.filter(({ tags }) => tags.includes(name))
    const sections = [...Map.groupBy(own, ({ summary }) => summary).values()].map((same) =>
      section(document, same, common),
    )
    const text = `${note}\n\n# ${name}\n\n${description} This page continues from [${before(name)}](${fileBefore(name)}).\n\n${sections.join('\n')}`
    return [pathOf(name), text] as const
  })
  return new Map([['docs/reference/api/README.md', overview(document, operations, common)], ...pages])
}

/** The part whose examples must run before. */
const order: Readonly<Record<string, string>> = {
  Charges: 'User',
  Transactions: 'Charges',
  Webhooks: 'Charges',
  Sandbox: 'Charges',
}

const before = (tag: string) => order[tag] ?? 'the start'
const fileBefore = (tag: string) => (order[tag] ? fileOf(order[tag]) : '../../start.md#get-a-token')

const fileOf = (tag: string) => `${tag.toLowerCase().replaceAll(' ', '-')}.md`
const pathOf = (tag: string) => `docs/reference/api/${fileOf(tag)}`
const anchorOf = (summary: string) =>
  summary
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, '')
    .replaceAll(' ', '-')

function overview({ info, tags }: ApiDocument, operations: readonly Operation[], common: readonly string[]): string {
  const parts = tags.map(({ name, description = '' }) => {
    const rows = operations
      .filter((operation) => operation.tags.includes(name))
      .map(
        ({ method, url, summary }) => `| \`${method} ${url}\` | [${summary}](${fileOf(name)}#${anchorOf(summary)}) |`,
      )
    return `## ${name}\n\n${description}\n\n| call | |\n|---|---|\n${rows.join('\n')}\n`
  })
  return `${note}

# API reference

${info.description}

The examples of a page can be tried one after another, in a shell that has \`MALIPO_URL\`, \`MALIPO_PUBLIC_KEY\`, \`MALIPO_API_KEY\`
and \`TOKEN\` set as in the [start](../../start.md). \`$TRANSACTION_ID\`, \`$EXTERNAL_ACCOUNT_ID\` and \`$WEBHOOK_ID\` stand for the id in
the last answer, \`$WEBHOOK_URL\` for your receiver. Every path is also served below \`/api/sandbox/b2b\`, for sandbox tokens only.

The same for programs: [openapi.json](../openapi.json), a [Postman collection](../malipo.postman_collection.json) and
[malipo.http](../malipo.http).

${parts.join('\n')}
## Refusals

Every call can be refused with ${common.map((code) => linked(code)).join(', ')}; each page names what else a call can be
refused with. [Errors](../errors.md) says of each why, and what to do.
`
}

function section(document: ApiDocument, same: readonly Operation[], common: readonly string[]): string {
  const [operation] = same
  if (!operation) return ''
  const { summary, description, isOpen, example } = operation
  const calls = same.map(({ method, url }) => `\`${method} ${url}\``).join(' or ')
  const scope = isOpen ? 'needs no token' : `scope \`${operation['x-scope']}\``
  const rule = example.skip === undefined ? (example.isEventual ? ' again' : '') : ` skip="${example.skip}"`
  const answer =
    example.answer === undefined ? '' : `\n\`\`\`json\n${JSON.stringify(example.answer, null, 2)}\n\`\`\`\n`
  return [
    `## ${summary}\n\n${calls} · ${scope}\n`,
    ...(description ? [`${description}\n`] : []),
    table('Send', sentFields(document, operation)),
    table('Answer', answeredFields(document, operation)),
    `\`\`\`sh${rule}\n${curlOf(operation)}\n\`\`\`\n${answer}`,
    refusals(operation, common),
  ]
    .filter((part) => part !== '')
    .join('\n')
}

/** Required fields first; optional headers last. */
function sentFields(document: ApiDocument, operation: Operation): Field[] {
  const body = bodySchema(operation)
  const fields = [...parameterFields(document, operation), ...(body ? fieldsOf(document, body) : [])]
  const isHeader = ({ type }: Field) => type.endsWith('(header)')
  return [...fields.filter((field) => !isHeader(field)), ...fields.filter(isHeader)]
}

function answeredFields(document: ApiDocument, operation: Operation): Field[] {
  const schema = answerSchema(operation)
  return schema ? fieldsOf(document, schema).filter(({ name }) => name !== 'success') : []
}

function table(title: string, fields: readonly Field[]): string {
  if (fields.length === 0) return ''
  const rows = fields.map(({ name, type, isRequired, about }) => {
    const remark = title === 'Send' ? isRequired && ', required' : !isRequired && ', where it applies'
    return `| \`${name}\` | ${type}${remark || ''} | ${about.replaceAll('|', '\\|')} |`
  })
  return `| ${title} | type | what it is |\n|---|---|---|\n${rows.join('\n')}\n`
}

const linked = (code: string, folder = '..') => `[\`${code}\`](${folder}/errors.md#${anchorOf(code)})`

/** Refusals that nearly every call shares, and that are listed once. */
function commonRefusals(operations: readonly Operation[]): string[] {
  const counts = new Map<string, number>()
  for (const code of operations.flatMap(refusalsOf)) counts.set(code, (counts.get(code) ?? 0) + 1)
  const usual = [...counts].filter(([, count]) => count > operations.length * 0.9).map(([code]) => code)
  return [...usual, 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE']
}

function refusals(operation: Operation, common: readonly string[]): string {
  const own = refusalsOf(operation).filter((code) => !common.includes(code))
  const rest = '[as every call](README.md#refusals)'
  return own.length === 0
    ? `Refused ${rest}.\n`
    : `Refused with ${own.map((code) => linked(code)).join(', ')}, and ${rest}.\n`
}
