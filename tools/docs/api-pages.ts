/** docs/reference/api: a page for each part of the API, generated from its description and from examples that are run. */
import {
  type ApiDocument,
  errorCodesOf,
  type Group,
  groupsOf,
  inlined,
  type Operation,
  operationsOf,
  responseSchema,
} from '../../packages/server/src/http/reference/document.ts'
import { curlOf, examples, inExampleOrder } from '../../packages/server/src/http/reference/examples.ts'
import {
  type Field,
  type FormTitle,
  fieldsOf,
  parameterField,
} from '../../packages/server/src/http/reference/fields.ts'

const note =
  '<!-- Made by npm run generate. Change the routes or packages/server/src/http/reference/examples.json instead. -->'

export function apiPages(document: ApiDocument): Map<string, string> {
  const groups = groupsOf(document, inExampleOrder(operationsOf(inlined(document))))
  const common = commonRefusals(groups.flatMap(({ operations }) => operations))
  const pages = groups.map(({ name, description = '', operations }) => {
    const sections = [...Map.groupBy(operations, ({ summary }) => summary).values()].map((same) =>
      section(same, common),
    )
    const text = `${note}\n\n# ${name}\n\n${description} The examples continue from [${before(name)}](${fileBefore(name)}).\n\n${sections.join('\n')}`
    return [pathOf(name), text] as const
  })
  return new Map([['docs/reference/api/README.md', overview(document, groups, common)], ...pages])
}

/** The part whose examples must run before. */
const order: Readonly<Record<string, string>> = {
  Refunds: 'Transactions',
  Exports: 'Charges',
  Charges: 'User',
  Transactions: 'Charges',
  Webhooks: 'Charges',
  Sandbox: 'Charges',
}

const before = (tag: string) => order[tag] ?? 'Quick start'
const fileBefore = (tag: string) => (order[tag] ? fileOf(order[tag]) : '../../start.md#get-a-token')

const fileOf = (tag: string) => `${tag.toLowerCase().replaceAll(' ', '-')}.md`
const pathOf = (tag: string) => `docs/reference/api/${fileOf(tag)}`
const anchorOf = (summary: string) =>
  summary
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, '')
    .replaceAll(' ', '-')

function overview({ info }: ApiDocument, groups: readonly Group[], common: readonly string[]): string {
  const parts = groups.map(({ name, description = '', operations }) => {
    const rows = operations.map(
      ({ method, path, summary }) => `| \`${method} ${path}\` | [${summary}](${fileOf(name)}#${anchorOf(summary)}) |`,
    )
    return `## ${name}\n\n${description}\n\n| call | |\n|---|---|\n${rows.join('\n')}\n`
  })
  return `${note}

# API reference

${info?.description}

The examples of a page can be tried one after another, in a shell that has \`MALIPO_URL\`, \`MALIPO_PUBLIC_KEY\`, \`MALIPO_API_KEY\`
and \`TOKEN\` set as in the [start](../../start.md). \`$TRANSACTION_ID\`, \`$EXTERNAL_ACCOUNT_ID\`, \`$WEBHOOK_ID\` and
\`$WEBHOOK_ENDPOINT_ID\` stand for the id in the last response, \`$WEBHOOK_URL\` for your receiver. Every path is also served below \`/api/sandbox/b2b\`, for sandbox tokens only.

The same for programs: [openapi.json](../openapi.json), a [Postman collection](../malipo.postman_collection.json) and
[malipo.http](../malipo.http).

${parts.join('\n')}
## Refusals

Every call can be refused with ${common.map((code) => linked(code)).join(', ')}; each page names what else a call can be
refused with. [Errors](../errors.md) says of each why, and what to do.
`
}

function section(same: readonly Operation[], common: readonly string[]): string {
  const [operation] = same
  if (!operation) return ''
  const { id, summary, description, isPublic, scope } = operation
  const example = examples[id]
  const calls = same.map(({ method, path }) => `\`${method} ${path}\``).join(' or ')
  const access = isPublic ? 'needs no token' : `scope \`${scope}\``
  const response = example ? `\n\`\`\`json${skipOf(id)}\n${JSON.stringify(example.response, null, 2)}\n\`\`\`\n` : ''
  return [
    `## ${summary}\n\n${calls} · ${access}\n`,
    ...(description ? [`${description}\n`] : []),
    table('Send', sentFields(operation)),
    table('Response', responseFields(operation)),
    `\`\`\`sh${ruleOf(id)}\n${curlOf(operation)}\n\`\`\`\n${response}`,
    refusals(operation, common),
  ]
    .filter((part) => part !== '')
    .join('\n')
}

/** The info string of an example's fence. */
function ruleOf(id: string): string {
  return skipOf(id) || (examples[id]?.isEventual ? ' again' : '')
}

function skipOf(id: string): string {
  const isSkipped = id === 'postFiatPayoutTransactionIdCancel'
  return isSkipped ? ' skip="test/api-reference.test.ts runs it, with a payout that is not sent yet"' : ''
}

type Row = Field | FormTitle

/** Headers last. */
function sentFields({ parameters, body }: Operation): Row[] {
  const inPlace = (isHeader: boolean) =>
    parameters
      .filter((parameter) => (parameter.in === 'header') === isHeader)
      .map((parameter) => {
        const field = parameterField(parameter)
        return { ...field, type: `${field.type} (${parameter.in})` }
      })
  return [...inPlace(false), ...(body ? fieldsOf(body) : []), ...inPlace(true)]
}

function responseFields(operation: Operation): Row[] {
  const schema = responseSchema(operation)
  return schema ? fieldsOf(schema).filter((row) => 'form' in row || row.name !== 'success') : []
}

function table(title: string, rows: readonly Row[]): string {
  if (rows.length === 0) return ''
  const lines = rows.map((row) => {
    if ('form' in row) return `| *${row.form}* | | |`
    const remark = title === 'Send' ? row.isRequired && ', required' : !row.isRequired && ', optional'
    return `| \`${row.name}\` | ${row.type}${remark || ''} | ${meaningOf(row)} |`
  })
  return `| ${title} | type | meaning |\n|---|---|---|\n${lines.join('\n')}\n`
}

/** The description and the limits of a field, for a cell of a table. */
export function meaningOf({ description, limits }: Field): string {
  return [description, ...limits]
    .filter((part) => part !== '')
    .join('; ')
    .replaceAll('|', '\\|')
}

const linked = (code: string, folder = '..') => `[\`${code}\`](${folder}/errors.md#${anchorOf(code)})`

/** Refusals that nearly every call shares, and that are listed once. */
function commonRefusals(operations: readonly Operation[]): string[] {
  const counts = new Map<string, number>()
  for (const code of operations.flatMap(errorCodesOf)) counts.set(code, (counts.get(code) ?? 0) + 1)
  const usual = [...counts].filter(([, count]) => count > operations.length * 0.9).map(([code]) => code)
  return [...usual, 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE']
}

function refusals(operation: Operation, common: readonly string[]): string {
  const own = errorCodesOf(operation).filter((code) => !common.includes(code))
  const rest = '[as every call](README.md#refusals)'
  return own.length === 0
    ? `Refused ${rest}.\n`
    : `Refused with ${own.map((code) => linked(code)).join(', ')}, and ${rest}.\n`
}
