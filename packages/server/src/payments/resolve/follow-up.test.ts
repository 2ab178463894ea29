import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readId } from '../../platform/ids.ts'
import type { QueryOutcome } from '../../providers/contract.ts'
import { payingMalipo, payOut } from '../../testing/paying.ts'
import { followUp } from '../dispatch/dispatch.ts'

test('a late response about an abandoned attempt queries the provider of that attempt', async (t) => {
  const malipo = await payingMalipo(t)
  const { ctx } = malipo
  const { id } = await payOut(await malipo.merchant())
  const transaction_id = readId('transaction', id) ?? ''
  for (const statement of [
    `update transactions set state = 'submitted', provider = 'house', attempt = 2 where id = $1`,
    `update attempts set sends = 1, outcome = 'not_submitted' where transaction_id = $1`,
    `insert into attempts (transaction_id, number, provider, sends) values ($1, 2, 'house', 1)`,
  ])
    await malipo.ask(statement, [transaction_id])
  const asked: string[] = []
  for (const name of ['pawapay', 'house']) {
    const payouts = ctx.connectors.sandbox.get(name)?.payouts
    assert(payouts)
    t.mock.method(payouts, 'query', async (): Promise<QueryOutcome> => {
      asked.push(name)
      return { found: 'no' }
    })
  }
  const paid = { state: 'successful', settled: { amount: 10_000n, currency: 'KES' } } as const
  const observation = { kind: 'reported', providerStatus: paid } as const
  const cause = 'attempt' as const
  const result = await ctx.resolver.submit({ transaction_id, attempt: 1, cause, observation })

  await followUp(ctx, 1, result, observation)

  assert.deepEqual(asked, ['pawapay'])
})
