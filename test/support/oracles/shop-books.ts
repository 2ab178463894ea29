import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { Cell } from '../cluster/cell.ts'
import type { SimulatorControl } from '../cluster/simulator-control.ts'
import type { Order } from '../load/shopper.ts'
import { assertFeeds, assertMovedOnce, complaintsIn, letTimePass, type Row, readAll } from './payment-books.ts'

const opening = 100_000_000n // 1,000,000 KES, the opening balance of every sandbox merchant.

/** Every accepted order is stored as requested, and nothing else is. */
export function assertOrdersAreKept(orders: readonly Order[], rows: readonly Row[]): void {
  const asked = orders.map(({ id, reference, amount, kind, merchant }) =>
    [id, reference, amount * 100, kind === 'payout' ? 'withdrew' : 'deposit', merchant.id].join(' '),
  )
  const kept = rows.map((row) => [row.id, row.external_reference, row.amount, row.type, row.merchant_id].join(' '))
  assert.deepEqual(kept.sort(), asked.sort())
}

export async function assertWallet(cell: Cell, merchantId: string, rows: readonly Row[]): Promise<void> {
  const own = rows.filter((row) => row.merchant_id === merchantId && row.state === 'successful')
  const expected = own.reduce((sum, { type, amount, fee }) => {
    const [moved, cost] = [BigInt(amount), BigInt(fee)]
    return type === 'withdrew' ? sum - moved - cost : sum + moved - cost
  }, opening)
  const wallets = await cell.ask<{ balance: string; pending: string }>(
    `select credits_posted - debits_posted as balance, debits_pending + credits_pending as pending
     from wallets where merchant_id = $1 and currency = 'KES'`,
    [merchantId],
  )
  assert.deepEqual(wallets, [{ balance: String(expected), pending: '0' }])
}

const minutes = Array<number>(40).fill(60_000)

/** Waits until every order has ended; then orders, provider, wallets, feeds, logs and ledger agree. */
export async function assertShopIsRight(
  t: TestContext,
  cell: Cell,
  simulator: SimulatorControl,
  { orders }: { readonly orders: readonly Order[] },
): Promise<void> {
  await letTimePass(t, cell, simulator, minutes)
  const rows = await readAll(cell)
  assertOrdersAreKept(orders, rows)
  await assertMovedOnce(cell, rows, await simulator.moved())
  for (const id of new Set(orders.map(({ merchant }) => merchant.id))) await assertWallet(cell, id, rows)
  await assertFeeds(cell)
  assert.deepEqual(complaintsIn(cell), [])
  const checked = await cell.operate().ledger.check({ isFull: true })
  t.diagnostic(`${rows.length} payments; check clean: ${checked.batches} batches, ${checked.transfers} transfers`)
}
