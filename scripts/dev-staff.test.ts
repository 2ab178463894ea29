import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { chromium, type Page } from 'playwright-core'
import { compiled, freePort } from '../packages/server/src/dev-stack/processes.ts'
import { until } from '../packages/server/src/dev-stack/until.ts'

const root = join(import.meta.dirname, '..')

interface Dev {
  readonly site: string
  /** What npm run dev printed. */
  readonly output: string
  /** npm run dev -- --links beside it. */
  links(): { readonly output: () => string; readonly ended: Promise<number | null> }
  /** npm run malipo in the folder of the stack. */
  malipo(...args: string[]): { readonly output: () => string; readonly ended: Promise<number | null> }
}

async function startDev(t: TestContext): Promise<Dev> {
  const folder = mkdtempSync(join(tmpdir(), 'malipo-dev-staff-'))
  chmodSync(folder, 0o711) // PostgreSQL's own user must reach its data.
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const port = await freePort()
  const { PATH } = process.env
  const own = { HOME: folder, MALIPO_FOLDER: join(folder, 'data'), MALIPO_PORT: String(port), NO_COLOR: '1' }
  const env = { ...compiled, PATH, ...own }
  const run = (script: string, args: readonly string[]) => {
    const child = spawn(process.execPath, [join(root, 'scripts', script), ...args], { env })
    let text = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (part) => {
        text += String(part)
      })
    const ended = once(child, 'exit').then(([code]) => code as number | null)
    return { child, output: () => text, ended }
  }
  const dev = run('dev.ts', [])
  t.after(async () => {
    dev.child.kill('SIGTERM')
    await dev.ended
  })
  await until('npm run dev to be ready', () => dev.output().includes('In another window'), { timeoutMs: 120_000 })
  assert.match(dev.output(), new RegExp(`sign-in +http://localhost:${port}/sign-in`))
  return {
    site: `http://localhost:${port}`,
    output: dev.output(),
    links: () => run('dev.ts', ['--links']),
    malipo: (...args) => run('malipo.ts', args),
  }
}

/** A page whose device has a passkey store that confirms by itself, as after a fingerprint. */
async function openPage(t: TestContext): Promise<Page> {
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu'],
  })
  t.after(() => browser.close())
  const page = await browser.newPage()
  page.setDefaultTimeout(20_000)
  const client = await page.context().newCDPSession(page)
  await client.send('WebAuthn.enable')
  const confirming = { hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true }
  await client.send('WebAuthn.addVirtualAuthenticator', {
    options: { protocol: 'ctap2', transport: 'internal', hasResidentKey: true, ...confirming },
  })
  return page
}

const press = (page: Page, name: string) => page.getByRole('button', { name }).click()

test('on a stack of npm run dev staff join with a passkey, log in and act, beside its machine', {
  timeout: 240_000,
}, async (t) => {
  const { site, malipo } = await startDev(t)
  const page = await openPage(t)

  const listed = malipo('merchants', 'list')
  assert.equal(await listed.ended, 0, listed.output())
  assert.match(listed.output(), /Duka Moja/)
  const who = ['--email', 'wanjiru@example.com', '--name', 'Wanjiru Kamau', '--role', 'admin']
  const invited = malipo('people', 'invite', '--break-glass', ...who)
  assert.equal(await invited.ended, 0, invited.output())
  const [link = ''] = /http:\/\/\S+\/invitation#\S+/.exec(invited.output()) ?? []
  assert.ok(link.startsWith(`${site}/`), invited.output())
  await page.goto(link)
  await press(page, 'Create a passkey and join')
  await page.waitForURL(`${site}/account`)

  const login = malipo('login', '--operator', '--profile', 'wanjiru')
  const code = await until('the code', () => /code: ([A-Z]{4}-[A-Z]{4})/.exec(login.output())?.[1])
  await page.goto(`${site}/device`)
  await page.getByLabel('Code in your terminal').fill(code)
  await press(page, 'Continue')
  await press(page, 'Approve this command line')

  assert.equal(await login.ended, 0, login.output())
  const set = ['thresholds', 'set', '--currency', 'KES', '--amount', '100', '--reason', 'a rehearsal']
  const proposed = malipo('--profile', 'wanjiru', ...set)
  assert.equal(await proposed.ended, 6, proposed.output())
  assert.match(proposed.output(), /proposed by +Wanjiru Kamau/)
})

test('the links of npm run dev sign the owner and the staff in to the sandbox, once, and --links makes new ones', {
  timeout: 240_000,
}, async (t) => {
  const { site, output, links } = await startDev(t)
  const page = await openPage(t)
  const linkOf = (text: string, person: string) =>
    new RegExp(`${person}\\n +(${site}/sign-in/link#\\S+)`).exec(text)?.[1] ?? ''
  const me = () =>
    page.evaluate(async () => {
      const { data } = (await (await fetch('/people/v1/me')).json()) as { data?: { name: string } }
      return data?.name
    })

  await page.goto(linkOf(output, 'Duka Moja owner'))
  await page.waitForURL(`${site}/dashboard/m/*/sandbox`)
  assert.equal(await me(), 'Amina Otieno')
  const staff = linkOf(output, 'Tunde Adeyemi, operator admin')
  await page.goto(staff)
  await page.waitForURL(`${site}/dashboard/operator?env=sandbox`)
  assert.equal(await me(), 'Tunde Adeyemi')

  await page.context().clearCookies()
  await page.goto('about:blank')
  await page.goto(staff)
  await page.getByText('This link was used before').waitFor()
  assert.equal(page.url(), `${site}/sign-in/link`)
  const more = links()
  assert.equal(await more.ended, 0, more.output())
  await page.goto(linkOf(more.output(), 'Duka Moja approver'))
  await page.waitForURL(`${site}/dashboard**`)
  assert.equal(await me(), 'Brian Kiprop')
})
