/**
 * npm run bench:report: writes the results in bench/results into docs/operating/performance.md and scale.md, between the marks
 * that name them. The text around them is written by hand.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { barChart, type Pair } from './chart.ts'
import { growthTable } from './growth-table.ts'
import type { Rig } from './rig.ts'
import { costTable, sizesTable } from './scale.ts'

export interface Result {
  readonly name: string
  readonly at: string
  readonly commit: string
  readonly rig: Rig
  readonly figures: Readonly<Record<string, number>>
  readonly ratios: Readonly<Record<string, number>>
}

interface Comparison {
  readonly label: string
  readonly ours: string
  readonly theirs: string
  readonly ratio: string
  readonly wanted: number
}

interface Chapter {
  readonly unit: string
  readonly names: readonly [string, string]
  readonly comparisons: readonly Comparison[]
}

const compare = (label: string, ours: string, theirs: string, ratio: string, wanted: number): Comparison => ({
  label,
  ours,
  theirs,
  ratio,
  wanted,
})

const chapters: Readonly<Record<string, Chapter>> = {
  accept: {
    unit: 'payouts a second',
    names: ['over HTTP', 'pgbench, one by one'],
    comparisons: [
      compare('1,000 merchants', 'spreadPerSecond', 'spreadPlainPerSecond', 'spread', 1),
      compare('one hot wallet', 'hotPerSecond', 'hotPlainPerSecond', 'hot', 5),
      compare('calls of 1,000', 'bulkPerSecond', 'bulkPlainPerSecond', 'bulk', 3),
    ],
  },
  journey: {
    unit: 'payouts a second',
    names: ['from request to webhook', 'pgbench, accepted only'],
    comparisons: [compare('whole journey', 'journeysPerSecond', 'plainPerSecond', 'bare', 0.25)],
  },
  deliver: {
    unit: 'webhooks a second',
    names: ['one worker', 'a loop over undici'],
    comparisons: [compare('100 endpoints', 'webhooksPerSecond', 'barePerSecond', 'bare', 0.5)],
  },
  read: {
    unit: 'requests a second',
    names: ['the api', 'a bare route'],
    comparisons: [
      compare('list of ten', 'listPerSecond', 'listBarePerSecond', 'list', 0.5),
      compare('one transaction', 'singlePerSecond', 'singleBarePerSecond', 'single', 0.5),
      compare('profile', 'usersPerSecond', 'usersBarePerSecond', 'users', 0.5),
    ],
  },
  ledger: {
    unit: 'postings a second',
    names: ['group commit', 'pgbench, one by one'],
    comparisons: [
      compare('one hot wallet', 'hotPerSecond', 'hotPgbenchPerSecond', 'hot', 12),
      compare('1,000 wallets', 'spreadPerSecond', 'spreadPgbenchPerSecond', 'spread', 1),
    ],
  },
}

const folder = join(import.meta.dirname, '../docs/operating')

/** Pages with the latest results, and their charts, by path below docs/operating. */
export function pagesWithResults(pages: ReadonlyMap<string, string>): Map<string, string> {
  const charts = new Map<string, string>()
  const drawn = [...pages].map(([path, page]): [string, string] => [
    path,
    page.replaceAll(/(<!-- bench (\S+) -->\n)[\s\S]*?(<!-- end -->)/g, (_, begin, name, end) => {
      const [tableOf, source] = tables[name] ?? [undefined, name]
      const result = resultOf(source)
      const chapter = chapters[name]
      if (!result) return `${begin}Not measured yet.\n${end}`
      if (chapter) charts.set(`performance-${name}.svg`, chartOf(name, chapter, result))
      const table = tableOf?.(result) ?? (chapter ? comparisonTable(name, chapter, result) : figureTable(result))
      return `${begin}${table}\n${measuredOn(result)}\n${end}`
    }),
  ])
  return new Map([...drawn, ...charts])
}

/** Separate tables, and the result each is made from. */
const tables: Readonly<Record<string, readonly [(result: Result) => string, string]>> = {
  cost: [costTable, 'journey'],
  growth: [growthTable, 'growth'],
  sizes: [sizesTable, 'journey'],
}

function resultOf(name: string): Result | undefined {
  const path = join(import.meta.dirname, 'results', `${name}.json`)
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Result) : undefined
}

function chartOf(name: string, { unit, names, comparisons }: Chapter, { figures }: Result): string {
  const pairs: Pair[] = comparisons.map(({ label, ours, theirs }) => ({
    label,
    ours: figures[ours] ?? 0,
    theirs: figures[theirs] ?? 0,
  }))
  return barChart(name, unit, names, pairs)
}

function comparisonTable(name: string, { unit, names, comparisons }: Chapter, result: Result): string {
  const { figures, ratios } = result
  const shown = new Set(comparisons.flatMap(({ ours, theirs }) => [ours, theirs]))
  const rest = Object.entries(figures).filter(([figure]) => !shown.has(figure))
  const rows = comparisons.map(
    ({ label, ours, theirs, ratio, wanted }) =>
      `| ${label} | ${say(figures[ours])} | ${say(figures[theirs])} | **${ratios[ratio]}** | ${wanted} |`,
  )
  return `![${name}](performance-${name}.svg)

| ${unit} | ${names[0]} | ${names[1]} | ratio | target |
|---|---|---|---|---|
${rows.join('\n')}
${rest.length > 0 ? `\n${rest.map(([figure, value]) => `${inWords(figure)} ${say(value)}`).join('; ')}.\n` : ''}`
}

function figureTable({ figures, ratios }: Result): string {
  const rows = Object.entries({ ...figures, ...ratios }).map(([name, value]) => `| ${inWords(name)} | ${say(value)} |`)
  return `| figure | |\n|---|---|\n${rows.join('\n')}\n`
}

function measuredOn({ at, commit, rig }: Result): string {
  return `<sub>${at.slice(0, 10)}, commit ${commit.slice(0, 7)}: ${rig.cores} cores of ${rig.processor}, ${rig.memoryGiB} GiB, Node ${rig.node}, PostgreSQL ${rig.postgres}, NATS ${rig.nats}; ${rig.fsyncMicroseconds} µs to write 8 KiB to disk.</sub>`
}

const say = (value = Number.NaN) => value.toLocaleString('en', { maximumFractionDigits: 3 })
const inWords = (name: string) =>
  name
    .replaceAll(/([A-Z][a-z])/g, (_, word) => ` ${word.toLowerCase()}`)
    .replace(/^./, (letter) => letter.toUpperCase())

if (process.argv[1] === import.meta.filename) {
  mkdirSync(folder, { recursive: true })
  const pages = ['performance.md', 'scale.md'].map((path): [string, string] => [
    path,
    readFileSync(join(folder, path), 'utf8'),
  ])
  for (const [path, text] of pagesWithResults(new Map(pages))) {
    writeFileSync(join(folder, path), text)
    console.log(`docs/operating/${path}`)
  }
}
