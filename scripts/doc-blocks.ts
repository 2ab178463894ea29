/**
 * npm run doc-blocks [-- [--print] PAGE…]: runs the code of our documents against a stack, page by page, each with its own
 * sandbox merchant. Info strings of a fence:
 *
 *   sh, js, ts          runs, after the page's earlier blocks, in the same shell; with `title="FILE"` it is saved under that
 *                       name (js and ts that follow one another are one program)
 *   … status=409        its last call has that status; every other call a status below 400
 *   … again             is run again, for a while, until its response is the one shown after it
 *   … skip="why"        does not run here; only its syntax is checked
 *   … NAME              another script or test, which opens this page, runs it under that name
 *   json                output of the previous block: the same fields, types and codes; `"…"` stands for more
 *   json printed        some line that a block of the page prints, sooner or later
 *   text                is not run; `text printed`: a block of the page prints its words, sooner or later
 *   sql, conf           for the operator; a test that opens the page runs it, or it has skip="why"
 *
 * A page that continues another one (see `pagesBefore`) runs after it, up to the named section. The last id in a response is
 * available as $TRANSACTION_ID, $EXTERNAL_ACCOUNT_ID, $WEBHOOK_ID or $WEBHOOK_ENDPOINT_ID.
 */
import { join, posix } from 'node:path'
import { parseArgs } from 'node:util'
import { until } from '../packages/server/src/dev-stack/until.ts'
import { readTree, type SourceFile } from '../tools/checks/tidy.ts'
import { fenceProblems, isProgram, pagesOf, parseJson, place, stepsOf } from '../tools/docs/doc-fences.ts'
import { openGround } from '../tools/docs/doc-ground.ts'
import { type Outcome, openSession, type Session } from '../tools/docs/doc-session.ts'
import { differences, missingWords } from '../tools/docs/doc-shape.ts'
import { type Fence, upToSection, withoutCode } from '../tools/docs/markdown.ts'

interface Step {
  readonly fence: Fence
  readonly outcome: Outcome
}

/** Receives the output of each block. */
type See = (where: string, outcome: Outcome) => void

/**
 * Runs a page, after the page it continues, and returns every difference from the page. The first block that fails is the last
 * one run.
 */
export async function runPage(
  page: SourceFile,
  tree: readonly SourceFile[],
  variables: Readonly<Record<string, string>>,
  see: See = () => undefined,
): Promise<string[]> {
  const session = openSession(variables)
  const complaints: string[] = []
  try {
    for (const each of [...pagesBefore(page, tree), page]) {
      complaints.push(...(await runBlocks(each, session, see)))
      if (complaints.length > 0) break
    }
  } finally {
    session.close()
  }
  return complaints
}

/**
 * A page names the page it continues, as "continue from [Quick start](start.md#get-a-token)"; that page runs up to the end of
 * that section.
 */
function pagesBefore(page: SourceFile, tree: readonly SourceFile[]): SourceFile[] {
  const [, target, anchor] = /\bcontinues?\s+from[^.]*?\]\(([^)#]+)(?:#([^)]+))?\)/i.exec(withoutCode(page.text)) ?? []
  if (target === undefined) return []
  const path = posix.join(posix.dirname(page.path), target)
  const before = tree.find((each) => each.path === path)
  if (!before) return []
  const part = { path, text: anchor === undefined ? before.text : upToSection(before.text, anchor) }
  return [...pagesBefore(part, tree), part]
}

/** Runs the blocks of one page in an open session. */
export async function runBlocks(page: SourceFile, session: Session, see: See = () => undefined): Promise<string[]> {
  const complaints: string[] = []
  let last: Step | undefined
  for (const fence of stepsOf(page)) {
    if (isProgram(fence)) last = { fence, outcome: await session.run(fence) }
    if (isProgram(fence) && last) see(place(page, fence), last.outcome)
    const problems = isProgram(fence) && last ? judge(last) : await compare(fence, last, session)
    complaints.push(...problems.map((what) => `${place(page, fence)} ${what}`))
    if (last?.outcome.isFine === false) break
  }
  return complaints
}

function judge({ fence, outcome }: Step): string[] {
  const { isFine, complained, printed, statuses } = outcome
  if (!isFine) return [`failed: ${`${complained}${printed}`.trim().split('\n').slice(-12).join('\n    ')}`]
  const wanted = fence.options.get('status')
  const others = wanted === undefined ? statuses : statuses.slice(0, -1)
  return [
    ...others
      .filter((status) => status >= 400)
      .map((status) => `was answered with ${status}: ${printed.slice(0, 400)}`),
    ...(wanted !== undefined && statuses.at(-1) !== Number(wanted)
      ? [`was answered with ${statuses.at(-1)}, not ${wanted}`]
      : []),
  ]
}

/** Compares with the output so far, or with the output in the end. */
async function compare({ language, words, text }: Fence, last: Step | undefined, session: Session): Promise<string[]> {
  const problems = (printed: string) =>
    language === 'text'
      ? missingWords(text, printed).map((word) => `says '${word}', which was not printed`)
      : best(text, printed)
  let printed = last?.outcome.printed ?? ''
  const look = async () => {
    if (words.includes('printed')) printed = session.printed()
    else if (last?.fence.words.includes('again') && problems(printed).length > 0)
      printed = (await session.run(last.fence)).printed
    return problems(printed).length === 0
  }
  const isEventual = words.includes('printed') || last?.fence.words.includes('again')
  if (!isEventual) return problems(printed)
  return until('the page to print this', look).then(
    () => [],
    () => [...problems(printed), `was not printed by:\n${printed}`],
  )
}

/** The differences from the line most similar to the sample. */
function best(sample: string, printed: string): string[] {
  const documents = [printed, ...printed.split('\n')].map(parseJson).filter((document) => document !== undefined)
  const [closest] = documents
    .map((document) => differences(JSON.parse(sample), document))
    .sort((left, right) => left.length - right.length)
  return closest ?? [`is the answer to something that printed no JSON: ${printed.slice(0, 400)}`]
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '..')
  const tree = readTree(root)
  const { values, positionals: asked } = parseArgs({ options: { print: { type: 'boolean' } }, allowPositionals: true })
  const see: See = (where, { printed }) => (values.print ? console.log(`${where}\n${printed}`) : undefined)
  const pages = pagesOf(tree).filter(({ path }) => asked.length === 0 || asked.includes(path))
  const ground = await openGround()
  for (const page of pages) {
    const reader = await ground.newReader()
    const complaints = [...fenceProblems(page, tree), ...(await runPage(page, tree, reader, see))]
    console.log(`${complaints.length === 0 ? 'ok    ' : 'WRONG '} ${page.path}`)
    for (const complaint of complaints) console.log(`  ${complaint}`)
    if (complaints.length > 0) process.exitCode = 1
  }
  await ground.stop()
}
