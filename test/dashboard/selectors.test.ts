import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { buildDashboard, isDashboardStale } from '../../tools/dashboard/build.ts'

const assets = join(import.meta.dirname, '../../packages/dashboard/dist/assets')

/** Selectors that browsers compare with every element: by its place among others, its title or its pseudo-elements. */
function costly(css: string): string[] {
  // Tailwind's initial values for browsers without `@property`.
  const used = css.replace(/@layer properties\{[\s\S]*?\}\}\}/, '')
  const selectors = (used.match(/[^{};]+(?=\{)/g) ?? []).filter((selector) => !selector.trim().startsWith('@'))
  return selectors
    .flatMap(splitAtCommas)
    .filter((part) => /[>+~](\*|:(nth|first|last|not))|:has\(|\[title\]|^\*?::?(before|after|backdrop)$/.test(part))
}

/** At commas outside of brackets. */
const splitAtCommas = (text: string) => text.split(/,(?![^(]*\))/).map((part) => part.trim())

test('no style rule asks every element for its place, its title or its pseudo-elements', () => {
  if (isDashboardStale()) assert.equal(buildDashboard(), undefined)
  const css = readdirSync(assets)
    .filter((name) => name.endsWith('.css'))
    .map((name) => readFileSync(join(assets, name), 'utf8'))
    .join('')

  assert.ok(css.length > 20_000, 'the styles are built')
  assert.deepEqual(costly(css), [])
})

test('a selector that asks every element is found, and one by class is not', () => {
  for (const selector of [
    '*,:after,:before,::backdrop',
    ':where(.divide-x>:not(:last-child))',
    '.a>:nth-child(n+3)',
    '.a>*',
    '.a:has(b)',
    'abbr:where([title])',
  ])
    assert.notDeepEqual(costly(`${selector}{margin:0}`), [], selector)
  for (const selector of ['*', '.last\\:pr-4:last-child', '.a:where([data-theme=dark],[data-theme=dark] *)', '.a>svg'])
    assert.deepEqual(costly(`${selector}{margin:0}`), [], selector)
})
