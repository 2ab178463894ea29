/** llms.txt and llms-full.txt: our documents for programs that read them instead of a person. */
import { existsSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { leadOf, titleOf } from './markdown.ts'
import { type Chapter, chapters, integratorLabels, sourceOf } from './site-map.ts'

const root = join(import.meta.dirname, '../..')

type Files = ReadonlyMap<string, string>

/** Where the list is read, and so where its pages are. */
interface Place {
  readonly linkTo: (page: string) => string
  readonly about: string
}

/** Beside the documents, in docs/. */
export const inRepository: Place = {
  linkTo: (page) => posix.relative('docs', sourceOf(page)),
  about: 'Paths are those of the folder docs/.',
}

/** At the root of the site, where every page is also served as Markdown. */
export const onSite: Place = {
  linkTo: (page) => `${page}.md`,
  about: '[llms-full.txt](llms-full.txt) has everything an integrator needs in one file.',
}

/** Files in `made` are read as they will be written. */
export function llmsIndex({ linkTo, about }: Place, made: Files = new Map()): string {
  const sections = chapters.map(({ label, pages }) => {
    const lines = pages.flatMap((page) => {
      const text = read(page, made)
      return text === undefined ? [] : [`- [${titleOf(text) ?? page}](${linkTo(page)}): ${firstSentence(leadOf(text))}`]
    })
    return `## ${label}\n\n${lines.join('\n')}\n`
  })
  return `# Malipo

> Collect by card, mobile money and bank transfer across Africa, pay out to mobile money and banks, and get each
> result by signed webhook. An operator runs Malipo on its own machines; merchants call it by HTTP and JSON.

${about} [reference/openapi.json](reference/openapi.json) describes the API for programs.

${sections.join('\n')}`
}

/** Everything for integrators, one page after another, in reading order. */
export function llmsFull(): string {
  const isFor = ({ label }: Chapter) => integratorLabels.includes(label)
  const parts = chapters.filter(isFor).flatMap(({ pages }) =>
    pages.flatMap((page) => {
      const text = page === 'reference/coverage' ? undefined : read(page)
      return text === undefined ? [] : [`<!-- ${sourceOf(page)} -->\n\n${text.replace(/^<!--.*-->\n+/, '').trim()}\n`]
    }),
  )
  return parts.join('\n---\n\n')
}

function read(page: string, made: Files = new Map()): string | undefined {
  const path = sourceOf(page)
  const file = join(root, path)
  return made.get(path) ?? (existsSync(file) ? readFileSync(file, 'utf8') : undefined)
}

const firstSentence = (text: string) => /^.*?\.(?= |$)/.exec(text)?.[0] ?? text
