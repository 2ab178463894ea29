import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { catalogue } from '../../packages/server/src/errors.ts'
import { generated } from '../docs/generated.ts'
import { anchorsOf } from '../docs/markdown.ts'
import { chapters, pageOf, sourceOf } from '../docs/site-map.ts'
import { firstOfSeries } from './releases.ts'
import { brokenLinks, changedMigrations, lockFileTroubles, longFiles, readTree, unfinishedWork } from './tidy.ts'

const root = join(import.meta.dirname, '../..')
const tree = readTree(root)
const planted = (path: string, text: string) => [{ path, text }]

test('the tree has files', () => {
  assert.ok(tree.length > 50)
})

test('no file is longer than 400 lines, and ARCHITECTURE.md no longer than 350', () => {
  assert.deepEqual(longFiles(tree), [])

  assert.equal(longFiles(planted('a.ts', 'x\n'.repeat(401))).length, 1)
  assert.equal(longFiles(planted('ARCHITECTURE.md', 'x\n'.repeat(351))).length, 1)
  assert.equal(longFiles(planted('a.ts', 'x\n'.repeat(400))).length, 0)
})

test('no file contains unfinished work', () => {
  assert.deepEqual(unfinishedWork(tree), [])

  assert.equal(unfinishedWork(planted('a.ts', `// ${'TO'}${'DO'}: later`)).length, 1)
  assert.equal(unfinishedWork(planted('a.ts', '// todos are a list')).length, 0)
})

test('a merged migration is never changed', (t) => {
  const first = firstOfSeries(root)
  if (first) assert.deepEqual(changedMigrations(root, first), [])

  const folder = mkdtempSync(join(tmpdir(), 'malipo-tidy-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'packages/server/migrations')
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], {
      cwd: folder,
      stdio: 'pipe',
    })
  mkdirSync(path, { recursive: true })
  for (const name of ['0001_a.sql', '0002_b.sql', '0003_c.sql']) writeFileSync(join(path, name), 'select 1')
  git('init', '-q')
  git('add', '.')
  git('commit', '-qm', 'first')
  assert.deepEqual(changedMigrations(folder, 'HEAD'), [])
  writeFileSync(join(path, '0001_a.sql'), 'select 2')
  git('commit', '-qam', 'changed and merged')
  writeFileSync(join(path, '0002_b.sql'), 'select 2')
  rmSync(join(path, '0003_c.sql'))

  writeFileSync(join(path, '0004_d.sql'), 'select 1')
  git('add', '.')
  git('commit', '-qm', 'later')
  writeFileSync(join(path, '0004_d.sql'), 'select 2')

  assert.deepEqual(
    changedMigrations(folder, 'HEAD~2').map((complaint) => complaint.split(' ')[0]),
    ['0001_a.sql', '0002_b.sql', '0003_c.sql', '0004_d.sql'].map((name) => `packages/server/migrations/${name}`),
  )
})

test('generated files are fresh', async () => {
  for (const [path, text] of await generated())
    assert.equal(readFileSync(join(root, path), 'utf8'), text, `${path} is stale: npm run generate`)
})

test('the lock file names no registry, runs no scripts, and has every platform', () => {
  const text = readFileSync(join(root, 'package-lock.json'), 'utf8')
  assert.deepEqual(lockFileTroubles(text), [])

  const a = {
    resolved: 'https://registry.example/a.tgz',
    hasInstallScript: true,
    optionalDependencies: { 'a-win32': '1' },
  }
  assert.equal(lockFileTroubles(JSON.stringify({ packages: { 'node_modules/a': a } })).length, 3)
  const known = { 'node_modules/b': { dependencies: { a: '1' } }, 'node_modules/b/node_modules/a': {} }
  assert.equal(lockFileTroubles(JSON.stringify({ packages: known })).length, 0)
})

test('the site’s lock file follows the same rules, except for one disabled script', () => {
  const text = readFileSync(join(root, 'docs-site/package-lock.json'), 'utf8')

  assert.deepEqual(lockFileTroubles(text), ['node_modules/esbuild wants to run a script when installed'])
  assert.match(readFileSync(join(root, 'docs-site/.npmrc'), 'utf8'), /^ignore-scripts=true$/m)
})

test('every link between our documents resolves, anchor included', () => {
  assert.deepEqual(brokenLinks(tree, root), [])

  assert.equal(brokenLinks(planted('README.md', 'see [this](docs/nowhere.md#part)'), root).length, 1)
  assert.equal(brokenLinks(planted('README.md', '# A\n\nsee [this](#b) and [that](README.md#c)'), root).length, 2)
  assert.equal(brokenLinks(planted('README.md', '# A\n\nsee [this](#a), [that](package.json)'), root).length, 0)
  assert.equal(brokenLinks(planted('README.md', 'see [this](https://example.com/x)'), root).length, 0)
})

test('every page is in the site map once', () => {
  const listed = chapters.flatMap(({ pages }) => pages.map(sourceOf))
  const pages = tree.map(({ path }) => path).filter((path) => pageOf(path) !== undefined)

  assert.deepEqual([...listed].sort(), [...pages].sort())
})

test('every error of the catalogue has its anchor on the page of errors', () => {
  const page = tree.find(({ path }) => path === 'docs/reference/errors.md')
  const anchors = anchorsOf(page?.text ?? '')

  for (const { errorCode } of Object.values(catalogue)) assert.ok(anchors.has(errorCode), errorCode)
})

test('every error of the catalogue is used, and has its own code', () => {
  const code = tree.filter(
    ({ path }) => /^packages\/server\/src\/.*\.ts$/.test(path) && !/(errors|\.test)\.ts$/.test(path),
  )
  const unused = Object.keys(catalogue).filter((key) => !code.some(({ text }) => text.includes(`'${key}'`)))
  const codes = Object.values(catalogue).map(({ errorCode }) => errorCode)

  assert.deepEqual(
    unused.filter((key) => key !== 'VALIDATION'),
    [],
  )
  assert.equal(new Set(codes).size, codes.length)
})
