import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sumsOf } from '../../packages/dashboard/src/pages/payments/list-sums.ts'

const payment = (
  amount: number,
  currency: string,
  over: { readonly type?: string; readonly status?: string } = {},
) => ({
  ...{ amount, currency, type: 'deposit', direction: undefined, status: 'SUCCESSFUL' },
  ...over,
})

test('the sums of a list are exact, for each currency and direction, and of completed payments only', () => {
  const sums = sumsOf([
    payment(0.1, 'KES'),
    payment(0.2, 'KES'),
    payment(5, 'KES', { status: 'FAILED' }),
    payment(7, 'KES', { status: 'PENDING' }),
    payment(600, 'KES', { type: 'withdrew' }),
    payment(130, 'KES', { type: 'refund' }),
    payment(1500, 'UGX'),
  ])

  assert.deepEqual(
    sums.map(({ currency, amount, isOut, about }) => `${currency} ${isOut ? '-' : ''}${amount} ${about}`),
    ['KES 0.30 in 2 received', 'KES -730.00 in 2 sent', 'UGX 1500 in 1 received'],
  )
})

test('a list without a completed payment has no sum', () => {
  assert.deepEqual(sumsOf([payment(5, 'KES', { status: 'FAILED' })]), [])
})
