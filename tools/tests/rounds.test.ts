import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { longestFirst, readDurations, recordDurations, slowestLines } from './durations.ts'
import { loadedBy, needsNoServer } from './imports.ts'
import { changedPaths, dueProofs, nightlyProofs } from './nightly.ts'
import { roundsOf } from './rounds.ts'

const root = join(import.meta.dirname, '../..')

function makeTree(t: TestContext, files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'malipo-rounds-'))
  t.after(() => rmSync(folder, { recursive: true }))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  return folder
}

test('a test file that loads a module that starts servers, even indirectly, needs a server', (t) => {
  const servers = 'packages/server/src/dev-stack/servers.ts'
  const tree = makeTree(t, {
    [servers]: '',
    'packages/server/src/testing/a.ts': `import {\n  one,\n  two,\n} from '../dev-stack/servers.ts'\n`,
    'direct.test.ts': `import { x } from './${servers}'\n`,
    'indirect.test.ts': `import { x } from './packages/server/src/testing/a.ts'\n`,
    'dynamic.test.ts': `const x = await import('./packages/server/src/testing/a.ts')\n`,
    'typed.test.ts': `import type { X } from './${servers}'\nimport './other.ts'\n`,
    'other.ts': `export { y } from 'pg'\n`,
  })

  for (const name of ['direct', 'indirect', 'dynamic'])
    assert.equal(needsNoServer(tree, `${name}.test.ts`), false, name)
  assert.equal(needsNoServer(tree, 'typed.test.ts'), true)
  assert.deepEqual([...loadedBy(tree, 'typed.test.ts')], ['typed.test.ts', 'other.ts'])
})

test('every test file is in exactly one round of the whole run', () => {
  const rounds = (['packages', 'systems'] as const).flatMap((stage) => roundsOf(root, stage, nightlyProofs))
  const files = rounds.flatMap((round) => round.files)
  const listed = execFileSync('git', ['ls-files', '*.test.ts'], { cwd: root, encoding: 'utf8' })

  assert.equal(new Set(files).size, files.length)
  assert.deepEqual(
    listed.split('\n').filter((path) => path !== '' && !files.includes(path)),
    [],
  )
})

test('the pure stage has tests without servers only, and a proof that is not due is left out', () => {
  const [pure] = roundsOf(root, 'pure', [])
  const files = (stage: 'packages' | 'systems') => roundsOf(root, stage, []).flatMap((round) => round.files)

  assert.ok(pure && pure.files.length > 50)
  assert.ok(!pure.files.includes('packages/server/src/platform/db.test.ts'))
  assert.ok(!roundsOf(root, 'pure', nightlyProofs)[0]?.files.includes('tools/checks/planted-bugs.test.ts'))
  assert.ok(!files('packages').includes('tools/checks/planted-bugs.test.ts'))
  assert.ok(files('systems').includes('test/simulation.test.ts'), 'only some tests of this file wait for the night')
  assert.equal(roundsOf(root, 'systems', [])[0]?.skip?.length, 1)
})

test('a nightly proof is due when its sources or its test change, or when the changes are not known', () => {
  const names = (changed: readonly string[] | undefined) => dueProofs(changed).map(({ name }) => name)

  assert.deepEqual(names([]), [])
  assert.deepEqual(names(['README.md', 'packages/cli/src/main.ts']), [])
  assert.deepEqual(names(['packages/server/src/charges/card.ts']), ['kills during charges'])
  assert.deepEqual(names(['test/ledger-kills.test.ts']), ['kills of posting processes'])
  const moneyProofs = nightlyProofs.slice(0, 6).map(({ name }) => name)
  for (const path of ['packages/server/src/platform/batch.ts', 'packages/server/migrations/0011_x.sql'])
    assert.deepEqual(
      moneyProofs.filter((name) => !names([path]).includes(name)),
      [],
    )
  assert.equal(names(undefined).length, nightlyProofs.length)
})

test('every nightly proof names a test file, and its sources include the place of each planted bug', async () => {
  const { plantedBugs } = await import('../checks/planted-bugs.ts')
  const [ledger] = nightlyProofs
  const tracked = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).split('\n')

  for (const { file, sources } of nightlyProofs) {
    assert.ok(tracked.includes(file), file)
    assert.ok(tracked.some((path) => sources.test(path)))
  }
  for (const { path } of plantedBugs.flatMap(({ edits }) => edits))
    assert.match(`packages/server/src/${path}`, ledger?.sources ?? /^$/)
})

test('changes are those since the branch left main, committed or not; a shallow clone cannot say', (t) => {
  const tree = makeTree(t, { 'a.ts': '1' })
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], { cwd: tree, stdio: 'pipe' })
  const commit = (name: string, hour: number) => {
    writeFileSync(join(tree, name), '1')
    git('add', '.')
    process.env['GIT_COMMITTER_DATE'] = `${1_800_000_000 + hour * 3600} +0000`
    git('commit', '-qm', name)
  }
  t.after(() => {
    delete process.env['GIT_COMMITTER_DATE']
  })
  git('init', '-qb', 'main')
  commit('a.ts', 0)
  assert.equal(changedPaths(tree, undefined), undefined, 'without origin/main')
  git('update-ref', 'refs/remotes/origin/main', 'HEAD')
  assert.equal(changedPaths(tree, undefined), undefined, 'on main, without a commit that a nightly run has seen')

  commit('late.ts', 10)
  commit('later.ts', 30)
  git('update-ref', 'refs/remotes/origin/main', 'HEAD')
  assert.deepEqual(changedPaths(tree, undefined), ['late.ts', 'later.ts'], 'on main, the changes of the last day')
  commit('c.ts', 31)
  commit('d.ts', 32)
  writeFileSync(join(tree, 'a.ts'), '2')
  writeFileSync(join(tree, 'e.ts'), '1')

  assert.deepEqual(changedPaths(tree, undefined), ['a.ts', 'c.ts', 'd.ts', 'e.ts'])
  assert.deepEqual(changedPaths(tree, 'HEAD~1'), ['a.ts', 'd.ts', 'e.ts'])
  assert.equal(changedPaths(tree, '0'.repeat(40)), undefined, 'a base that is not in the clone')
})

test('long files start first, and a file without a duration before them', () => {
  assert.deepEqual(longestFirst(['a', 'b', 'c', 'd'], { a: 1, b: 3, c: 2 }), ['d', 'b', 'c', 'a'])
})

test('the durations of a run are kept for the next one, beside those of other stages', (t) => {
  const folder = makeTree(t, {})
  const path = join(folder, 'new/durations.json')
  assert.deepEqual(readDurations(path), {})

  recordDurations(path, { 'a.test.ts': 2000, 'b.test.ts': 1 }, 0.5)
  recordDurations(path, { 'b.test.ts': 3000 }, 0.9)

  assert.deepEqual(readDurations(join(folder, 'none.json'), path), { 'a.test.ts': 2000, 'b.test.ts': 3000 })
  assert.deepEqual(slowestLines({ a: 1000, b: 2000, c: 500 }, 1), ['    2.0 s  b', '    1.5 s  2 other files'])
})
