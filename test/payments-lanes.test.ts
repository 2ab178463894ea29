import { test } from 'node:test'
import { testPayments } from './support/load/payments.ts'

test('every timer is polled when more are due at one moment than fit a page', async (t) => {
  const payments = await testPayments(t)
  const { ask } = payments.malipo
  const id = await payments.payOut()
  await ask(`delete from timers`)

  // As the sweeper sets them after a night without workers: many, all due at the same moment.
  const due = new Date()
  await ask(
    `insert into timers (due, lane, transaction_id)
     select $1, 'sandbox/pawapay', gen_random_uuid() from generate_series(1, 3000)`,
    [due],
  )
  await ask(`insert into timers (due, lane, transaction_id) values ($1, 'sandbox/pawapay', $2)`, [due, id])
  payments.work()

  await payments.becomes(id, { state: 'successful' })
})
