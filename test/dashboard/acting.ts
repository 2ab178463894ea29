import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'
import { until } from '../../packages/server/src/dev-stack/until.ts'

/** Every action of staff has one. */
export const reason = { Reason: 'case 4711' }

/** Fills the open dialog and sends it. */
export async function confirm(page: Page, verb: string, fields: Readonly<Record<string, string>>): Promise<void> {
  const dialog = page.getByRole('dialog')
  await fill(dialog, fields)
  await dialog.getByRole('button', { name: verb }).click()
  await closed(dialog, verb)
}

export async function fill(dialog: Locator, fields: Readonly<Record<string, string>>): Promise<void> {
  for (const [label, text] of Object.entries(fields)) await dialog.getByLabel(label, { exact: true }).fill(text)
}

/** Waits until the dialog is closed, which is when the action is done; a refusal fails at once with its words. */
export async function closed(dialog: Locator, verb: string): Promise<void> {
  const problem = dialog.getByRole('alert').filter({ hasNotText: 'This is final' })
  await until(`the dialog of ${verb} to close`, async () => {
    if (await problem.isVisible()) assert.fail(await problem.innerText())
    return dialog.isHidden()
  })
}

/** Waits for an address; otherwise fails with what the page shows instead. */
export const arrives = (page: Page, address: RegExp, options?: { readonly timeout: number }): Promise<void> =>
  page.waitForURL(address, options).catch(async (error) => {
    throw new Error(`${page.url()} shows: ${await page.locator('body').innerText()}`, { cause: error })
  })

/** Fails when an element reaches over the right edge of a window of this width. */
export async function assertWithin(page: Page, shown: Locator, width: number): Promise<void> {
  await page.setViewportSize({ width, height: 900 })
  for (const each of await shown.all()) {
    const box = await each.boundingBox()
    assert.ok(box && box.x >= 0 && box.x + box.width <= width, `${await each.innerText()} is outside ${width} px`)
  }
}

const phone = { width: 390, height: 844 }
/** Four lines of text with their padding. */
const rowMax = 96

/** On a phone a row is low, so that the eye follows the list. */
export async function assertLowRows(page: Page, table: string): Promise<void> {
  await page.setViewportSize(phone)
  for (const row of await page.getByRole('region', { name: table }).locator('tbody tr').all()) {
    const { height = 0 } = (await row.boundingBox()) ?? {}
    assert.ok(height > 0 && height <= rowMax, `${height} px: ${await row.innerText()}`)
  }
  await page.setViewportSize({ width: 1440, height: 900 })
}

/** Clicks twice before the page can show that the first click was heard. */
export const clickTwice = (button: Locator): Promise<void> =>
  button.evaluate((element) => {
    for (let clicks = 0; clicks < 2; clicks += 1) (element as unknown as { click(): void }).click()
  })

/** Counts the requests of a method to addresses that end so. */
export function countRequests(page: Page, method: string, ending: RegExp): () => number {
  let count = 0
  page.on('request', (request) => {
    if (request.method() === method && ending.test(new URL(request.url()).pathname)) count += 1
  })
  return () => count
}

/** A device with a passkey store that confirms by itself, as after a fingerprint. */
export async function addAuthenticator(page: Page): Promise<void> {
  const client = await page.context().newCDPSession(page)
  await client.send('WebAuthn.enable')
  await client.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true },
      ...{ hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true },
    },
  })
}
