import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import * as harmless from './failpoints.ts'

const packages = join(import.meta.dirname, '../../..')
const paths = globSync('*/src/**/*.ts', { cwd: packages }).filter((path) => !/\.test\.ts$|\/testing\//.test(path))
const sources = paths.map((path) => readFileSync(join(packages, path), 'utf8'))

const sorted = (words: readonly string[]) => words.toSorted((left, right) => (left < right ? -1 : 1))
const placesIn = (texts: readonly string[]) =>
  sorted(texts.flatMap((text) => [...text.matchAll(/\breach\('([^']*)'\)/g)].map(([, place = '']) => place)))

/** Ways to replace a module, or to load code that only tests have. */
const replacements = (texts: readonly string[]) =>
  texts.filter((text) => /registerHooks|node:module|armed-failpoints|support\/failing\.ts['"]/.test(text))

test('every failpoint of the table is at exactly one place in the code, and no other exists', () => {
  assert.deepEqual(placesIn(sources), sorted(Object.keys(harmless.failpoints)))

  assert.deepEqual(placesIn([`reach('a.b')`, `if (is) reach('c.d')`, `breach('e.f')`]), ['a.b', 'c.d'])
})

test('every failpoint is explained by one sentence', () => {
  for (const [place, sentence] of Object.entries(harmless.failpoints)) {
    assert.match(place, /^[a-z_]+\.[a-z_]+$/)
    assert.match(sentence, /^[A-Z][^.]+\.$/, place)
  }
})

test('reaching a failpoint does nothing, and no program can change that', () => {
  assert.deepEqual(Object.keys(harmless), ['failpoints', 'reach'])
  assert.match(harmless.reach.toString(), /^function reach\(_place\s*\)\s*\{\s*\}$/)
  assert.deepEqual(replacements(sources), [])

  assert.equal(replacements([`import { registerHooks } from 'node:module'`, `import './ordinary.ts'`]).length, 1)
})
