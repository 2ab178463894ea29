import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'

/** The minified file: every page that is loaded compiles it, and axe's own `source` is 1.5 MB. */
const source = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

/**
 * What breaks a rule of axe on the page as it is now, of any level. The package of axe for playwright loads axe twice for each run and
 * opens another window to merge frames; our pages have no frames, so one run in the page is enough.
 */
export const violationsOn = (page: Page): Promise<string[]> => run(page, '{}')

/** The part of {@link violationsOn} that can change while the elements stay the same: the rules about colours. */
export const colourViolationsOn = (page: Page): Promise<string[]> =>
  run(
    page,
    `{ runOnly: axe.getRules(['cat.color']).filter(({ tags }) => !tags.includes('wcag2aaa')).map(({ ruleId }) => ruleId) }`,
  )

/** The elements of a page, with which of them are shown. Numbers are left out: a clock counts on. */
export const shapeOf = (page: Page): Promise<string> =>
  page.evaluate(
    `document.body.innerHTML.replaceAll(/\\d+/g, '0') + [...document.body.querySelectorAll('*')].map((each) => Number(each.checkVisibility())).join('')`,
  )

async function run(page: Page, options: string): Promise<string[]> {
  assert.equal(page.frames().length, 1, 'axe looks at the main frame only')
  // Evaluated through the debugger, so the content security policy of the page stays as it is.
  if (!(await page.evaluate(`'axe' in window`))) await page.evaluate(source)
  return page.evaluate<string[]>(`axe.run({ resultTypes: ['violations'], ...${options} }).then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html.slice(0, 160)).join(' | ')))`)
}
