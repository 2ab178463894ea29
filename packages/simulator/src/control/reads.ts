import type { Payment } from '../entries.ts'
import { complain } from './complain.ts'
import type { ControlCall } from './routes.ts'

const pageMax = 1000

export function listPayments({ core, query }: ControlCall) {
  const key = query.get('key')
  if (key !== null) return { status: 200, body: { items: paymentsOf({ core }, key).map(present), next: null } }
  return page(core.books.payments(), query, present)
}

export function listMovements({ core, query }: ControlCall) {
  const key = query.get('key')
  if (key !== null) return { status: 200, body: { items: core.books.movementsOf(key.toLowerCase()), next: null } }
  return page(core.books.movements(), query, (movement) => movement)
}

/** The refunds of one charge, at every provider that knows its key, with their state. */
export function listRefunds({ core, query }: ControlCall) {
  const key = query.get('charge')?.toLowerCase()
  if (key === undefined) return complain(400, 'charge must be the key of a charge.')
  const items = [...core.dialects.keys()].flatMap((provider) => core.books.refundsOf({ provider, key }))
  return { status: 200, body: { items: items.map(present) } }
}

export function listTotals({ core }: ControlCall) {
  return { status: 200, body: { items: core.books.totals() } }
}

/** A key is unique per provider and operation, so it may match more than one payment. */
export function paymentsOf({ core }: Pick<ControlCall, 'core'>, key: string): Payment[] {
  return [...core.dialects.keys()].flatMap((provider) =>
    (['charge', 'payout', 'refund'] as const).flatMap(
      (operation) => core.books.find(provider, operation, key.toLowerCase()) ?? [],
    ),
  )
}

/** `after` counts the items already read: the lists only grow. */
function page<Item>(items: readonly Item[], query: URLSearchParams, show: (item: Item) => unknown) {
  const after = Number(query.get('after') ?? 0)
  const limit = Number(query.get('limit') ?? pageMax)
  if (!Number.isInteger(after) || after < 0 || !Number.isInteger(limit) || limit < 1)
    return complain(400, 'after and limit must be whole numbers.')
  const end = Math.min(after + Math.min(limit, pageMax), items.length)
  return {
    status: 200,
    body: { items: items.slice(after, end).map(show), next: end < items.length ? end : null },
  }
}

function present({ fingerprint: _fingerprint, details: _details, ...payment }: Payment) {
  return payment
}
