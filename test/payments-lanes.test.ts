import { test } from 'node:test'
import { testPayments } from './support/load/payments.ts'

test('of more alarms for one moment than fit a page, every one is looked at', async (t) => {
  const payments = await testPayments(t)
  const { ask } = payments.malipo
  const id = await payments.payOut()
  await ask(`delete from alarms`)

  // As the sweeper sets them after a night without workers: many at once, all due at the same moment.
  const due = new Date()
  await ask(
    `insert into alarms (due, lane, transaction_id)
     select $1, 'sandbox/pawapay', gen_random_uuid() from generate_series(1, 3000)`,
    [due],
  )
  await ask(`insert into alarms (due, lane, transaction_id) values ($1, 'sandbox/pawapay', $2)`, [due, id])
  payments.work()

  await payments.becomes(id, { state: 'successful' })
})
