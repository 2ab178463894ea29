import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../dev-stack/until.ts'
import { readId } from '../platform/ids.ts'
import { payingMalipo, payoutInDoubt } from '../testing/paying.ts'
import { breakGlass } from '../testing/people.ts'
import { operatorBase } from './api/routes.ts'
import { foresee } from './dry-run.ts'
import { resolvePayment, retryPayment } from './manual-resolution.ts'

test('a proposal to resolve a payment outlives status queries without news and hints, and is void after a real change', async (t) => {
  const malipo = await payingMalipo(t)
  const merchant = await malipo.merchant()
  malipo.work()
  const { id } = await payoutInDoubt(malipo, merchant)
  await malipo.later(60) // Its send cannot be under way any more.
  const context = { ...operatorBase(malipo.ctx), principal: breakGlass }
  const resolution = { outcome: 'failed', reason: 'statement', evidence: 'ticket 4711' } as const
  const ground = async () =>
    (await foresee(context, (acting) => resolvePayment(acting, id, resolution))).groundHash.toString('hex')
  const transaction_id = readId('transaction', id) ?? ''
  const attempt = async () => {
    const query = 'select polls, is_hinted from attempts where transaction_id = $1'
    const [found] = await malipo.ask<{ polls: number; is_hinted: boolean }>(query, [transaction_id])
    assert(found)
    return found
  }
  const [proposed, { polls }] = [await ground(), await attempt()]

  await until('two more status queries', async () => {
    await malipo.later(900)
    return (await attempt()).polls >= polls + 2
  })
  assert.equal(await ground(), proposed)

  await malipo.operator.providers.pause('pawapay', { env: 'sandbox', reason: 'nothing is sent or queried meanwhile' })
  const observation = { kind: 'hint' } as const
  await malipo.ctx.resolver.submit({ transaction_id, attempt: undefined, cause: 'callback', observation })
  assert.equal((await attempt()).is_hinted, true)
  assert.equal(await ground(), proposed)

  await retryPayment(context, id, 'the provider asks for it')
  assert.notEqual(await ground(), proposed)
})
