import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, type TestContext } from 'node:test'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { cookiesFor } from '../../packages/server/src/people/cookies.ts'
import { type PersonOptions, type TestPerson, testPerson } from '../../packages/server/src/testing/people.ts'
import { type RefundingMalipo, refundingMalipo } from '../../packages/server/src/testing/refunding.ts'
import { buildDashboard, isDashboardStale } from '../../tools/dashboard/build.ts'
import { colourViolationsOn, shapeOf, violationsOn } from '../support/browser/violations.ts'

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

type Stack = Pick<OpenDashboard, 'malipo' | 'browser'>

/** The stacks of this process by their settings: all stories of a file share one, because starting it takes seconds. */
const stacks = new Map<string, Promise<Stack>>()
const closings: (() => unknown)[] = []
after(async () => {
  for (const close of closings) await close()
})

async function startStack(settings: Record<string, string>): Promise<Stack> {
  if (isDashboardStale()) assert.equal(buildDashboard(), undefined)
  const opened: Browser[] = []
  // Before the server: it waits for connections that a browser holds open.
  closings.push(() => Promise.all(opened.map((each) => each.close())))
  const lifetime = { after: (close: () => unknown) => void closings.push(close) } as unknown as TestContext
  const malipo = await refundingMalipo(lifetime, {
    MALIPO_PUBLIC_URL: site,
    MALIPO_WEBHOOK_RANGES: '127.0.0.0/8',
    MALIPO_RATE_LIMIT_PEOPLE: '1000',
    ...settings,
  })
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
  return { malipo, browser }
}

/** The real service with the built dashboard, and a real Chromium. A story makes its own merchants and people. */
export async function openDashboard(t: TestContext, settings: Record<string, string> = {}): Promise<OpenDashboard> {
  const key = JSON.stringify(settings)
  const starting = stacks.get(key) ?? startStack(settings)
  stacks.set(key, starting)
  const { malipo, browser } = await starting
  const complaints: string[] = []
  const as = async (options: PersonOptions): Promise<Window> => {
    const person = await testPerson(malipo, options)
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' })
    t.after(() => context.close())
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
 * Looks at a page in both themes at both widths: nothing is wider than the window and axe finds nothing. The second theme changes the
 * colours, so only the rules about colours run again, unless the page shows other elements than in the first. With
 * MALIPO_SCREENSHOTS=FOLDER it also stores a picture of each.
 */
export async function look(page: Page, name: string): Promise<void> {
  for (const size of sizes) {
    await page.setViewportSize(size)
    let checked: string | undefined
    for (const theme of themes) {
      await page.evaluate(`document.documentElement.dataset.theme = '${theme}'`)
      const excess = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
      assert.equal(excess, 0, `${name} is wider than ${size.width} px`)
      const shape = await shapeOf(page)
      const found = await (shape === checked ? colourViolationsOn(page) : violationsOn(page))
      checked = shape
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
