import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { readTree } from '../tools/checks/tidy.ts'
import { fenceProblems, pagesOf, stepsOf } from '../tools/docs/doc-fences.ts'
import { type Ground, openGround, typeProblems } from '../tools/docs/doc-ground.ts'
import { differences, missingWords } from '../tools/docs/doc-shape.ts'
import { fencesOf } from '../tools/docs/markdown.ts'
import { runPage } from './doc-blocks.ts'

const tree = readTree(join(import.meta.dirname, '..'))
const pages = pagesOf(tree)
const planted = (text: string, path = 'docs/planted.md') => ({ path, text })
const fenced = (info: string, ...lines: string[]) => `\`\`\`${info}\n${lines.join('\n')}\n\`\`\`\n`

let ground: Ground
before(async () => {
  ground = await openGround()
})
after(() => ground.stop())

const run = async (text: string) => runPage(planted(text), tree, await ground.newReader())

test('there are pages with code, and most of their blocks run', () => {
  const programs = pages.flatMap(({ text }) => fencesOf(text)).filter(({ language }) => /^(sh|js|ts)$/.test(language))

  assert.ok(pages.length >= 20, `${pages.length} pages`)
  assert.ok(programs.length >= 80, `${programs.length} blocks`)
  assert.ok(programs.filter(({ options }) => options.has('skip')).length < programs.length / 4)
})

test('every fence states what it is, and one that is not run here has a reason', () => {
  assert.deepEqual(
    pages.flatMap((page) => fenceProblems(page, tree)),
    [],
  )
})

test('every TypeScript block compiles in a strict project', () => {
  assert.equal(typeProblems(pages), '')

  assert.match(typeProblems([planted(fenced('ts', "const amount: number = 'much'"))]), /TS2322/)
})

for (const page of pages.filter((each) => stepsOf(each).length > 0))
  test(`every block of ${page.path} does what the page says`, async () => {
    assert.deepEqual(await runPage(page, tree, await ground.newReader()), [])
  })

test('a planted wrong path, field or option is found', async () => {
  const wrong = [
    fenced('sh', 'curl -s "$MALIPO_URL/api/b2b/auth/bearer-token" -X POST'),
    fenced('sh', 'curl -s --no-such-option "$MALIPO_URL/health/live"'),
    fenced('js', "import { nothing } from '@malipo/nowhere'"),
    fenced('sh', 'echo "$NEVER_SET"'),
  ]

  for (const text of wrong) assert.equal((await run(text)).length, 1, text)
})

test('a call with another status than the page says is found', async () => {
  const call = 'curl -s "$MALIPO_URL/api/b2b/users"'

  assert.deepEqual(await run(fenced('sh status=401', call)), [])
  assert.equal((await run(fenced('sh status=403', call))).length, 1)
  assert.equal((await run(fenced('sh', call))).length, 1)
})

test('a response that differs from the page is found', async () => {
  const call = fenced('sh', 'curl -s "$MALIPO_URL/health/live"')
  const { status } = JSON.parse(await (await fetch(`${(await ground.newReader())['MALIPO_URL']}/health/live`)).text())

  assert.deepEqual(await run(call + fenced('json', JSON.stringify({ status }))), [])
  assert.equal((await run(call + fenced('json', JSON.stringify({ status, more: 1 })))).length, 1)
  assert.equal((await run(call + fenced('json', JSON.stringify({})))).length, 1)
})

test('blocks of a page share one shell, files and background processes', async () => {
  const text = [
    fenced('sh', 'GREETING=hello'),
    fenced('js title="say.mjs"', 'console.log(JSON.stringify({ said: process.argv[2] }))'),
    fenced('sh', 'node say.mjs "$GREETING" &'),
    fenced('json printed', '{ "said": "hello" }'),
    fenced('text printed', 'hello'),
  ]

  assert.deepEqual(await run(text.join('\n')), [])
})

test('JavaScript that follows JavaScript continues in the same program', async () => {
  const text = [
    fenced('js', "const word = 'hello'"),
    'and then',
    fenced('js', 'console.log(word)'),
    fenced('text printed', 'hello'),
  ]

  assert.deepEqual(await run(text.join('\n')), [])
})

test('fences that cannot run, or that hide why they are not run, are refused', () => {
  const refused = [
    fenced('', 'x'),
    fenced('python', 'x'),
    fenced('sh skip=""', 'x'),
    fenced('sh skip="needs Docker"', 'if true'),
    fenced('sh skip="test/nowhere.test.ts does"', 'x'),
    fenced('sh restore', 'x'),
    fenced('sql', 'select 1'),
    fenced('json', '{'),
    '\n\n    npm run something\n',
  ]
  for (const text of refused) assert.equal(fenceProblems(planted(text), tree).length, 1, text)

  const accepted = [fenced('sh skip="needs Docker"', 'docker run x'), fenced('text', 'if true'), fenced('sh', 'true')]
  for (const text of accepted) assert.deepEqual(fenceProblems(planted(text), tree), [], text)
  assert.deepEqual(fenceProblems(planted(fenced('sh restore', 'x'), 'docs/operating/backup.md'), tree), [])
})

test('responses are compared by fields, types and codes, and not by ids, times and balances', () => {
  const answer = { success: true, status: 'PENDING', id: 'txn_1', at: '2026', list: [{ amount: 1 }, { amount: 2 }] }

  assert.deepEqual(differences({ ...answer, id: 'txn_2', at: '2027' }, answer), [])
  assert.deepEqual(differences({ success: true, '…': '' }, answer), [])
  assert.deepEqual(differences({ list: [{ amount: 1 }, '…'], '…': '' }, answer), [])
  for (const other of [
    { success: false },
    { status: 'FAILED' },
    { id: 1 },
    { list: [{ amount: 3 }, '…'] },
    { list: [] },
  ])
    assert.equal(differences({ ...answer, ...other }, answer).length, 1, JSON.stringify(other))
})

test('printed text is compared by words, without those that contain a digit', () => {
  assert.deepEqual(missingWords('paid txn_01a1 at 08:48 …', 'paid txn_77 at 09:00'), [])
  assert.deepEqual(missingWords('refused', 'paid'), ['refused'])
})
