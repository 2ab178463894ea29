/** Checks of alert rules, dashboards and runbooks, so that each names only what exists. Each returns its complaints. */
import { type MetricEntry, metricTable } from '../../packages/server/src/platform/metric-table.ts'
import { type Alert, recordedIn, seriesIn } from '../docs/alert-rules.ts'
import { anchorsOf } from '../docs/markdown.ts'
import type { SourceFile } from './tidy.ts'

const table = new Map<string, MetricEntry>(Object.values(metricTable).map((entry) => [entry.name, entry]))

/** Labels that Prometheus and its configuration add. */
const added = ['cell', 'instance', 'job', 'le']

/** Metrics, recorded series and labels that do not exist. */
export function unknownSeries({ path, text }: SourceFile, rules: string): string[] {
  const { metrics, recorded } = seriesIn(text)
  const defined = new Set(recordedIn(rules))
  return [
    ...metrics.filter((name) => !table.has(name)).map((name) => `${path} names ${name}, which is not in the table`),
    ...recorded.filter((name) => !defined.has(name)).map((name) => `${path} names ${name}, which no rule records`),
    ...unknownLabels(text).map((words) => `${path} ${words}`),
    ...wrongSuffixes(text).map((words) => `${path} ${words}`),
  ]
}

function unknownLabels(text: string): string[] {
  return [...text.matchAll(/\b(malipo_\w+)\{([^}]*)\}/g)].flatMap(([, name = '', selector = '']) => {
    const labels = [...(table.get(entryName(name))?.labels ?? []), ...added]
    const named = [...selector.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*\\?"/g)].map(([, label = '']) => label)
    return named
      .filter((label) => !labels.includes(label))
      .map((label) => `selects ${name} by ${label}, which it has not`)
  })
}

/** A histogram is read by its buckets, sum or count, anything else by its name. */
function wrongSuffixes(text: string): string[] {
  const names = new Set([...text.matchAll(/\bmalipo_\w+/g)].map(([name]) => name))
  return [...names].flatMap((name) => {
    const entry = table.get(entryName(name))
    const isPart = entry !== undefined && name !== entry.name
    return entry === undefined || isPart === (entry.type === 'histogram')
      ? []
      : [`reads ${name} as if it had another type`]
  })
}

const entryName = (name: string) => (table.has(name) ? name : name.replace(/_(?:bucket|sum|count)$/, ''))

interface Proofs {
  readonly firedBy: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>
  readonly notFired: Readonly<Record<string, string>>
  readonly notFollowed: Readonly<Record<string, string>>
}

/** Alerts that no test fires by its cause or whose runbook no test follows, and entries of the tables that are not so. */
export function unprovenAlerts(alerts: readonly Alert[], proofs: Proofs, tree: readonly SourceFile[]): string[] {
  const { firedBy, notFired, notFollowed } = proofs
  const textOf = (path: string) => tree.find((file) => file.path === path)?.text ?? ''
  const tests = Object.entries(firedBy).flatMap(([path, names]) =>
    Object.entries(names).map(([name, fired]) => ({ name, fired, text: testIn(textOf(path), name) })),
  )
  const wrong = tests.flatMap(({ name, fired, text }) =>
    fired.filter((alert) => !firedIn(text).includes(alert)).map((alert) => `the test '${name}' does not fire ${alert}`),
  )
  const problemsOf = ({ name, runbook }: Alert): string[] => {
    const own = tests.filter(({ fired }) => fired.includes(name))
    const [path = '', anchor = ''] = runbook.split('#')
    const section = sectionOf(textOf(path), anchor)
    const followed = own.flatMap(({ text }) => followedIn(text, textOf)).map((each) => each.toLowerCase())
    const hasCommands = /\bmalipo [a-z]/.test(section)
    const isFollowed = followed.some((each) => each === anchor || section.includes(`#${each})`))
    return [
      ...(own.length > 0 === name in notFired ? [`${name} must be fired by a test or in notFired, and not both`] : []),
      ...((hasCommands && !isFollowed) === name in notFollowed
        ? []
        : [`${name} must have its runbook followed by its test or be in notFollowed, and not both`]),
    ]
  }
  const known = new Set(alerts.map(({ name }) => name))
  const named = [...tests.flatMap(({ fired }) => fired), ...Object.keys({ ...notFired, ...notFollowed })]
  return [
    ...wrong,
    ...alerts.flatMap(problemsOf),
    ...named.filter((name) => !known.has(name)).map((name) => `${name} is not an alert`),
  ]
}

/** From its name to the next test. */
function testIn(text: string, name: string): string {
  const [, rest = ''] = text.split(`test('${name}'`)
  return rest.split(/^ *test\(/m)[0] ?? ''
}

const firedIn = (test: string) =>
  [...test.matchAll(/\bfires\(\[([^\]]*)\]/g)].flatMap(([, names = '']) =>
    [...names.matchAll(/'(\w+)'/g)].map(([, name = '']) => name),
  )

/** The sections whose commands a test runs, or whose SQL it follows. */
function followedIn(test: string, textOf: (path: string) => string): string[] {
  const commands = [...test.matchAll(/\bfollow\w*\(\s*'[^']+',\s*'(\w+)'/g)].map(([, name = '']) => name)
  const statements = [...test.matchAll(/\bendSessions\('([^']+)'/g)].flatMap(([, page = '']) =>
    sectionsOf(textOf(runbookFolder + page)).filter((section) => section.includes('```sql')),
  )
  return [...commands, ...statements.map(titleOf)]
}

const sectionsOf = (page: string) => page.split(/^## /m).slice(1)

const titleOf = (section: string) => section.split('\n', 1)[0] ?? ''

const sectionOf = (page: string, anchor: string) =>
  sectionsOf(page).find((section) => titleOf(section).toLowerCase() === anchor) ?? ''

const runbookFolder = 'docs/operating/runbooks/'

/** Alerts without a section, and sections without an alert. */
export function lostRunbooks(alerts: readonly Alert[], pages: readonly SourceFile[]): string[] {
  const anchors = new Map(pages.map(({ path, text }) => [path, anchorsOf(text)]))
  const missing = alerts.filter(({ name, runbook }) => {
    const [path = '', anchor = ''] = runbook.split('#')
    return anchor !== name.toLowerCase() || !anchors.get(path)?.has(anchor)
  })
  const known = new Set(alerts.map(({ name, runbook }) => `${runbook.split('#')[0]} ${name}`))
  const sections = pages
    .filter(({ path }) => path.startsWith(runbookFolder))
    .flatMap(({ path, text }) => [...text.matchAll(/^## (Malipo\w+)$/gm)].map(([, name = '']) => `${path} ${name}`))
  return [
    ...missing.map(({ name, runbook }) => `${name} has no runbook at ${runbook}`),
    ...sections.filter((section) => !known.has(section)).map((section) => `${section} is not an alert`),
  ]
}

/** Commands in the text of a page that the command line does not have. */
export function unknownCommands({ path, text }: SourceFile, commands: ReadonlySet<string>): string[] {
  const named = [...text.matchAll(/`malipo ((?:[a-z-]+ ?)+)[^`]*`/g)].map(([, words = '']) => words.trim())
  return named
    .filter((words) => !words.startsWith('-') && !isCommand(words.replace(/ --?.*$/, ''), commands))
    .map((words) => `${path} names malipo ${words}, which is not a command`)
}

/** Arguments may follow the words of a command. */
function isCommand(words: string, commands: ReadonlySet<string>): boolean {
  const parts = words.split(' ')
  return parts.some((_, index) => commands.has(parts.slice(0, index + 1).join(' ')))
}

interface Panel {
  readonly id: number
  readonly type: string
  readonly title: string
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
  readonly targets?: readonly { readonly refId: string; readonly expr: string }[]
}

interface Dashboard {
  readonly uid: string
  readonly title: string
  readonly schemaVersion: number
  readonly panels: readonly Panel[]
}

/** What Grafana would refuse or show wrongly. */
export function dashboardProblems({ uid, title, schemaVersion, panels }: Dashboard): string[] {
  const ids = new Set(panels.map(({ id }) => id))
  const overlaps = panels.flatMap((one, index) => panels.slice(index + 1).filter((other) => isOver(one, other)))
  return [
    ...(uid && title && schemaVersion > 0 ? [] : ['it has no uid, title or version']),
    ...(ids.size === panels.length ? [] : ['two panels have the same id']),
    ...panels.filter(({ gridPos: { x, w } }) => x + w > 24).map((panel) => `${panel.title} is wider than the page`),
    ...overlaps.map((panel) => `${panel.title} lies over another panel`),
    ...panels.filter(isEmpty).map((panel) => `${panel.title} shows nothing`),
  ]
}

const isEmpty = ({ type, targets = [] }: Panel) =>
  type !== 'row' && (targets.length === 0 || targets.some(({ expr }) => expr === ''))

function isOver({ gridPos: one }: Panel, { gridPos: other }: Panel): boolean {
  return one.x < other.x + other.w && other.x < one.x + one.w && one.y < other.y + other.h && other.y < one.y + one.h
}

/** The expressions of a dashboard, with values for the variables that Grafana fills in. */
export const expressionsOf = ({ panels }: Dashboard) =>
  panels.flatMap(({ targets = [] }) =>
    targets.map(({ expr }) => expr.replaceAll('$__rate_interval', '5m').replaceAll(/\$\w+/g, '.*')),
  )
