import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../../packages/server/src/dev-stack/until.ts'
import { openDashboard } from './open-dashboard.ts'

test('a payment opens with what its row has, and asks for all its parts at once', { timeout: 240_000 }, async (t) => {
  const { malipo, as } = await openDashboard(t)
  const merchant = await malipo.refunding()
  const { id } = await merchant.paid(1250)
  const { page, go } = await as({ merchant: { id: merchant.id, roles: ['owner'] } })
  const asked: string[] = []
  const isReleased = Promise.withResolvers<void>()
  await page.route(
    (url) => url.href.includes(id),
    async (route) => {
      asked.push(new URL(route.request().url()).pathname.split('/').at(-1) ?? '')
      await isReleased.promise
      await route.continue()
    },
  )
  await go(`/m/${merchant.id}/sandbox/payments`)
  const list = page.getByRole('region', { name: 'Payments', exact: true })
  await list.getByRole('row').filter({ hasText: '1,250' }).click()
  const drawer = page.getByRole('complementary', { name: 'Payment' })

  await drawer.getByText('Completed').first().waitFor()
  await drawer.getByText('1,250').first().waitFor()
  assert.equal(await drawer.getByRole('tab').count(), 5)
  await until('all parts to be asked for', () => Promise.resolve(asked.length === 4))
  assert.deepEqual(new Set(asked), new Set(['entries', 'request-log', id, 'webhooks']))
  assert.equal(await drawer.getByRole('button', { name: 'Refund' }).count(), 0)
  isReleased.resolve()
  await drawer.getByRole('button', { name: 'Refund' }).waitFor()
})
