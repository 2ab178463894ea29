/**
 * The page that plays the customer's phone, in a real Chromium, with charges made by API. With MALIPO_SCREENSHOTS=FOLDER it also stores
 * a picture of each of its views, at 390 and 1440 pixels, light and dark.
 */
import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { chromium, type Page } from 'playwright-core'
import { machineTime } from '../packages/server/src/dev-stack/until.ts'
import { type ChargingMerchant, chargingMalipo, nextReference } from '../packages/server/src/testing/charging.ts'
import { violationsOn } from './support/browser/violations.ts'

const pictures = process.env['MALIPO_SCREENSHOTS']
const shownMaxMs = 2000

async function open(t: TestContext) {
  const malipo = await chargingMalipo(t, { MALIPO_DEVELOPMENT: 'on' })
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  })
  t.after(() => browser.close())
  const context = await browser.newContext({ viewport: { width: 390, height: 844 } })
  const page = await context.newPage()
  page.setDefaultTimeout(30_000)
  const complaints: string[] = []
  const sent: string[] = []
  page.on('request', (request) => {
    if (!request.url().startsWith(`${malipo.url}/`)) complaints.push(`request to ${request.url()}`)
    sent.push(`${request.url()} ${request.postData() ?? ''}`)
  })
  page.on('console', (message) => {
    const isExpected = /status of 400/.test(message.text()) || message.location().url.endsWith('/favicon.ico')
    if (message.type() === 'error' && !isExpected) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  return { malipo, merchant: await malipo.charging(), page, complaints, sent }
}

async function charge(merchant: ChargingMerchant, phoneNumber: string, amount: number): Promise<string> {
  const body = { amount, currency: 'KES', phoneNumber, externalReference: nextReference() }
  const { status, body: started } = await merchant.send('momo', body)
  assert.equal(status, 200, JSON.stringify(started))
  return String(started['transactionId'])
}

/** Nothing that any rule of axe reports, in both colour schemes and widths; and pictures, if they are wanted. */
async function inspect(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const)
    for (const width of [1440, 390]) {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize({ width, height: width === 390 ? 844 : 900 })
      assert.deepEqual(await violationsOn(page), [], `${name} ${colorScheme} ${width}`)
      if (pictures === undefined) continue
      mkdirSync(pictures, { recursive: true })
      await page.screenshot({ path: join(pictures, `handset-${name}-${colorScheme}-${width}.png`) })
    }
}

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
const prompt = (page: Page) => page.getByRole('heading', { name: /^Pay KES/ })

test('the handset pays a charge that was made by API, and the PIN leaves the page in no request', {
  timeout: 240_000,
}, async (t) => {
  const { malipo, merchant, page, complaints, sent } = await open(t)
  await page.goto(`${malipo.url}/handset`)
  await inspect(page, 'choose')
  await page.getByLabel('Phone number').fill('+254 703 456 701')
  await press(page, 'Open this phone')
  await page.getByText('Waiting for a charge to this phone').waitFor()
  await inspect(page, 'idle')

  const id = await charge(merchant, '+254703456701', 2450)
  const acceptedAt = machineTime()
  await prompt(page).waitFor()
  const shownMs = machineTime() - acceptedAt
  assert.equal(await prompt(page).innerText(), 'Pay\nKES 2,450')
  await press(page, '4')
  await inspect(page, 'prompt')
  assert.ok(await page.getByRole('button', { name: 'Pay', exact: true }).isDisabled())
  await page.keyboard.type('719')
  await press(page, 'Pay')
  await page.getByText(/^You paid KES 2,450 to /).waitFor()

  assert.equal((await merchant.ends(id)).status, 'SUCCESSFUL')
  await inspect(page, 'paid')
  assert.deepEqual(complaints, [])
  assert.doesNotMatch(sent.join('\n'), /(?<![\w-])4719(?![\w-])/)
  assert.ok(
    sent.every((each) => !each.split(' ')[0]?.includes('703456701')),
    'the number is in no address',
  )
  assert.deepEqual(await page.evaluate('[localStorage.length, sessionStorage.length, document.cookie]'), [0, 0, ''])
  t.diagnostic(`the prompt appeared ${Math.round(shownMs)} ms after the charge was accepted`)
  assert.ok(shownMs <= shownMaxMs, `${shownMs} ms`)
})

test('the handset of a link declines a charge, lets one time out, and refuses an invalid number', {
  timeout: 240_000,
}, async (t) => {
  const { malipo, merchant, page, complaints } = await open(t)
  await page.goto(`${malipo.url}/handset#+254703456702`)
  await page.getByText('Waiting for a charge to this phone').waitFor()

  const declined = await charge(merchant, '+254703456702', 300)
  await prompt(page).waitFor()
  await press(page, 'Decline')
  await page.getByText(/^You declined the payment to /).waitFor()
  assert.equal((await merchant.ends(declined)).failureReason?.failureCode, 'PAYMENT_NOT_APPROVED')

  const late = await charge(merchant, '+254703456702', 410)
  await prompt(page).waitFor()
  await malipo.simulator.advance(90_000)
  await page.getByText('The prompt timed out').waitFor()
  assert.equal((await merchant.ends(late)).status, 'FAILED')

  await press(page, 'Use another phone')
  await page.getByLabel('Phone number').fill('12345')
  await press(page, 'Open this phone')
  await page.getByText('This is not a mobile number').waitFor()
  await inspect(page, 'refused')
  assert.deepEqual(complaints, [])
})
