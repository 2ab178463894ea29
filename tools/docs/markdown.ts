/** Parses our documents as far as scripts need: fenced blocks, headings with their anchors, and links. */

export interface Fence {
  /** First line, counted from 1. */
  readonly line: number
  readonly language: string
  /** What follows the language: bare words, and `name="value"`. */
  readonly words: readonly string[]
  readonly options: ReadonlyMap<string, string>
  readonly text: string
}

interface Heading {
  readonly depth: number
  readonly text: string
  readonly anchor: string
}

export interface Line {
  readonly text: string
  readonly number: number
  readonly isCode: boolean
}

/** Every line, and whether it is inside a fenced block. The fences themselves count as inside. */
export function linesOf(text: string): Line[] {
  let closer: RegExp | undefined
  return text.split('\n').map((line, index) => {
    const opener = /^ *(`{3,})/.exec(line)
    const isCode = closer !== undefined || opener !== null
    if (closer?.test(line)) closer = undefined
    else if (!closer && opener) closer = new RegExp(`^ *${opener[1]} *$`)
    return { text: line, number: index + 1, isCode }
  })
}

export function fencesOf(text: string): Fence[] {
  const fences: Fence[] = []
  let open: { line: number; indent: number; info: string; body: string[] } | undefined
  for (const { text: line, number, isCode } of linesOf(text)) {
    if (!isCode) continue
    const [, spaces = '', ticks, info = ''] = /^( *)(`{3,})(.*)$/.exec(line) ?? []
    if (open && (ticks === undefined || info.trim() !== '')) open.body.push(line.slice(open.indent))
    else if (open) {
      fences.push(fenceOf(open))
      open = undefined
    } else open = { line: number, indent: spaces.length, info: info.trim(), body: [] }
  }
  return fences
}

function fenceOf({ line, info, body }: { line: number; info: string; body: readonly string[] }): Fence {
  const [language = '', rest = ''] = info.split(/ (.*)/)
  const parts = [...rest.matchAll(/([^\s=]+)(?:=(?:"([^"]*)"|(\S+)))?/g)]
  const options = parts.flatMap(([, name = '', quoted, plain]) => {
    const value = quoted ?? plain
    return value === undefined ? [] : [[name, value] as const]
  })
  const words = parts.filter(([part, name]) => part === name).map(([part]) => part)
  return { line, language, words, options: new Map(options), text: `${body.join('\n')}\n` }
}

/** The text with its fenced blocks emptied, line for line, so that their content is not taken for Markdown. */
export function withoutCode(text: string): string {
  return linesOf(text)
    .map(({ text: line, isCode }) => (isCode ? '' : line))
    .join('\n')
}

function headingsOf(text: string): Heading[] {
  const seen = new Map<string, number>()
  return [...withoutCode(text).matchAll(/^(#{1,6}) +(.+?) *$/gm)].map(([, marks = '', raw = '']) => {
    const plain = plainText(raw)
    const anchor = anchorOf(plain)
    const before = seen.get(anchor) ?? 0
    seen.set(anchor, before + 1)
    return { depth: marks.length, text: plain, anchor: before === 0 ? anchor : `${anchor}-${before}` }
  })
}

/** Every link target on a page. */
export function anchorsOf(text: string): Set<string> {
  const named = [...withoutCode(text).matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id)
  return new Set([...headingsOf(text).map(({ anchor }) => anchor), ...named])
}

export function linksOf(text: string): string[] {
  return [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target)
}

/** The page from its start to the end of the section with this anchor. */
export function upToSection(text: string, anchor: string): string {
  const headings = headingsOf(text)
  const at = headings.findIndex((heading) => heading.anchor === anchor)
  const depth = headings[at]?.depth
  if (depth === undefined) return text
  const next = headings.findIndex((heading, index) => index > at && heading.depth <= depth)
  if (next === -1) return text
  const lines = withoutCode(text).split('\n')
  const starts = lines.flatMap((line, index) => (/^#{1,6} /.test(line) ? [index] : []))
  return text.split('\n').slice(0, starts[next]).join('\n')
}

export function titleOf(text: string): string | undefined {
  return headingsOf(text).find(({ depth }) => depth === 1)?.text
}

/** The first paragraph below the title, as one plain line. */
export function leadOf(text: string): string {
  const [, below = ''] = withoutCode(text).split(/^# .*$/m)
  const paragraph = below.split(/\n\s*\n/).find((part) => /^\s*[\p{L}*`[](?!tatus:)/u.test(part)) ?? ''
  return plainText(paragraph.replaceAll(/\s+/g, ' ').trim())
}

/** The lead's first sentences, whole, in at most this many characters; the first one is kept whatever its length. */
export function descriptionOf(text: string, charactersMax = 200): string {
  const sentences = leadOf(text)
    .split(/(?<=[.!?]) (?=[\p{Lu}\d])/u)
    .filter((sentence) => !sentence.startsWith('The examples continue from'))
  const [first = '', ...others] = sentences.map((sentence) => sentence.replace(/:$/, '.'))
  return others.reduce(
    (kept, sentence) => (kept.length + 1 + sentence.length <= charactersMax ? `${kept} ${sentence}` : kept),
    first,
  )
}

/** Without emphasis, code marks and link targets. */
function plainText(text: string): string {
  return text
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/\*\*|`/g, '')
    .replaceAll(/(^|\W)\*(\S[^*]*)\*/g, '$1$2')
}

/** As both GitHub and the site make them. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-')
}
