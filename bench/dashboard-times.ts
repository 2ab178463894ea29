import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { cookiesFor } from '../packages/server/src/people/cookies.ts'
import { rounded } from './bench.ts'

/** Since the navigation. */
const waitMaxMs = 60_000

/** The address that browsers show; they connect to the port of the process. */
export const site = 'http://localhost:8099'

export interface Times {
  readonly median: number
  readonly p95: number
}

export function timesOf(values: readonly number[]): Times {
  const sorted = values.toSorted((left, right) => left - right)
  const at = (share: number) => rounded(sorted[Math.ceil(sorted.length * share) - 1] ?? Number.NaN)
  return { median: at(0.5), p95: at(0.95) }
}

/**
 * Runs in every page before its own scripts. A page is ready at the start of the first 400 ms in which its title is shown, no part of
 * it is a placeholder, and no request to an API is open. The stream of live updates is always open.
 */
const watcher = `(() => {
  let open = 0
  window.openRequests = () => open
  window.searches = 0
  const send = window.fetch
  window.fetch = async (...wanted) => {
    const isCounted = !String(wanted[0]?.url ?? wanted[0]).includes('/stream')
    if (isCounted) open += 1
    try {
      const response = await send(...wanted)
      if (isCounted) await response.clone().arrayBuffer().catch(() => undefined)
      if (String(wanted[0]?.url ?? wanted[0]).includes('/search/transactions')) window.searches += 1
      return response
    } finally {
      if (isCounted) open -= 1
    }
  }
  let since
  const isReady = () =>
    open === 0 && document.querySelector('main h1, main h2') !== null && document.querySelector('.skeleton, [role=status][aria-busy=true]') === null
  const look = (now) => {
    if (!isReady()) since = undefined
    else since ??= now
    window.readyAt = since !== undefined && now - since > 400 ? since : undefined
    requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
})()`

/** Waits until an expression has a value in the page. The content security policy forbids what playwright has for this. */
export async function waitFor(page: Page, expression: string): Promise<number> {
  const found = await page.evaluate(`new Promise((resolve, reject) => {
    const look = () => {
      const value = ${expression}
      if (value !== undefined && value !== false) resolve(Number(value))
      else if (performance.now() < ${waitMaxMs}) requestAnimationFrame(look)
      else reject(new Error('waited in vain in ' + location.pathname))
    }
    look()
  })`)
  return Number(found)
}

export interface Viewer {
  readonly context: BrowserContext
  readonly page: Page
  /** Opens a path as a new navigation, and returns the milliseconds until it is ready. */
  open(path: string): Promise<number>
  /** The milliseconds from the start of an action until something is shown, by the clock of the page. */
  until(act: () => Promise<void>, start: string, shown: string): Promise<number>
}

export function startBrowser(port: string): Promise<Browser> {
  return chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      `--host-resolver-rules=MAP localhost:8099 127.0.0.1:${port}`,
    ],
  })
}

export async function viewerOf(browser: Browser, token: string): Promise<Viewer> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' })
  await context.addCookies([{ name: cookiesFor(site).session, value: token, url: site }])
  await context.addInitScript(watcher)
  const page = await context.newPage()
  page.setDefaultTimeout(30_000)
  // A browser that has just started first looks for the machine's fonts, which takes half a second; a person comes from this page.
  await page.goto(`${site}/sign-in`)
  return {
    context,
    page,
    open: async (path) => {
      // Not a navigation within the program: everything is loaded again.
      await page.goto('about:blank')
      await page.goto(`${site}/dashboard${path}`, { waitUntil: 'commit' })
      return waitFor(page, 'window.readyAt')
    },
    until: async (act, start, shown) => {
      await page.evaluate(`(() => {
        window.shownAfter = undefined
        let from
        document.addEventListener('${start}', () => { from = performance.now() }, { capture: true })
        let isSeen = false
        // Painted: it is still so in the next frame.
        const look = () => {
          const isShown = from !== undefined && (${shown})
          if (isShown && isSeen) window.shownAfter = performance.now() - from
          else {
            isSeen = isShown
            requestAnimationFrame(look)
          }
        }
        requestAnimationFrame(look)
      })()`)
      await act()
      return waitFor(page, 'window.shownAfter')
    },
  }
}
