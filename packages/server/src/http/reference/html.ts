import { catalogue } from '../../errors.ts'

const marked = Symbol('html')

/** Text that is HTML already. The symbol keeps anything parsed from JSON from passing for it. */
export interface Html {
  readonly [marked]: string
}

export type Part = Html | string | number | undefined | readonly Part[]

/** HTML in which every interpolated text is escaped, every list joined, and only other HTML stands as it is. */
export function html(parts: TemplateStringsArray, ...values: readonly Part[]): Html {
  return asHtml(parts.reduce((text, part, index) => text + textOf(values[index - 1]) + part))
}

/** The page around its content, with the one style element. */
export function wholePage(title: string, style: string, body: Html): string {
  return textOf(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${asHtml(style)}</style>
</head>
<body id="top">
${body}
</body>
</html>
`)
}

/** Lets text through unescaped, so it is for our own constants only. */
const asHtml = (text: string): Html => ({ [marked]: text })

/** The HTML as text, and any other part escaped into it. */
function textOf(part: Part): string {
  if (part === undefined) return ''
  if (typeof part === 'string' || typeof part === 'number') return escaped(String(part))
  return marked in part ? part[marked] : part.map(textOf).join('')
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escaped = (text: string) => text.replaceAll(/[&<>"']/g, (sign) => entities[sign] ?? sign)

/** A name that can stand in an `id` and after `#`, whatever it was made of. */
export const slug = (text: string) => text.replaceAll(/[^A-Za-z0-9._-]+/g, '-')

export const paragraphs = (text: string) => text.split(/\n{2,}/).map((paragraph) => html`<p>${prose(paragraph)}</p>`)

/** A sentence in which what stands between backticks is code, and an error code leads to its row. */
export const prose = (text: string) => text.split(/`([^`]+)`/).map((part, index) => (index % 2 ? code(part) : part))

function code(text: string): Html {
  const shown = html`<code>${text}</code>`
  return errorCodes.has(text) ? html`<a href="#error-${slug(text)}">${shown}</a>` : shown
}

const errorCodes = new Set<string>(Object.values(catalogue).map(({ errorCode }) => errorCode))

/** Rows bring their own cells, since the first of them is the row's header. */
export function table(kind: string, columns: readonly string[], rows: readonly Html[]): Html {
  return html`<div class="scroll"><table class="${kind}">
<thead><tr>${columns.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>${rows}</tbody></table></div>
`
}

/** A dark block under its caption. It can be focused, since it scrolls and keys must reach what is beside it. */
export function codeBlock(caption: string, text: string): Html {
  return html`<figure class="code"><figcaption>${caption}</figcaption>
<pre tabindex="0"><code>${coloured(text)}</code></pre></figure>
`
}

const tones = [undefined, 'key', 'string', 'literal'] as const
const tokens = /("(?:\\.|[^"\\])*"(?=\s*:))|("(?:\\.|[^"\\])*")|(?<=[\s[])(true|false|null|\d+(?:\.\d+)?)(?=[\s,\]}]|$)/

/** JSON and what looks like it. Splitting by three groups gives plain text, key, string and literal in turn. */
function coloured(text: string): Part[] {
  return text.split(tokens).map((part, index) => {
    const tone = tones[index % tones.length]
    return tone && part ? html`<span class="${tone}">${part}</span>` : part
  })
}
