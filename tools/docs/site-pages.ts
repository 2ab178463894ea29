/** Our documents as pages of the site: docs/guides/bulk.md is /guides/bulk/, and a README is the page of its folder. */
import { posix } from 'node:path'
import { leadOf, titleOf } from './markdown.ts'
import { chapters, pageOf } from './site-map.ts'

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
export function sitePage(page: string, path: string, text: string): SitePage {
  const title = titleOf(text)
  if (title === undefined) throw new Error(`${path} has no title`)
  const front = [
    '---',
    `title: ${JSON.stringify(title)}`,
    `description: ${JSON.stringify(leadOf(text).slice(0, 200))}`,
    ...(page.endsWith('README') ? ['sidebar:', '  label: Overview'] : []),
    '---',
  ]
  const body = text
    .replace(/^<!--.*-->\n+/, '')
    .replace(/^# .*\n+/m, '')
    .replaceAll(/^( *```\w+) .*?(title="[^"]*")?.*$/gm, (_, start: string, named?: string) =>
      named ? `${start} ${named}` : start,
    )
  return { path: `${page.replace(/README$/, 'index')}.md`, text: `${front.join('\n')}\n\n${linked(path, body)}` }
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
      .map((page) => ({ slug: page.replace(/(^|\/)README$/, '') || 'index' })),
  }))
}
