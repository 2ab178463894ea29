/** Checks what a visitor and a search engine see of the built site: titles, descriptions, pictures and the share image. */
import { existsSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'

type Pages = ReadonlyMap<string, string>

/** Every mistake as a sentence. `folder` is where the site was built. */
export function lookProblems(pages: Pages, folder: string): string[] {
  const read = [...pages].filter(([path]) => path !== '404.html')
  return [
    ...titleProblems(new Map(read.map(([path, html]) => [path, titleOf(html)]))),
    ...read.flatMap(([path, html]) => [
      ...descriptionProblems(path, html),
      ...shareProblems(path, html, folder),
      ...pictureProblems(path, html, folder),
    ]),
  ]
}

const titleOf = (html: string) => plain(/<title>([^<]*)<\/title>/.exec(html)?.[1] ?? '')

const plain = (text: string) =>
  text
    .replaceAll('&quot;', '"')
    .replaceAll(/&#(?:39|x27);/g, "'")
    .replaceAll('&amp;', '&')
    .trim()

/** The home page is "Malipo"; every other page is "its own name | Malipo", once. */
function titleProblems(titles: ReadonlyMap<string, string>): string[] {
  const seen = Map.groupBy(titles.keys(), (path) => titles.get(path))
  const wrong = [...titles].filter(([path, title]) =>
    path === 'index.html' ? title !== 'Malipo' : !/^(?!Malipo \|).+ \| Malipo$/.test(title),
  )
  return [
    ...wrong.map(([path, title]) => `${path} has the title "${title}"`),
    ...[...seen]
      .filter(([, paths]) => paths.length > 1)
      .map(([title, paths]) => `${paths.join(' and ')} share the title "${title}"`),
  ]
}

/** A description is whole sentences: it starts a sentence, ends one, and is long enough to say something. */
function descriptionProblems(path: string, html: string): string[] {
  const text = plain(metaOf(html, 'name', 'description'))
  const isWhole = /^[\p{Lu}\d@"'].{20,}[.!?]$/u.test(text) || /^malipo .{20,}\.$/.test(text)
  return isWhole ? [] : [`${path} has the description "${text}", which is not a whole sentence`]
}

function shareProblems(path: string, html: string, folder: string): string[] {
  const address = metaOf(html, 'property', 'og:image')
  if (address === '') return [`${path} has no og:image`]
  const file = join(folder, URL.parse(address, 'http://site.invalid')?.pathname ?? '')
  return existsSync(file) ? [] : [`${path} has the og:image ${address}, which is not there`]
}

const metaOf = (html: string, key: string, value: string) =>
  new RegExp(`<meta ${key}="${value}" content="([^"]*)"`).exec(html)?.[1] ?? ''

/** Every picture has a text for those who do not see it, and is drawn for light and for dark pages. */
function pictureProblems(path: string, html: string, folder: string): string[] {
  const images = [...html.matchAll(/<img\b[^>]*>/g)].map(([tag]) => tag)
  return images.flatMap((tag) => {
    const source = /\bsrc="([^"]*)"/.exec(tag)?.[1] ?? ''
    const isDecoration = /\balt=""|\balt(?=[ >/])(?!=)/.test(tag) && source.startsWith('/_astro/') // The mark beside its name.
    const isNamed = /\balt="[^"]+"/.test(tag)
    const isThere =
      source.startsWith('data:') || existsSync(join(folder, posix.resolve('/', posix.dirname(path), source)))
    return [
      ...(isThere ? [] : [`${path} shows ${source}, which is not there`]),
      ...(isNamed || isDecoration ? [] : [`${path} shows ${source} without an alt text`]),
      ...(isDecoration || isBothColours(source, path, html, folder)
        ? []
        : [`${path} shows ${source} in one colour only`]),
    ]
  })
}

/** Two files, or one drawing that follows the reader's setting. */
function isBothColours(source: string, path: string, html: string, folder: string): boolean {
  const other = source.replace(/-(light|dark)\./, (_, theme) => `-${theme === 'light' ? 'dark' : 'light'}.`)
  if (other !== source) return html.includes(`"${other}"`)
  const file = join(folder, posix.resolve('/', posix.dirname(path), source))
  return existsSync(file) && readFileSync(file, 'utf8').includes('prefers-color-scheme')
}
