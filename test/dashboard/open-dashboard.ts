import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { cookiesFor } from '../../packages/server/src/people/cookies.ts'
import { type PersonOptions, type TestPerson, testPerson } from '../../packages/server/src/testing/people.ts'
import { type RefundingMalipo, refundingMalipo } from '../../packages/server/src/testing/refunding.ts'
import { buildDashboard, isDashboardStale } from '../../tools/dashboard/build.ts'
import { violationsOn } from '../support/browser/violations.ts'

/** The address that browsers show; they connect to the port of the test. */
export const site = 'http://localhost:8099'
const pictures = process.env['MALIPO_SCREENSHOTS']

export interface OpenDashboard {
  readonly malipo: RefundingMalipo
  readonly browser: Browser
  /** A window of a new person with these roles, signed in. */
  as(options: PersonOptions): Promise<Window>
  /** What pages did that they must not: requests to other hosts, errors, violations of the content security policy. */
  readonly complaints: string[]
}

interface Window {
  readonly person: TestPerson
  readonly context: BrowserContext
  readonly page: Page
  /** Opens a path of the dashboard, such as `/m/mer_1/sandbox`. */
  go(path: string): Promise<void>
}

/** The real service with the built dashboard, and a real Chromium. */
export async function openDashboard(t: TestContext, settings: Record<string, string> = {}): Promise<OpenDashboard> {
  if (isDashboardStale()) assert.equal(buildDashboard(), undefined)
  const opened: Browser[] = []
  // Before the server: it waits for connections that a browser holds open.
  t.after(() => Promise.all(opened.map((each) => each.close())))
  const malipo = await refundingMalipo(t, { MALIPO_PUBLIC_URL: site, ...settings })
  const { port } = new URL(malipo.url)
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      `--host-resolver-rules=MAP localhost:8099 127.0.0.1:${port}`,
    ],
  })
  opened.push(browser)
  const complaints: string[] = []
  const as = async (options: PersonOptions): Promise<Window> => {
    const person = await testPerson(malipo, options)
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' })
    await context.addCookies([{ name: cookiesFor(site).session, value: person.token, url: site }])
    const page = await context.newPage()
    page.setDefaultTimeout(15_000)
    watch(page, complaints)
    return { person, context, page, go: async (path) => void (await page.goto(`${site}/dashboard${path}`)) }
  }
  return { malipo, browser, as, complaints }
}

const expected = /status of (400|401|403|404|409|422)/

function watch(page: Page, complaints: string[]): void {
  page.on('request', (request) => {
    if (!request.url().startsWith(`${site}/`) && !request.url().startsWith('blob:'))
      complaints.push(`request to ${request.url()}`)
  })
  page.on('console', (message) => {
    if (message.type() === 'error' && !expected.test(message.text())) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
}

const themes = ['light', 'dark'] as const
const sizes = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
] as const

/**
 * Looks at a page in both themes at both widths: nothing is wider than the window and axe finds nothing. With
 * MALIPO_SCREENSHOTS=FOLDER it also stores a picture of each.
 */
export async function look(page: Page, name: string): Promise<void> {
  for (const size of sizes) {
    await page.setViewportSize(size)
    for (const theme of themes) {
      await page.evaluate(`document.documentElement.dataset.theme = '${theme}'`)
      const excess = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
      assert.equal(excess, 0, `${name} is wider than ${size.width} px`)
      const found = await violationsOn(page)
      if (pictures) {
        mkdirSync(pictures, { recursive: true })
        await page.screenshot({
          path: join(pictures, `${name}-${theme}-${size.width}.png`),
          fullPage: size.width === 390,
        })
      }
      assert.deepEqual(found, [], `${name}, ${theme}, ${size.width} px`)
    }
  }
  await page.setViewportSize(sizes[0])
}
