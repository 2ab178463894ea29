import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Malipo, testMalipo } from '../testing/malipo.ts'
import { arm, armedMax, forgetArmed, listArmed } from './armed.ts'
import { scenarioNames } from './catalogue.ts'

const idOf = async (malipo: Malipo, merchantId: string) =>
  (
    await malipo.ask<{ id: string }>(`select id from merchants where replace(id::text, '-', '') = substr($1, 5)`, [
      merchantId,
    ])
  )[0]?.id ?? ''

const ownerIn = async (malipo: Malipo) => {
  const merchant_id = await idOf(malipo, (await malipo.merchant()).id)
  return { merchant_id, env: 'sandbox' } as const
}

/** Inserts this many rows straight into the table. */
const fill = (malipo: Malipo, merchantId: string, count: number) =>
  malipo.ask(
    `insert into scenarios (merchant_id, env, reference, scenario, set_at)
     select $1, 'sandbox', 'filled-' || n, 'expiry', record_time() from generate_series(1, $2) n`,
    [merchantId, count],
  )

test('a merchant has at most 1,000 scenarios armed, however many are set at once', async (t) => {
  const malipo = await testMalipo(t)
  const { write, read } = malipo.ctx.db
  const [owner, other] = [await ownerIn(malipo), await ownerIn(malipo)]
  await fill(malipo, owner.merchant_id, armedMax - 5)

  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, index) => arm(write, owner, `late-${index}`, 'expiry')),
  )

  const counts = Map.groupBy(answers, (answer) => answer)
  assert.deepEqual([counts.get('kept')?.length, counts.get('too many')?.length], [5, 35])
  assert.equal((await listArmed(read, owner)).length, armedMax)
  assert.equal(await arm(write, owner, 'filled-1', 'lost-answer'), 'kept', 'one that waits may change')
  assert.equal(await arm(write, other, 'r1', 'expiry'), 'kept', 'everybody has their own')
})

test('a scenario unused for a week is deleted, and a younger one is not', async (t) => {
  const malipo = await testMalipo(t)
  const { write, read } = malipo.ctx.db
  const owner = await ownerIn(malipo)
  await arm(write, owner, 'old', 'expiry')
  await arm(write, owner, 'young', 'expiry')
  await malipo.ask(`update scenarios set set_at = set_at - interval '7 days 1 minute' where reference = 'old'`)
  await malipo.ask(`update scenarios set set_at = set_at - interval '6 days 23 hours' where reference = 'young'`)

  await forgetArmed(write)

  assert.deepEqual(
    (await listArmed(read, owner)).map(({ reference }) => reference),
    ['young'],
  )
})

test('the database refuses every scenario in live, and never moves the end of a live payment', async (t) => {
  const malipo = await testMalipo(t, {
    MALIPO_SIMULATOR_URL: 'http://127.0.0.1:9',
    MALIPO_SIMULATOR_TOKEN: 'unused-simulator-token',
  })
  const { id, call } = await malipo.merchant()
  const merchant_id = await idOf(malipo, id)
  await call('PUT', '/api/b2b/users', { sandboxWebhookUrl: 'https://duka.example/hooks' })
  const charge = { amount: 100, currency: 'KES', phoneNumber: '+254703456789', externalReference: 'r1' }
  assert.equal((await call('POST', '/api/b2b/fiat/deposit/momo', charge)).status, 200)
  await malipo.ask(`update transactions set env = 'live' where merchant_id = $1`, [merchant_id])
  await malipo.ask(`update webhook_records set env = 'live' where merchant_id = $1`, [merchant_id])

  for (const scenario of scenarioNames) {
    const onlyInTheSandbox = /only_in_the_sandbox/
    await assert.rejects(
      malipo.ask(`insert into scenarios values ($1, 'live', 'r2', $2, now())`, [merchant_id, scenario]),
      onlyInTheSandbox,
    )
    for (const table of ['transactions', 'webhook_records'])
      await assert.rejects(
        malipo.ask(`update ${table} set scenario = $2 where merchant_id = $1`, [merchant_id, scenario]),
        onlyInTheSandbox,
      )
  }
  const sooner = `update transactions set expires_at = expires_at - interval '1 second' where merchant_id = $1`
  await assert.rejects(malipo.ask(sooner, [merchant_id]), /the end of a live payment never moves/)
})
