import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Malipo, testMalipo } from '../testing/malipo.ts'

/** Stores a rate of the last minute, and one held since. */
async function hold({ ask }: Malipo): Promise<string> {
  await ask('delete from held_rates')
  await ask('delete from rates')
  await ask(
    `insert into rates (env, base, quote, at, buy, sell, provider, provider_buy, provider_sell)
     values ('live', 'USD', 'KES', record_time() - interval '1 minute', 127.71, 131.3, 'flutterwave', 129, 130)`,
  )
  const [held] = await ask<{ id: string }>(
    `insert into held_rates (env, base, quote, at, buy, sell, provider, last_buy, last_sell, last_at)
     values ('live', 'USD', 'KES', record_time(), 1290, 1300, 'flutterwave', 129, 130, record_time()) returning id`,
  )
  return held?.id ?? ''
}

test('the list shows the merchant rate, the provider rate, and the held rate', async (t) => {
  const malipo = await testMalipo(t)
  const id = await hold(malipo)

  const [{ at, held, ...rate } = assert.fail()] = await malipo.operator.rates.list({ env: 'live', isHeldOnly: true })

  assert.deepEqual(rate, {
    env: 'live',
    pair: 'USD/KES',
    isTooOld: false,
    buy: '127.71',
    sell: '131.3',
    providerBuy: '129',
    providerSell: '130',
    provider: 'flutterwave',
  })
  assert.deepEqual([held?.id, held?.buy, held?.sell, held?.jumpPercent], [id, '1290', '1300', '900.0'])
  assert.ok(at !== undefined && at < (held?.at ?? ''))
  assert.deepEqual(await malipo.operator.rates.list({ env: 'sandbox', isHeldOnly: false }), [])
  await malipo.ask(`update rates set at = at - interval '5 minutes'`)
  assert.equal((await malipo.operator.rates.list({ isHeldOnly: false }))[0]?.isTooOld, true)
})

for (const [verb, state] of [
  ['confirm', 'confirmed'],
  ['reject', 'rejected'],
] as const)
  test(`a held rate is ${state} once, by one of many who try, with an audit entry`, async (t) => {
    const malipo = await testMalipo(t)
    const { operator, ask } = malipo
    const id = await hold(malipo)
    const before = (await ask('select from audit_entries')).length

    const tries = await Promise.allSettled(Array.from({ length: 5 }, () => operator.rates[verb](id, 'case 7')))

    assert.equal(tries.filter(({ status }) => status === 'fulfilled').length, 1)
    for (const each of tries)
      if (each.status === 'rejected') assert.match(String(each.reason), new RegExp(`was ${state} by test`))
    const trail = await ask(
      `select actor, action, env, subject, reason, detail from audit_entries order by id offset ${before}`,
    )
    const detail = { pair: 'USD/KES', buy: '1290', sell: '1300', heldRate: id }
    assert.deepEqual(trail, [
      { actor: 'test', action: `rate.${verb}`, env: 'live', subject: 'USD/KES', reason: 'case 7', detail },
    ])
    assert.deepEqual(await operator.rates.list({ isHeldOnly: true }), [])
  })

test('a held rate that is unknown, or older than an accepted one, is not decided', async (t) => {
  const malipo = await testMalipo(t)
  const { operator, ask } = malipo
  const id = await hold(malipo)
  await ask(`update rates set at = record_time()`)

  for (const verb of ['confirm', 'reject'] as const) {
    await assert.rejects(operator.rates[verb](id, 'x'), /is outdated: a later rate was accepted/)
    await assert.rejects(operator.rates[verb]('999999', 'x'), /held rate 999999 not found/)
    await assert.rejects(async () => operator.rates[verb]('USD/KES', 'x'), /is not the number of a held rate/)
  }
})
