/** Our documents as pages of the site: docs/guides/bulk.md is /guides/bulk/, and a README is the page of its folder. */
import { posix } from 'node:path'
import { descriptionOf, titleOf, withoutCode } from './markdown.ts'
import { chapters, pageOf } from './site-map.ts'
import { type KnownErrors, operationPage } from './site-operations.ts'

export interface SitePage {
  /** In the site's content folder. */
  readonly path: string
  readonly text: string
}

/** The address of a document on the site, which is served from `/`. */
function addressOf(page: string): string {
  const folder = page.replace(/(^|\/)README$/, '')
  return folder === '' ? '/' : `/${folder}/`
}

/** `page` is its place on the site, `path` its source file. */
export function sitePage(page: string, path: string, text: string, errors: KnownErrors = new Map()): SitePage {
  const title = titleOf(text)
  if (title === undefined) throw new Error(`${path} has no title`)
  const isApi = /^reference\/api\/(?!README)/.test(page)
  const front = [
    '---',
    `title: ${JSON.stringify(title)}`,
    `description: ${JSON.stringify(isApi ? callsOf(text) : descriptionOf(text))}`,
    ...(isApi ? ['tableOfContents: false'] : []),
    ...(page.endsWith('README') ? ['sidebar:', '  label: Overview'] : []),
    '---',
  ]
  const below = text.replace(/^<!--.*-->\n+/, '').replace(/^# .*\n+/m, '')
  const shown = page.startsWith('reference/api/') ? operationPage(below, errors) : below
  const body = shown
    .replaceAll(/^( *```\w+) .*$/gm, (line: string, start: string) =>
      [start, ...(line.match(/\b(?:title|frame)="[^"]*"/g) ?? [])].join(' '),
    )
    .replaceAll(/^\|.*\|$/gm, wholeWords)
    .replaceAll(/^( *-d ')(\{.*\})'( .*)?$/gm, onSeveralLines)
  return {
    path: `${page.replace(/README$/, 'index')}.md`,
    text: `${front.join('\n')}\n\n${linked(path, pictured(path, body))}`,
  }
}

/** A request's JSON body, as the shell reads it too. */
function onSeveralLines(line: string, start: string, body: string, rest = ''): string {
  const indent = /^ */.exec(start)?.[0] ?? ''
  const lines = body.length > 60 ? JSON.stringify(JSON.parse(body), null, 2).split('\n') : [body]
  return lines.length === 1 ? line : `${start}${lines.join(`\n${indent}`)}'${rest}`
}

/** The description of an API page: its calls by name. */
function callsOf(text: string): string {
  const names = [...withoutCode(text).matchAll(/^## (.+)$/gm)].map(([, name = '']) => name)
  return `This page has the request, the response and the errors of: ${names.join(', ')}.`
}

/** Code with spaces breaks between its words in a table, never within one. */
function wholeWords(row: string): string {
  return row.replaceAll(/`([^`]+)`/g, (span, code: string) => {
    if (!code.includes(' ')) return span
    const words = code.split(' ').map((word) => `<span>${entities(word)}</span>`)
    return `<code class="phrase">${words.join(' ')}</code>`
  })
}

const entities = (text: string) =>
  text.replaceAll(/[^\w ]/g, (character) => `&#${character.codePointAt(0)};`).replaceAll('_', '&#95;')

/** A picture in two colours follows the theme of the page, which a reader can change, instead of the system's. */
function pictured(path: string, text: string): string {
  const picture =
    /<picture>\s*<source media="\(prefers-color-scheme: dark\)" srcset="([^"]+)">\s*<img src="([^"]+)"([^>]*)>\s*<\/picture>/g
  return text.replaceAll(picture, (_, dark: string, light: string, rest: string) => {
    const image = (theme: string, file: string) =>
      `<img class="only-${theme}" src="${placeOf(posix.join(posix.dirname(path), file))}"${rest}>`
    return image('light', light) + image('dark', dark)
  })
}

/** Links between documents become links between pages. */
function linked(path: string, text: string): string {
  const links = /\]\((?!\w+:|#)([^)#\s]+)(#[^)\s]*)?\)/g
  return text.replaceAll(links, (_, target: string, anchor = '') => {
    const place = placeOf(posix.join(posix.dirname(path), target))
    return `](${place}${anchor})`
  })
}

function placeOf(path: string): string {
  const page = pageOf(path)
  if (page !== undefined) return addressOf(page)
  if (path === 'README.md') return '/'
  if (path.startsWith('docs/')) return path.replace(/^docs/, '')
  throw new Error(`${path} is not on the site, and a page links to it`)
}

/** The menu in Starlight's format, of the existing pages. */
export function sidebar(there: ReadonlySet<string>) {
  return chapters.map(({ label, pages }) => ({
    label,
    collapsed: ['Decisions', 'Project'].includes(label),
    items: pages
      .filter((page) => there.has(page))
      .map((page) => (page === 'README' ? { label: 'Home', link: '/' } : { slug: page.replace(/\/README$/, '') })),
  }))
}
