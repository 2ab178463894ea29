import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { sql } from '../packages/server/src/platform/db.ts'
import type { Posted } from '../packages/server/src/platform/gated-http.ts'
import { showId } from '../packages/server/src/platform/ids.ts'
import { tellMerchants } from '../packages/server/src/testing/telling.ts'
import { until } from '../packages/server/src/testing/until.ts'
import { claimDeliveries, type Delivery } from '../packages/server/src/webhooks/claim.ts'
import { createReporter } from '../packages/server/src/webhooks/report.ts'
import { minutes, seconds, testWebhooks } from './support/webhooks.ts'

const answered = (status: number): Posted => ({
  ...{ kind: 'answered', status, body: '', retryAfter: undefined, durationMs: 1 },
})

/** Claims and reports as workers do, step by step, with nobody else at work. */
async function testClaims(t: TestContext) {
  const hooks = await testWebhooks(t)
  const { write } = hooks.malipo.ctx.db
  const merchant = await hooks.merchant('http://127.0.0.1:9/hooks')
  const reporter = createReporter(write, hooks.malipo.ctx.log)
  return {
    ...hooks,
    write,
    endpoint: merchant,
    claim: () => claimDeliveries(write, 100),
    report: (delivery: Delivery | undefined, status: number) => {
      assert.ok(delivery, 'nothing was claimed')
      return reporter.submit({ delivery, posted: answered(status) })
    },
    isDisabled: async () => {
      const found = await hooks.malipo.ask<{ is: boolean }>(
        `select disabled_at is not null as is from webhook_endpoints where merchant_id = $1 and env = 'sandbox'`,
        [merchant.id],
      )
      return found[0]?.is
    },
  }
}

test('an event that is told while its endpoint is looked at is not left behind', async (t) => {
  const { malipo, write, endpoint, claim } = await testClaims(t)
  await malipo.ask(`create or replace function wait_at_gate() returns trigger language plpgsql as $$ begin
    perform pg_advisory_xact_lock(12); return null; end $$`)
  await malipo.ask(`create constraint trigger wait_at_gate after insert on webhook_records deferrable initially deferred
    for each row execute function wait_at_gate()`)
  t.after(() => malipo.ask(`drop trigger wait_at_gate on webhook_records`))
  let telling: Promise<{ id: string }[]> | undefined

  await write.transaction(async (tx) => {
    await tx.query(sql`select pg_advisory_xact_lock(12)`)
    telling = tellMerchants(write, [endpoint.id]) // Waits with everything written, just before it commits.
    await until('the event to be written', async () => {
      const waiting = await malipo.ask(`select 1 from pg_locks where locktype = 'advisory' and not granted`)
      return waiting.length > 0
    })
    assert.deepEqual(await claim(), [])
  })
  const [told] = (await telling) ?? []

  assert.deepEqual(
    (await claim()).map(({ id }) => showId('webhook', id)),
    [told?.id],
  )
})

test('an event that is told while somebody puts off its endpoint, which was due, makes it due again', async (t) => {
  const { malipo, write, endpoint, claim } = await testClaims(t)
  await endpoint.tell(1)
  let telling: Promise<{ id: string }[]> | undefined

  await write.transaction(async (tx) => {
    await tx.query(sql`
      update webhook_endpoints set next_due = record_time() + interval '30 seconds' where merchant_id = ${endpoint.id}`)
    telling = tellMerchants(write, [endpoint.id]) // Waits for the endpoint, which it saw as due.
    await until('the event to wait for its endpoint', async () => {
      const waiting = await malipo.ask(`select 1 from pg_locks where locktype = 'transactionid' and not granted`)
      return waiting.length > 0
    })
  })
  await telling

  assert.equal((await claim()).length, 2)
})

test('what a worker claimed before it died is claimed again when its lease has ended, though nothing new is told', async (t) => {
  const { endpoint, claim, forward } = await testClaims(t)
  await endpoint.tell(3)
  const first = await claim()
  assert.equal(first.length, 3)

  assert.deepEqual(await claim(), [])
  await forward(seconds(31))

  assert.deepEqual(new Set((await claim()).map(({ id }) => id)), new Set(first.map(({ id }) => id)))
})

test('a worker that slept through its lease does not undo what another delivered', async (t) => {
  const { endpoint, claim, report, forward } = await testClaims(t)
  const [event] = await endpoint.tell(1)
  const [slept] = await claim()
  await forward(seconds(31))
  const [other] = await claim()
  await report(other, 200)

  await report(slept, 500)

  const { status, attempts } = await endpoint.record(event?.id ?? '')
  assert.deepEqual([status, attempts], ['SUCCESS', 1])
  await forward(minutes(10))
  assert.deepEqual(await claim(), [])
})

test('410 disables though another attempt succeeds after it, and counts for the URL that said it only', async (t) => {
  const { endpoint, claim, report, isDisabled } = await testClaims(t)
  await endpoint.tell(3)
  const [gone, fine, late] = await claim()
  await report(gone, 410)
  await report(fine, 200)

  assert.equal(await isDisabled(), true)
  await endpoint.setUrl('http://127.0.0.1:9/elsewhere')
  await report(late, 410)
  assert.equal(await isDisabled(), false)
})

test('an endpoint that rests is not woken by new events, and goes on when its rest is over', async (t) => {
  const { endpoint, claim, report, forward } = await testClaims(t)
  await endpoint.tell(10)
  for (let failed = 0; failed < 10; ) {
    const claimed = await claim()
    assert.ok(claimed.length > 0)
    for (const delivery of claimed) await report(delivery, 500)
    failed += claimed.length
  }

  await endpoint.tell(1)
  assert.deepEqual(await claim(), [])
  await forward(seconds(31))

  assert.ok((await claim()).length > 0)
})
