/**
 * npm run tour: takes the pictures of docs/guides/dashboard.md from the dashboard of the stack that `npm run dev -- --fresh --demo` runs
 * in another window. It changes nothing there. Needs Chromium; MALIPO_CHROMIUM is its path, if it is not /usr/bin/chromium.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import { findProjectStack } from '../packages/cli/src/dev-stack.ts'
import { devFolder } from '../packages/server/src/dev-stack/dev-folder.ts'
import { signInLinks } from '../packages/server/src/dev-stack/people.ts'
import { type Picture, pictures, type Seat } from '../tools/docs/tour-pictures.ts'

const folder = join(import.meta.dirname, '../docs/guides/dashboard')
const bytesMax = 60_000
const qualities = [82, 74, 66, 58, 50]
/** For charts, which measure their width first. */
const settleMs = 1500
const wide = { width: 1240, height: 800 }
const narrow = { width: 390, height: 800 }

process.env['MALIPO_FOLDER'] ||= devFolder
const stack = findProjectStack({ variables: process.env, folder: process.cwd() })
if (!stack) {
  console.error(
    'Nothing runs here. Start npm run dev -- --fresh --demo in another window, and run this again when it is ready.',
  )
  process.exit(1)
}
mkdirSync(folder, { recursive: true })
const browser = await chromium.launch({
  executablePath: process.env['MALIPO_CHROMIUM'] ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
})
const links = await signInLinks(stack.variables)
const seats: Readonly<Record<Seat, Page>> = {
  owner: await signIn(browser, links.find(({ isStaff, role }) => !isStaff && role === 'owner')?.link ?? ''),
  staff: await signIn(browser, links.find(({ isStaff }) => isStaff)?.link ?? ''),
}
for (const picture of pictures)
  for (const theme of ['light', 'dark'] as const) {
    const bytes = await take(seats[picture.seat], picture, theme)
    writeFileSync(join(folder, `${picture.name}-${theme}.webp`), bytes)
    console.log(`${picture.name}-${theme}.webp: ${(bytes.length / 1000).toFixed(0)} kB`)
  }
await browser.close()

async function signIn(of: Browser, link: string): Promise<Page> {
  const context = await of.newContext({ reducedMotion: 'reduce', timezoneId: 'Africa/Nairobi', locale: 'en-GB' })
  const page = await context.newPage()
  await page.goto(link)
  await page.waitForURL(/\/dashboard\/(m|operator)\b/)
  return page
}

async function take(
  page: Page,
  { path, isNarrow = false, prepare }: Picture,
  theme: 'light' | 'dark',
): Promise<Buffer> {
  await page.setViewportSize(isNarrow ? narrow : wide)
  await page.evaluate(`localStorage.setItem('malipo.theme', '${theme}')`)
  // The demo's payments are sandbox payments.
  const place = /^\/dashboard\/m\/[^/]+/.exec(new URL(page.url()).pathname)?.[0]
  await page.goto(new URL((place ? `${place}/sandbox` : '/dashboard') + path, page.url()).href)
  await prepare(page)
  await page.evaluate('document.fonts.ready')
  await page.waitForTimeout(settleMs)
  const session = await page.context().newCDPSession(page)
  for (const quality of qualities) {
    const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality })
    const bytes = Buffer.from(data, 'base64')
    if (bytes.length <= bytesMax) return bytes
  }
  throw new Error(`The picture of ${path} is larger than ${bytesMax} bytes at any quality.`)
}
