import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../../packages/server/src/dev-stack/until.ts'
import { openDashboard } from './open-dashboard.ts'

const rows = 50_000
const pageRows = 5000
/** 60 frames a second. */
const frameMs = 1000 / 60

/** A payment as the search returns it, copied under its own id. */
const copyOf = (payment: Record<string, unknown>, index: number) => ({
  ...payment,
  transactionId: `txn_${String(rows - index).padStart(32, '0')}`,
  externalReference: `order-${rows - index}`,
  amount: 100 + (index % 9000),
})

test('a list of 50,000 payments scrolls at 60 frames a second of its thread', { timeout: 240_000 }, async (t) => {
  const { malipo, as } = await openDashboard(t)
  const merchant = await malipo.refunding()
  await merchant.paid(1250)
  const { page, go, person, context } = await as({ merchant: { id: merchant.id, roles: ['owner'] } })
  const { body } = await person.call('GET', `/dashboard/v1/merchants/${merchant.id}/sandbox/search/transactions`)
  const [payment = {}] = body['data'] as Record<string, unknown>[]
  await page.route('**/search/transactions?**', async (route) => {
    const url = new URL(route.request().url())
    const from = Number(url.searchParams.get('cursor') ?? 0)
    const copies = Array.from({ length: pageRows }, (_, at) => copyOf(payment, from + at))
    const nextCursor = from + pageRows < rows ? String(from + pageRows) : ''
    await route.fulfill({ json: { success: true, data: copies, nextCursor } })
  })

  await go(`/m/${merchant.id}/sandbox/payments`)
  const list = page.getByRole('region', { name: 'Payments', exact: true })
  await list.getByRole('row').nth(5).waitFor()
  // The time of the page's own thread: other processes of the machine do not count.
  const debug = await context.newCDPSession(page)
  await debug.send('Performance.enable', { timeDomain: 'threadTicks' })
  const cpuSeconds = async () => {
    const { metrics } = await debug.send('Performance.getMetrics')
    return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0
  }
  const shown = page.getByRole('status').filter({ hasText: /^50,000 payments$/ })
  await until('all rows to be loaded', async () => {
    await page.evaluate(`document.querySelector('section[aria-label="Payments"]').scrollTop = 1e9`)
    return (await shown.count()) > 0
  })
  const before = await cpuSeconds()
  const frames = (await page.evaluate(`new Promise((resolve) => {
    const list = document.querySelector('section[aria-label="Payments"]')
    list.scrollTop = 0
    const times = []
    const step = (at) => {
      times.push(at)
      list.scrollTop += 240
      if (times.length < 180) requestAnimationFrame(step)
      else resolve(times)
    }
    requestAnimationFrame(step)
  })`)) as number[]

  const cpuMs = ((await cpuSeconds()) - before) * (1000 / frames.length)

  const gaps = frames.slice(1).map((at, index) => at - (frames[index] ?? at))
  const median = gaps.toSorted((left, right) => left - right)[Math.floor(gaps.length / 2)] ?? 0
  t.diagnostic(`${cpuMs.toFixed(1)} ms of the page's thread for a frame; every ${median.toFixed(1)} ms on this machine`)
  assert.ok(cpuMs < frameMs, `a frame took ${cpuMs} ms of the page's thread`)
  assert.ok(Number(await list.locator('tr').count()) < 100)
})
