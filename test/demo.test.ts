/** npm run dev -- --demo, with ten days instead of thirty. */
import assert from 'node:assert/strict'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { startStack } from '../packages/server/src/dev-stack/stack.ts'
import { openOperator } from '../packages/server/src/operate/operator.ts'
import { startReceiver } from '../tools/demo/receiver.ts'
import { runDemo } from '../tools/demo/run.ts'
import { openShop, type ShopClient } from '../tools/demo/shop.ts'

const days = 10

interface Row {
  readonly transactionId: string
  readonly type: string
  readonly status: string
  readonly currency: string
  readonly destination: string
  readonly fullTimestamp: string
}

async function allTransactions(shop: ShopClient): Promise<Row[]> {
  const rows: Row[] = []
  for (;;) {
    const before = rows.at(-1)?.transactionId
    const query = before === undefined ? '' : `&transactionId=${before}`
    const page = (await shop.send('GET', `/transactions?limit=10${query}`))['data'] as Row[]
    if (page.length === 0) return rows
    rows.push(...page)
  }
}

test('the demo makes days of payments whose books agree, and leaves work for people', {
  timeout: 600_000,
}, async (t) => {
  const receiver = await startReceiver()
  t.after(() => receiver.close())
  const folder = mkdtempSync(join(tmpdir(), 'malipo-demo-'))
  const stack = await startStack(folder, { isKept: false, isDevelopment: true, daysAgo: days + 1 })
  t.after(() => stack.stop())
  const startedAt = performance.now()

  const { payments } = await runDemo({ variables: stack.exports, receiver, seed: 24, days, onStep: () => undefined })

  t.diagnostic(`${payments} payments in ${Math.round((performance.now() - startedAt) / 1000)} s`)
  const operator = openOperator(stack.exports, 'test')
  t.after(() => operator.close())
  await operator.ledger.check({ isFull: true }) // Throws when the books differ by a single unit.
  const shop = await openShop(stack.exports)
  const rows = await allTransactions(shop)
  assert.ok(rows.length >= payments - 2, `${rows.length} of ${payments}`)
  const valuesOf = (key: keyof Row) => new Set(rows.map((row) => row[key]))
  for (const type of ['deposit', 'withdrew', 'refund', 'conversion']) assert.ok(valuesOf('type').has(type), type)
  for (const currency of ['KES', 'UGX', 'NGN', 'XOF']) assert.ok(valuesOf('currency').has(currency), currency)
  for (const status of ['SUCCESSFUL', 'FAILED', 'PENDING']) assert.ok(valuesOf('status').has(status), status)
  const times = rows.map(({ fullTimestamp }) => Date.parse(fullTimestamp))
  assert.ok(Math.max(...times) <= Date.now() && Math.min(...times) > Date.now() - (days + 1) * 86_400_000)
  const endpoints = (await shop.send('GET', '/webhook-endpoints'))['data'] as { health: { status: string } }[]
  assert.deepEqual(
    endpoints.map(({ health }) => health.status).sort((one, other) => one.localeCompare(other)),
    ['failing', 'healthy', 'healthy'],
  )
})
