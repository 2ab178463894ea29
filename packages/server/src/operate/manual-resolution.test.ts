import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../dev-stack/until.ts'
import { readId } from '../platform/ids.ts'
import { payingMalipo, payoutInDoubt } from '../testing/paying.ts'
import { breakGlass } from '../testing/people.ts'
import { operatorBase } from './api/routes.ts'
import { foresee } from './dry-run.ts'
import { resolvePayment, retryPayment } from './manual-resolution.ts'

test('a proposal to resolve a payment outlives status queries without news, and is void after a real change', async (t) => {
  const malipo = await payingMalipo(t)
  const merchant = await malipo.merchant()
  malipo.work()
  const { id } = await payoutInDoubt(malipo, merchant)
  await malipo.later(60) // Its send cannot be under way any more.
  const context = { ...operatorBase(malipo.ctx), principal: breakGlass }
  const resolution = { outcome: 'failed', reason: 'statement', evidence: 'ticket 4711' } as const
  const ground = async () =>
    (await foresee(context, (acting) => resolvePayment(acting, id, resolution))).groundHash.toString('hex')
  const polls = async () => {
    const query = 'select polls from attempts where transaction_id = $1'
    return (await malipo.ask<{ polls: number }>(query, [readId('transaction', id)]))[0]?.polls ?? 0
  }
  const [proposed, polledBefore] = [await ground(), await polls()]

  await until('two more status queries', async () => {
    await malipo.later(900)
    return (await polls()) >= polledBefore + 2
  })
  assert.equal(await ground(), proposed)

  await malipo.operator.providers.pause('pawapay', { env: 'sandbox', reason: 'nothing is sent meanwhile' })
  await retryPayment(context, id, 'the provider asks for it')
  assert.notEqual(await ground(), proposed)
})
