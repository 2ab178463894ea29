import { catalogue } from '../../errors.ts'
import { script } from './script.ts'

const marked = Symbol('html')

/** Text that is already HTML. With the symbol as its key, a value parsed from JSON cannot pass for it. */
export interface Html {
  readonly [marked]: string
}

export type Part = Html | string | number | undefined | readonly Part[]

/** Escapes every interpolated text, joins lists, and inserts only other HTML unchanged. */
export function html(parts: TemplateStringsArray, ...values: readonly Part[]): Html {
  return rawHtml(parts.reduce((text, part, index) => text + textOf(values[index - 1]) + part))
}

/** The page around its content, with its only style element and its only script element. */
export function wholePage(title: string, style: string, body: Html): string {
  return textOf(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${rawHtml(style)}</style>
</head>
<body id="top">
${body}
<script>${rawHtml(script)}</script>
</body>
</html>
`)
}

/** Inserts text unescaped: only for our own constants. */
export const rawHtml = (text: string): Html => ({ [marked]: text })

/** Returns HTML as text, and escapes any other part. */
export function textOf(part: Part): string {
  if (part === undefined) return ''
  if (typeof part === 'string' || typeof part === 'number') return escaped(String(part))
  return marked in part ? part[marked] : part.map(textOf).join('')
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escaped = (text: string) => text.replaceAll(/[&<>"']/g, (sign) => entities[sign] ?? sign)

/** A name that is valid in an `id` and after `#`. */
export const slug = (text: string) => text.replaceAll(/[^A-Za-z0-9._-]+/g, '-')

export const paragraphs = (text: string) => text.split(/\n{2,}/).map((paragraph) => html`<p>${prose(paragraph)}</p>`)

/** Renders text between backticks as code, and links an error code to its row. */
export const prose = (text: string) => text.split(/`([^`]+)`/).map((part, index) => (index % 2 ? code(part) : part))

function code(text: string): Html {
  const shown = html`<code>${text}</code>`
  return errorCodes.has(text) ? html`<a href="#${slug(text)}">${shown}</a>` : shown
}

const errorCodes = new Set<string>(Object.values(catalogue).map(({ errorCode }) => errorCode))

/** Rows bring their own cells, because the first cell is the row's header. */
export function table(kind: string, columns: readonly string[], rows: readonly Html[]): Html {
  return html`<div class="scroll"><table class="${kind}">
<thead><tr>${columns.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>${rows}</tbody></table></div>
`
}

/** A dark block under its caption. It can be focused, because it scrolls and keyboard users must reach its hidden part. */
export function codeBlock(caption: string, text: string): Html {
  return html`<figure class="code"><figcaption>${caption}</figcaption>
<pre tabindex="0"><code>${coloured(text)}</code></pre></figure>
`
}

const tones = [undefined, 'key', 'string', 'literal'] as const
const tokens = /("(?:\\.|[^"\\])*"(?=\s*:))|("(?:\\.|[^"\\])*")|(?<=[\s[])(true|false|null|\d+(?:\.\d+)?)(?=[\s,\]}]|$)/

/** Colours JSON and similar text. Splitting by three groups gives plain text, key, string and literal in turn. */
function coloured(text: string): Part[] {
  return text.split(tokens).map((part, index) => {
    const tone = tones[index % tones.length]
    return tone && part ? html`<span class="${tone}">${part}</span>` : part
  })
}
