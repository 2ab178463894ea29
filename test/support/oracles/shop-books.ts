import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { readBooks } from '../../chaos/books.ts'
import { checkMovements, checkWallets } from '../../chaos/check-money.ts'
import type { Cell } from '../cluster/cell.ts'
import type { SimulatorControl } from '../cluster/simulator-control.ts'
import type { Shop } from '../load/shop.ts'
import type { Order } from '../load/shopper.ts'
import { assertFeeds, complaintsIn, letTimePass, type Row, readAll } from './payment-books.ts'

/** Every accepted order is stored as requested, and nothing else is. */
function assertOrdersAreKept(orders: readonly Order[], rows: readonly Row[]): void {
  const asked = orders.map(({ id, reference, amount, kind, merchant }) =>
    [id, reference, amount * 100, kind === 'payout' ? 'withdrew' : 'deposit', merchant.id].join(' '),
  )
  const kept = rows.map((row) => [row.id, row.external_reference, row.amount, row.type, row.merchant_id].join(' '))
  assert.deepEqual(kept.sort(), asked.sort())
}

const minutes = Array<number>(40).fill(60_000)

/** Waits until every order has ended; then orders, provider, wallets, API, feeds, logs and ledger agree. */
export async function assertShopIsRight(
  t: TestContext,
  cell: Cell,
  simulator: SimulatorControl,
  { orders, url }: Pick<Shop, 'orders' | 'url'>,
): Promise<void> {
  await letTimePass(t, cell, simulator, minutes)
  const rows = await readAll(cell)
  assertOrdersAreKept(orders, rows)
  await assertBooks(cell, simulator)
  await assertApiAgrees(orders, rows, url)
  await assertFeeds(cell)
  assert.deepEqual(complaintsIn(cell), [])
  const checked = await cell.operate().ledger.check({ isFull: true })
  t.diagnostic(`${rows.length} payments; check clean: ${checked.batches} batches, ${checked.transfers} transfers`)
}

/** The provider moved each success once, wallets equal their payments, and no money moved after an end. */
async function assertBooks(cell: Cell, simulator: SimulatorControl): Promise<void> {
  const books = await readBooks({ ask: cell.ask, simulatorControl: () => simulator })
  assert.deepEqual([...checkMovements(books), ...checkWallets(books)], [])
  assert.deepEqual([books.adjustments, books.cases], [[], []])
  assert.ok(books.moved.length > 0, 'no money moved')
}

/** Merchants read the state and the amount that are stored, for a sample of their orders. */
async function assertApiAgrees(orders: readonly Order[], rows: readonly Row[], url: string): Promise<void> {
  const states = new Map(rows.map(({ external_reference, state }) => [external_reference, state]))
  for (const { merchant, reference, amount } of orders.slice(0, 100)) {
    const { body } = await merchant.call(url, 'GET', `/transactions/${reference}`)
    const { chargeStatus, amount: reported } = body['data'] as { chargeStatus: string; amount: number }
    assert.deepEqual([chargeStatus, reported], [states.get(reference), amount])
  }
}
