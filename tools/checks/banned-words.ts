/**
 * Words that we do not write, in prose, comments, strings or names: each hides who acts, or has a usual term in the field.
 * `node tools/checks/banned-words.ts` prints the number per folder; with folders as arguments, every place.
 */
import { join } from 'node:path'
import { readTree, type SourceFile } from './tidy.ts'

interface Banned {
  readonly word: RegExp
  readonly instead: string
}

const bannedWords: readonly Banned[] = [
  { word: /\b(nobody|whoever|whomever|somebody|anybody)\b/, instead: 'name the actor' },
  { word: /\b(told|tells?|telling)\b/, instead: 'notify, report, return, say, distinguish' },
  {
    word: /(?<!\bthere )\bis no (?!(longer|more|less|fewer|later|earlier|older|newer|larger|smaller|higher|lower|other|such)\b)[a-z]+/,
    instead: 'is not a …, or invalid',
  },
  { word: /\banew\b/, instead: 'again' },
  { word: /\b(mend(s|ed|ing)?|heal(s|ed|ing)?)\b/, instead: 'fix, recover' },
  { word: /\bheed(s|ed|ing)?\b/, instead: 'honour' },
  { word: /\blook(s|ed|ing)? whether\b/, instead: 'check' },
  { word: /\bby its word\b/, instead: 'as reported by' },
  { word: /\bcom(es?|ing) round\b/, instead: 'recovers' },
  { word: /\b(stands?|stood|standing) still\b/, instead: 'hangs' },
  { word: /\bfor good\b(?! (reason|measure))/, instead: 'permanently' },
  {
    word: /\b(is|are|was|were) well\b(?![ -](formed|known|below|above|under|over|within|defined|maintained))|\bnot well\b(?![ -](formed|known|defined))/,
    instead: 'healthy, valid',
  },
  { word: /\bturn(s|ed|ing)? away\b/, instead: 'reject' },
  { word: /\b(had|got) from\b/, instead: 'from' },
  { word: /\bof ours\b/, instead: 'our' },
  { word: /\bwhat (is|was) asked for\b/, instead: 'the request' },
  { word: /\bin the way\b(?! (that|of)\b)/, instead: 'name the obstacle' },
  { word: /\bso (much|long)\b/, instead: 'give the amount or the time' },
  { word: /\b(go|goes|going|went|gone) on\b/, instead: 'continue' },
  { word: /\bas it should be\b/, instead: 'valid' },
  {
    word: /\b(errands?|turnstiles?|settlers?|verdicts?|guesses|surveyed)\b/,
    instead: 'the new name, by ARCHITECTURE.md',
  },
  {
    word: /\b(wish(es|ed)?|desks?|bell|rings|rung|troubles?|surroundings|judged)\b/,
    instead: 'the new name, by ARCHITECTURE.md',
  },
]

export interface Breach {
  readonly path: string
  readonly line: number
  readonly found: string
  readonly instead: string
}

const isProse = ({ path }: SourceFile) =>
  /(\.(ts|md|sql|mjs|cjs|yml)|^\.ci\/run)$/.test(path) &&
  !/^(docs\/reference\/api\/|bench\/results\/|tools\/checks\/banned-words)/.test(path)

/** Every banned word of the files, with its line. */
export function breachesOf(files: readonly SourceFile[]): Breach[] {
  return files
    .filter(isProse)
    .flatMap(({ path, text }) =>
      text.split('\n').flatMap((line, index) => foundIn(line).map((found) => ({ path, line: index + 1, ...found }))),
    )
}

function foundIn(line: string): { found: string; instead: string }[] {
  const words = wordsOf(line)
  return bannedWords.flatMap(({ word, instead }) => {
    const [found] = word.exec(words) ?? []
    return found === undefined ? [] : [{ found, instead }]
  })
}

/** A line as plain words: names in camelCase, snake_case and kebab-case are taken apart. */
function wordsOf(line: string): string {
  return line
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .replace(/_/g, ' ')
    .replace(/([a-z])-(?=[a-z])/gi, '$1 ')
    .toLowerCase()
}

const isIn = (place: string, path: string) => path === place || path.startsWith(`${place}/`)

function folderOf(path: string): string {
  const parts = path.split('/').slice(0, -1)
  return parts.slice(0, path.startsWith('packages/server/src') ? 4 : 3).join('/') || path
}

if (import.meta.main) {
  const places = process.argv.slice(2)
  const breaches = breachesOf(readTree(join(import.meta.dirname, '../..')))
  const shown = breaches.filter(({ path }) => places.some((place) => isIn(place.replace(/\/$/, ''), path)))
  for (const { path, line, found, instead } of shown) console.log(`${path}:${line} has "${found}": ${instead}`)
  const counts = Map.groupBy(breaches, ({ path }) => folderOf(path))
  if (places.length === 0)
    for (const [folder, found] of [...counts].sort(([, left], [, right]) => right.length - left.length))
      console.log(`${String(found.length).padStart(5)} ${folder}`)
  console.log(`${places.length === 0 ? breaches.length : shown.length} in all`)
}
