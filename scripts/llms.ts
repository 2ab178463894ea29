/** llms.txt and llms-full.txt: our documents for programs that read them in place of a person. */
import { existsSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { leadOf, titleOf } from './markdown.ts'
import { type Chapter, chapters, integratorLabels, sourceOf } from './site-map.ts'

const root = join(import.meta.dirname, '..')

type Files = ReadonlyMap<string, string>

export function llmsIndex(made: Files): string {
  const sections = chapters.map(({ label, pages }) => {
    const lines = pages.flatMap((page) => {
      const text = read(page, made)
      return text === undefined ? [] : [`- [${titleOf(text) ?? page}](${linkTo(page)}): ${firstSentence(leadOf(text))}`]
    })
    return `## ${label}\n\n${lines.join('\n')}\n`
  })
  return `# Malipo

> Collect by card, mobile money and bank transfer across Africa, pay out to mobile money and banks, be told by signed webhooks. An
> operator runs it on its own machines; merchants call it by HTTP and JSON.

Paths are those of the folder docs/. [llms-full.txt](llms-full.txt) has everything an integrator needs in one file,
[reference/openapi.json](reference/openapi.json) describes the API for programs.

${sections.join('\n')}`
}

/** Everything for integrators, one page after another, as people read it. */
export function llmsFull(made: Files): string {
  const isFor = ({ label }: Chapter) => integratorLabels.includes(label)
  const parts = chapters.filter(isFor).flatMap(({ pages }) =>
    pages.flatMap((page) => {
      const text = page === 'reference/coverage' ? undefined : read(page, made)
      return text === undefined ? [] : [`<!-- ${sourceOf(page)} -->\n\n${text.replace(/^<!--.*-->\n+/, '').trim()}\n`]
    }),
  )
  return parts.join('\n---\n\n')
}

function read(page: string, made: Files): string | undefined {
  const path = sourceOf(page)
  const file = join(root, path)
  return made.get(path) ?? (existsSync(file) ? readFileSync(file, 'utf8') : undefined)
}

/** From docs/, where the list is. */
const linkTo = (page: string) => posix.relative('docs', sourceOf(page))

const firstSentence = (text: string) => /^.*?\.(?= |$)/.exec(text)?.[0] ?? text
