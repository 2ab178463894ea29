import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import home from '../../docs-site/src/home.json' with { type: 'json' }
import { figureTables, strangeFigures } from './figures.ts'

const read = (path: string) => readFileSync(join(import.meta.dirname, '../..', path), 'utf8')

test('every figure and command of README.md is on the page that it names', () => {
  const tables = figureTables(read('README.md'))

  assert.deepEqual(
    tables.map(({ page }) => page),
    ['docs/operating/guarantees.md', 'docs/operating/performance.md'],
  )
  for (const { page, text } of tables) assert.deepEqual(strangeFigures(text, read(page)), [], page)
})

test('every figure and command of the home page is on the page of guarantees', () => {
  const shown = home.figures.map(({ figure, unit, text, command }) => `${figure} ${unit}. ${text} \`${command}\``)

  assert.deepEqual(
    strangeFigures(shown.join('\n').replaceAll(/^0 \w+/gm, ''), read('docs/operating/guarantees.md')),
    [],
  )
})

test('another number, another unit, a part of a number and another command are found', () => {
  const page = '| kept | 55,373 successful responses, 869 faults, **297** | `npm run chaos -- --seconds 1800` |'

  assert.deepEqual(
    strangeFigures('| 55,373 successful, 869 faults, 297 | `npm run chaos -- --seconds 1800` |', page),
    [],
  )
  for (const wrong of ['61,234 successful', '55,373 lost', '373', '55', '869 s', '29'])
    assert.deepEqual(strangeFigures(`| ${wrong} |`, page), [wrong])
  assert.deepEqual(strangeFigures('`npm run chaos -- --seconds 60`', page), ['npm run chaos -- --seconds 60'])
})
