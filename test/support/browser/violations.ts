import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'

/** The minified file: every page that is loaded compiles it, and axe's own `source` is 1.5 MB. */
const source = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

/**
 * What breaks a rule of axe on the page as it is now, of any level. The package of axe for playwright loads axe twice for each run and
 * opens another window to merge frames; our pages have no frames, so one run in the page is enough.
 */
export async function violationsOn(page: Page): Promise<string[]> {
  assert.equal(page.frames().length, 1, 'axe looks at the main frame only')
  // Evaluated through the debugger, so the content security policy of the page stays as it is.
  if (!(await page.evaluate(`'axe' in window`))) await page.evaluate(source)
  return page.evaluate<string[]>(`axe.run({ resultTypes: ['violations'] }).then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html.slice(0, 160)).join(' | ')))`)
}
