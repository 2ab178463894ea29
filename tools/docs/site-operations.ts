/**
 * A page of the API reference as it looks on the site: every operation with its method and path, its fields as rows, and its request and
 * response beside them on a wide screen. The Markdown in docs/reference/api has the same content as tables.
 */
import { linesOf, withoutCode } from './markdown.ts'

/** An error by its code, from docs/reference/errors.md. */
interface KnownError {
  readonly status: string
  readonly message: string
}

export type KnownErrors = ReadonlyMap<string, KnownError>

/** Titles of the field tables, by the first word of the table. */
const fieldTitles: Readonly<Record<string, string>> = { Send: 'Request', Answer: 'Response' }
const endpoint = /`(GET|POST|PUT|PATCH|DELETE) (\/[^`]*)`/

export function knownErrors(page: string): KnownErrors {
  const entries = [...page.matchAll(/^### (\S+)\n+(\d{3}): \*\*(.*?)\*\*/gm)]
  return new Map(entries.map(([, code = '', status = '', message = '']) => [code, { status, message }]))
}

/** `body` is the page below its title. */
export function operationPage(body: string, errors: KnownErrors): string {
  const [lead = '', ...sections] = sectionsOf(body)
  const parts = sections.map((section) => operation(section, errors) ?? badged(section))
  const isReference = parts.some((part) => part.includes('class="operation"'))
  return `${lead}${isReference ? contents(sections) : ''}${parts.join('')}`
}

/** The text before the first heading of the second level, then each section. */
function sectionsOf(text: string): string[] {
  const plain = withoutCode(text).split('\n')
  const starts = plain.flatMap((line, index) => (line.startsWith('## ') ? [index] : []))
  const lines = text.split('\n')
  return [0, ...starts].map((start, index) => {
    const end = starts[index] ?? lines.length
    return lines
      .slice(start, end)
      .map((line) => `${line}\n`)
      .join('')
  })
}

/** Every operation of the page in one line, with a link. */
function contents(sections: readonly string[]): string {
  const items = sections.flatMap((section) => {
    const [, method = '', path = ''] = endpoint.exec(section) ?? []
    const title = /^## (.+)$/m.exec(section)?.[1] ?? ''
    const anchor = title
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-')
    return method === ''
      ? []
      : [`<li><a href="#${anchor}">${badge(method)}<span>${title}</span><code>${path}</code></a></li>`]
  })
  return `<ul class="operations">${items.join('')}</ul>\n\n`
}

const badge = (method: string) => `<span class="method ${method.toLowerCase()}">${method}</span>`

/** The list of calls on the overview page. */
function badged(section: string): string {
  return section.replaceAll(
    new RegExp(`^\\| ${endpoint.source} \\|`, 'gm'),
    (_, method, path) => `| ${badge(method)} \`${path}\` |`,
  )
}

/** Undefined for a section that is not an operation. */
function operation(section: string, errors: KnownErrors): string | undefined {
  const [heading = '', first = '', ...blocks] = blocksOf(section)
  if (!endpoint.test(first) || first.startsWith('|')) return undefined
  const isTable = (block: string) => block.startsWith('|')
  const isFence = (block: string) => block.startsWith('```')
  const isErrors = (block: string) => block.includes('](../errors.md#') || block.includes('](README.md#')
  const prose = blocks.filter((block) => !isTable(block) && !isFence(block))
  const fields = [
    ...blocks.filter(isTable).map(fieldRows),
    ...prose.filter(isErrors).map((text) => errorRows(text, errors)),
  ]
  return [
    heading,
    '<div class="operation">\n<div class="operation-head">',
    callLine(first),
    ...prose.filter((block) => !isErrors(block)),
    '</div>\n<div class="operation-sample">',
    ...blocks.filter(isFence).map(sample),
    '</div>\n<div class="operation-fields">',
    ...fields,
    '</div>\n</div>\n\n',
  ].join('\n\n')
}

/** Paragraphs, tables and fenced blocks. */
function blocksOf(text: string): string[] {
  const blocks: string[][] = [[]]
  for (const { text: line, isCode } of linesOf(text)) {
    if (line.trim() === '' && !isCode) blocks.push([])
    else blocks.at(-1)?.push(line)
  }
  return blocks.map((lines) => lines.join('\n')).filter((block) => block !== '')
}

function callLine(line: string): string {
  const calls = [...line.matchAll(new RegExp(endpoint.source, 'g'))].map(
    ([, method = '', path = '']) => `<p class="endpoint">${badge(method)}<code>${breakable(path)}</code></p>`,
  )
  const [, rule = ''] = line.split(' · ')
  return `${calls.join('\n')}\n\n<p class="scope">${rule.replace(/`([^`]+)`/, '<code>$1</code>').replace(/^\w/, (letter) => letter.toUpperCase())}</p>`
}

/** A path may break after a slash, and nowhere else. */
const breakable = (path: string) => path.replaceAll(/(?<=.)\//g, '/<wbr>')

function fieldRows(table: string): string {
  const [head = '', , ...rows] = table.split('\n')
  const [word = ''] = cellsOf(head)
  return `### ${fieldTitles[word] ?? word}\n\n${rows.map(fieldRow).join('\n')}`
}

function fieldRow(row: string): string {
  const [name = '', type = '', about = ''] = cellsOf(row)
  const [, kind = '', remark = ''] = /^(.*?)(?:, (required|where it applies))?$/.exec(type) ?? []
  const note = remark === '' ? '' : ` <span class="${remark === 'required' ? 'required' : 'type'}">${remark}</span>`
  const { label, values } = typeOf(kind)
  return `<div class="field">\n\n${name} <span class="type">${label}</span>${note}\n\n${sentence(about)}${values}\n\n</div>`
}

/** A field with a few allowed values shows them below its text. */
function typeOf(kind: string): { readonly label: string; readonly values: string } {
  if (!kind.includes('` or `')) return { label: kind, values: '' }
  const [choices = '', place = 'one of'] = kind.split(/ \((\w+)\)$/)
  return { label: place, values: `\n\n${choices.replaceAll(' or ', ' ')}` }
}

const sentence = (text: string) =>
  (text === '' || /[.…!?]`?$/.test(text) ? text : `${text}.`).replace(/^\p{Ll}/u, (c) => c.toUpperCase())

const cellsOf = (row: string) =>
  row
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim())

function sample(fence: string): string {
  const title = fence.startsWith('```sh') ? 'Request' : 'Response'
  return fence.replace(/^```(\w+).*$/m, (_, language: string) => `\`\`\`${language} title="${title}" frame="code"`)
}

function errorRows(text: string, errors: KnownErrors): string {
  const links = [...text.matchAll(/\[`([^`]+)`\]\(([^)]+)\)/g)]
  const [, common = 'README.md'] = /\]\((README\.md#[^)]+)\)/.exec(text) ?? []
  const rest = `[Errors of every call](${common})`
  const rows = links.map(([, code = '', target = '']) => {
    const { status = '', message = '' } = errors.get(code) ?? {}
    return `<div class="error-row">\n\n<span class="status">${status}</span>\n\n[\`${code}\`](${target}) ${message}\n\n</div>`
  })
  const list =
    rows.length === 0
      ? ''
      : `<details class="errors"><summary>${rows.length} ${rows.length === 1 ? 'error' : 'errors'} of this call</summary>\n\n${rows.join('\n')}\n\n</details>\n\n`
  return `### Errors\n\n${list}${rest}`
}
