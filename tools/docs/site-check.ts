/** Checks the built site: links and anchors resolve, nothing is loaded from elsewhere, and it looks as it must (site-look.ts). */
import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { join, posix } from 'node:path'
import { linksOf } from './markdown.ts'
import { lookTroubles } from './site-look.ts'

const own = /^(?:\/|#|\.|data:|[\w-]+(?:\.|\/|$))/

export function siteTroubles(folder: string): string[] {
  const pages = new Map(
    globSync('**/*.html', { cwd: folder }).map((path) => [path, readFileSync(join(folder, path), 'utf8')]),
  )
  const styles = globSync('**/*.css', { cwd: folder }).map(
    (path) => [path, readFileSync(join(folder, path), 'utf8')] as const,
  )
  return [
    ...(pages.size === 0 ? [`there is no page in ${folder}`] : []),
    ...[...pages].flatMap(([path, html]) => deadLinks(path, html, pages, folder)),
    ...deadEntries(folder),
    ...lookTroubles(pages, folder),
    ...[...pages, ...styles].flatMap(([path, text]) => fetched(text).map((address) => `${path} fetches ${address}`)),
  ]
}

function deadLinks(path: string, html: string, pages: ReadonlyMap<string, string>, folder: string): string[] {
  const targets = new Set([...html.matchAll(/<a\b[^>]*?\bhref="([^"]+)"/g)].map(([, href = '']) => href))
  return [...targets].flatMap((href) => {
    if (/^[a-z]+:/.test(href)) return []
    const [, address = '', anchor = ''] = /^([^#?]*)[^#]*(?:#(.*))?$/.exec(href) ?? []
    const file = fileOf(address, path)
    const there = pages.get(file)
    if (there === undefined) return isFile(join(folder, file)) ? [] : [`${path} links to ${href}, which is not there`]
    const isPlace = anchor === '' || there.includes(`id="${decodeURIComponent(anchor)}"`)
    return isPlace ? [] : [`${path} links to ${href}, and that page has no such place`]
  })
}

/** Entries of llms.txt that are not served. */
function deadEntries(folder: string): string[] {
  const list = join(folder, 'llms.txt')
  const links = isFile(list) ? linksOf(readFileSync(list, 'utf8')) : []
  return links
    .filter((path) => !isFile(join(folder, path)))
    .map((path) => `llms.txt links to ${path}, which is not there`)
}

/** The file served at an address. */
function fileOf(address: string, from: string): string {
  if (address === '') return from
  const path = posix.resolve('/', posix.dirname(from), address).slice(1)
  const isFolder = path === '' || address.endsWith('/')
  return isFolder ? posix.join(path, 'index.html') : path
}

const isFile = (path: string) => existsSync(path) && statSync(path).isFile()

/** Addresses of other machines that a browser would load by itself. */
function fetched(text: string): string[] {
  const loaded = [
    ...text.matchAll(/<(?:script|img|iframe|source|video|audio|embed|object)\b[^>]*?\b(?:src|srcset|data)="([^"]+)"/g),
    ...text.matchAll(/<link\b(?![^>]*\brel="(?:canonical|alternate|sitemap)")[^>]*?\bhref="([^"]+)"/g),
    ...text.matchAll(/url\(["']?([^"')]+)/g),
    ...text.matchAll(/@import\s+["']([^"']+)/g),
  ].map(([, address = '']) => address)
  return [...new Set(loaded)].filter((address) => !own.test(address) || address.startsWith('//'))
}
