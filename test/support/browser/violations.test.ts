import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { chromium } from 'playwright-core'
import { colourViolationsOn, shapeOf, violationsOn } from './violations.ts'

async function open(t: TestContext, body: string) {
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu'],
  })
  t.after(() => browser.close())
  const page = await browser.newPage()
  await page.setContent(`<!doctype html><html lang="en"><title>A page</title>
    <style>body { background: #fff; color: #000 } [data-theme=dark] body { background: #000; color: #333 }</style>
    <body><main><h1>Title</h1>${body}</main></body></html>`)
  return page
}

test('text that only the dark theme makes unreadable is found by the rules about colours', async (t) => {
  const page = await open(t, '<p>KES 1,250.00</p>')
  assert.deepEqual(await violationsOn(page), [])

  await page.evaluate(`document.documentElement.dataset.theme = 'dark'`)

  assert.match((await colourViolationsOn(page)).join(), /^color-contrast: .*KES/)
})

test('all rules find what the rules about colours do not', async (t) => {
  const page = await open(t, '<p><button></button></p>')

  assert.deepEqual(await colourViolationsOn(page), [])
  assert.match((await violationsOn(page)).join(), /^button-name/)
})

test('the shape of a page changes with its elements and what is shown, and not with its numbers', async (t) => {
  const page = await open(t, '<p id="age">2 s ago</p><p id="other">text</p>')
  const before = await shapeOf(page)
  const after = async (change: string) => {
    await page.evaluate(change)
    return shapeOf(page)
  }

  assert.equal(await after(`age.textContent = '13 s ago'`), before)
  assert.notEqual(await after(`document.styleSheets[0].insertRule('#other { display: none }')`), before)
  await page.evaluate(`document.styleSheets[0].deleteRule(0)`)
  assert.equal(await shapeOf(page), before)
  assert.notEqual(await after(`other.textContent = 'words'`), before)
})
