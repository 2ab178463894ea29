/**
 * People's pages in a real Chromium, with its virtual authenticator. With MALIPO_SCREENSHOTS=FOLDER it also stores a picture of each
 * page, at 1440 and 390 pixels, light and dark.
 */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { type Browser, chromium, type Page } from 'playwright-core'
import { requireCode } from '../packages/server/src/people/invite.ts'
import { showId } from '../packages/server/src/platform/ids.ts'
import { codeNow, invitedStaff } from '../packages/server/src/testing/browser.ts'
import { type Malipo, testMalipo } from '../packages/server/src/testing/malipo.ts'

/** The address that the browser shows; it connects to the port of the test. */
const site = 'http://localhost:8099'
const pictures = process.env['MALIPO_SCREENSHOTS']

interface Opened {
  readonly malipo: Malipo
  readonly page: Page
  /** What the pages did that they must not: requests to other hosts, errors, violations of the content security policy. */
  readonly complaints: string[]
}

async function open(t: TestContext): Promise<Opened> {
  const malipo = await testMalipo(t, { MALIPO_PUBLIC_URL: site })
  const { port } = new URL(malipo.url)
  const browser: Browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      `--host-resolver-rules=MAP localhost:8099 127.0.0.1:${port}`,
    ],
  })
  t.after(() => browser.close())
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
  page.setDefaultTimeout(20_000)
  const complaints: string[] = []
  page.on('request', (request) => {
    if (!request.url().startsWith(`${site}/`)) complaints.push(`request to ${request.url()}`)
  })
  page.on('console', (message) => {
    const isExpected =
      /status of (400|401|403|404|422)/.test(message.text()) || message.location().url.endsWith('/favicon.ico')
    if (message.type() === 'error' && !isExpected) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  return { malipo, page, complaints }
}

/** A device with a passkey store that confirms by itself, as after a fingerprint. */
async function addAuthenticator(page: Page) {
  const client = await page.context().newCDPSession(page)
  await client.send('WebAuthn.enable')
  const { authenticatorId } = await client.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  const setVerified = (isUserVerified: boolean) =>
    client.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified })
  return { setVerified }
}

/** Nothing of the page is wider than the window, in any of the sizes and themes. */
async function look(page: Page, name: string): Promise<void> {
  for (const width of [1440, 390])
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize({ width, height: width === 390 ? 844 : 900 })
      await page.emulateMedia({ colorScheme })
      const excess = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
      assert.equal(excess, 0, `${name} at ${width} is too wide`)
      if (pictures === undefined) continue
      mkdirSync(pictures, { recursive: true })
      await page.screenshot({ path: join(pictures, `${name}-${colorScheme}-${width}.png`) })
    }
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.emulateMedia({ colorScheme: 'light' })
}

const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).click()

/** Joins by an invitation's link with a passkey, and is then at the account. */
async function joinByLink({ malipo, page }: Opened): Promise<string> {
  const email = `wanjiru.${randomUUID().slice(0, 8)}@kijani.africa`
  const token = await invitedStaff(malipo, { email, role: 'operations' })
  await page.goto(`${site}/invitation#${token}`)
  await page.getByText(email).waitFor()
  await look(page, 'invitation')
  await press(page, 'Create a passkey and join')
  await page.waitForURL(`${site}/account`)
  await page.getByRole('heading', { name: 'Wanjiru Kamau' }).waitFor()
  return token
}

test('a person joins by a link with a passkey, signs out, and signs in with it again', async (t) => {
  const opened = await open(t)
  const { page, complaints } = opened
  await addAuthenticator(page)

  const token = await joinByLink(opened)
  await look(page, 'account')
  assert.ok(!(await page.content()).includes(token))
  await press(page, 'Sign out')
  await page.waitForURL(`${site}/sign-in`)
  await look(page, 'sign-in')
  await press(page, 'Continue with a passkey')
  await page.waitForURL(`${site}/account`)
  await page.getByText('Operator: operations').waitFor()
  await page.goto(`${site}/invitation#${token}`)
  await page.getByRole('alert').getByText('This invitation is not valid.').waitFor()
  await look(page, 'invitation-used')

  assert.deepEqual(complaints, [])
})

test('a person who was recovered adds a new passkey by the link and keeps the role', async (t) => {
  const opened = await open(t)
  const { malipo, page, complaints } = opened
  await addAuthenticator(page)
  await joinByLink(opened)
  const email = await page.locator('[data-me-email]').innerText()
  const [person] = (await malipo.operator.people.list({ limit: 1000 })).filter((each) => each.email === email)
  const { link } = await malipo.operator.people.recover(person?.id ?? '', 'lost the device')

  await page.goto(`${site}/account`)
  await page.waitForURL(`${site}/sign-in`)
  await page.goto(`${site}/invitation${new URL(link).hash}`)
  await page.getByRole('heading', { name: 'Add a new way to sign in' }).waitFor()
  await look(page, 'recovery')
  await press(page, 'Create a passkey and continue')
  await page.waitForURL(`${site}/account`)
  await page.getByText('Operator: operations').waitFor()

  assert.deepEqual(complaints, [])
})

test('who was invited by two people joins with the link of one and the code of the other', async (t) => {
  const opened = await open(t)
  const { malipo, page, complaints } = opened
  await addAuthenticator(page)
  const email = `wanjiru.${randomUUID().slice(0, 8)}@kijani.africa`
  const token = await invitedStaff(malipo, { email, role: 'operations' })
  const [row] = await malipo.ask<{ id: string }>('select id from invitations where email = $1', [email])
  const shownId = showId('invitation', row?.id ?? '')
  const code = await malipo.ctx.db.write.transaction((tx) => requireCode(tx, malipo.ctx.vault, shownId))

  await page.goto(`${site}/invitation#${token}`)
  await page.getByText(email).waitFor()
  await press(page, 'Create a passkey and join')
  await page.getByRole('alert').getByText('Enter the confirmation code first.').waitFor()
  await page.getByLabel('Confirmation code').fill('BCDF-GHJK')
  await press(page, 'Create a passkey and join')
  await page.getByRole('alert').getByText('The confirmation code is wrong').waitFor()
  await page.getByLabel('Confirmation code').fill(code?.toLowerCase() ?? '')
  await look(page, 'invitation-code')
  await press(page, 'Create a passkey and join')
  await page.waitForURL(`${site}/account`)

  assert.deepEqual(complaints, [])
})

test('after a sign-in the browser stays at this site, whatever the link named', async (t) => {
  const opened = await open(t)
  const { page } = opened
  await addAuthenticator(page)
  await joinByLink(opened)
  for (const next of ['/.//evil.example/', '//evil.example/', 'https://evil.example/', '/\\\\evil.example']) {
    await page.goto(`${site}/account`)
    await press(page, 'Sign out')
    await page.waitForURL(`${site}/sign-in`)
    await page.goto(`${site}/sign-in?next=${encodeURIComponent(next)}`)
    await press(page, 'Continue with a passkey')
    await page.waitForURL((url) => !url.pathname.startsWith('/sign-in'))
    assert.equal(new URL(page.url()).origin, site)
  }
})

test('a device that does not verify its person gets no session', async (t) => {
  const opened = await open(t)
  const { page, complaints } = opened
  const { setVerified } = await addAuthenticator(page)
  await joinByLink(opened)
  await press(page, 'Sign out')
  await page.waitForURL(`${site}/sign-in`)

  await setVerified(false)
  await press(page, 'Continue with a passkey')
  await page.getByRole('alert').getByText('The device did not confirm.').waitFor()
  await look(page, 'sign-in-refused')
  await page.goto(`${site}/account`)
  await page.waitForURL(`${site}/sign-in`)

  assert.deepEqual(complaints, [])
})

test('after 5 minutes a change asks for a proof of presence, then a password can be set and used', async (t) => {
  const opened = await open(t)
  const { malipo, page, complaints } = opened
  await addAuthenticator(page)
  t.after(() => malipo.ask(`update clock_offset set ahead = '0'`))
  await joinByLink(opened)
  const email = await page.locator('[data-me-email]').innerText()
  await malipo.ask(`update clock_offset set ahead = '6 minutes'`)

  await press(page, 'Set password')
  await page.getByRole('dialog').waitFor()
  await look(page, 'step-up')
  await press(page, 'Confirm with a passkey')
  const form = page.locator('[data-password-form]')
  await form.waitFor()
  const secret = (await page.locator('[data-secret]').innerText()).replaceAll(' ', '')
  await page.getByRole('img', { name: 'QR code of the key' }).waitFor()
  await look(page, 'set-password')
  await form.getByLabel('Password', { exact: true }).fill('maji ya kunywa 7')
  await form.getByLabel('Code of your authenticator app').fill(await codeNow(malipo, secret))
  await press(page, 'Save password and app')
  await page.getByText('Password and authenticator app').waitFor()
  await press(page, 'Sign out')
  await page.waitForURL(`${site}/sign-in`)
  await malipo.ask(`update clock_offset set ahead = '8 minutes'`)
  await page.getByLabel('E-mail').fill(email)
  await press(page, 'Use password and code')
  await page.getByLabel('Password').fill('maji ya kunywa 7')
  await look(page, 'sign-in-password')
  await page.getByLabel('Code of your authenticator app').fill(await codeNow(malipo, secret))
  await press(page, 'Sign in')
  await page.waitForURL(`${site}/account`)

  assert.deepEqual(complaints, [])
})

test('a person approves a command line by its code, which then has a session', async (t) => {
  const opened = await open(t)
  const { malipo, page, complaints } = opened
  await addAuthenticator(page)
  await joinByLink(opened)
  const { body } = await malipo.call('POST', '/people/v1/device-codes', { 'user-agent': 'malipo/0.2.0 (linux)' })

  await page.goto(`${site}/device`)
  await page.getByText('Wanjiru Kamau').waitFor()
  await look(page, 'device')
  await page.getByLabel('Code in your terminal').fill(String(body['userCode']).toLowerCase())
  await press(page, 'Continue')
  await page.getByText('malipo/0.2.0 (linux)').waitFor()
  await look(page, 'device-decision')
  await press(page, 'Approve this command line')
  await page.getByText('Return to your terminal').waitFor()
  await look(page, 'device-approved')

  const token = await malipo.call('POST', '/people/v1/device-codes/token', {}, { deviceCode: body['deviceCode'] })
  const me = await malipo.call('GET', '/people/v1/me', { authorization: `Bearer ${token.body['token']}` })
  assert.equal(me.status, 200)
  assert.deepEqual(complaints, [])
})
