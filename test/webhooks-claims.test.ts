import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { testDatabase } from '../packages/server/src/dev-stack/servers.ts'
import { until } from '../packages/server/src/dev-stack/until.ts'
import { defaultEndpoints } from '../packages/server/src/events/endpoint-tables.ts'
import { fastForwardWebhooks } from '../packages/server/src/events/fast-forward.ts'
import { openDatabase, sql, type WriteDb } from '../packages/server/src/platform/db.ts'
import type { Posted } from '../packages/server/src/platform/gated-http.ts'
import { showId } from '../packages/server/src/platform/ids.ts'
import { Secret } from '../packages/server/src/platform/secret.ts'
import { notifyMerchants } from '../packages/server/src/testing/notifying.ts'
import { type ClaimPlace, claimDeliveries, type Delivery, newPlace } from '../packages/server/src/webhooks/claim.ts'
import { createReporter } from '../packages/server/src/webhooks/report.ts'
import { sweepEndpoints } from '../packages/server/src/webhooks/sweep.ts'
import { proofSize } from './support/cluster/proof.ts'
import { minutes, seconds, testWebhooks } from './support/load/webhooks.ts'

const delivered = proofSize('DELIVERED', 30_000)

const respondedWith = (status: number): Posted => ({
  ...{ kind: 'responded', status, body: '', retryAfter: undefined, durationMs: 1 },
})

const idsOf = (claimed: readonly Delivery[]) => claimed.map(({ id }) => showId('webhook', id))

/** Claims and reports as workers do, step by step, with no other worker. */
async function testClaims(t: TestContext) {
  const hooks = await testWebhooks(t)
  const { write } = hooks.malipo.ctx.db
  const merchant = await hooks.merchant('http://127.0.0.1:9/hooks')
  const reporter = createReporter(write, defaultEndpoints, hooks.malipo.ctx.log)
  return {
    ...hooks,
    write,
    endpoint: merchant,
    claim: () => claimDeliveries(write, defaultEndpoints, 100),
    claimFrom: (place: ClaimPlace) => claimDeliveries(write, defaultEndpoints, 100, { place }),
    report: (delivery: Delivery | undefined, status: number) => {
      assert.ok(delivery, 'nothing was claimed')
      return reporter.submit({ delivery, posted: respondedWith(status) })
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

test('an event written while its endpoint is claimed is not left behind', async (t) => {
  const { malipo, write, endpoint, claim } = await testClaims(t)
  await malipo.ask(`create or replace function wait_at_gate() returns trigger language plpgsql as $$ begin
    perform pg_advisory_xact_lock(12); return null; end $$`)
  await malipo.ask(`create constraint trigger wait_at_gate after insert on webhook_records deferrable initially deferred
    for each row execute function wait_at_gate()`)
  t.after(() => malipo.ask(`drop trigger wait_at_gate on webhook_records`))
  let notifying: Promise<{ id: string }[]> | undefined

  await write.transaction(async (tx) => {
    await tx.query(sql`select pg_advisory_xact_lock(12)`)
    notifying = notifyMerchants(write, [endpoint.id]) // Waits with everything written, just before the commit.
    await until('the event to be written', async () => {
      const waiting = await malipo.ask(`select 1 from pg_locks where locktype = 'advisory' and not granted`)
      return waiting.length > 0
    })
    assert.deepEqual(await claim(), [])
  })
  const [event] = (await notifying) ?? []

  assert.deepEqual(
    (await claim()).map(({ id }) => showId('webhook', id)),
    [event?.id],
  )
})

test('an event written while its due endpoint is postponed makes the endpoint due again', async (t) => {
  const { malipo, write, endpoint, claim } = await testClaims(t)
  await endpoint.notify(1)
  let notifying: Promise<{ id: string }[]> | undefined

  await write.transaction(async (tx) => {
    await tx.query(sql`
      update webhook_endpoints set next_due = record_time() + interval '30 seconds' where merchant_id = ${endpoint.id}`)
    notifying = notifyMerchants(write, [endpoint.id]) // Waits for the endpoint, which it saw as due.
    await until('the event to wait for its endpoint', async () => {
      const waiting = await malipo.ask(`select 1 from pg_locks where locktype = 'transactionid' and not granted`)
      return waiting.length > 0
    })
  })
  await notifying

  assert.equal((await claim()).length, 2)
})

test('the claims of a dead worker are claimed again after their lease, even without a new event', async (t) => {
  const { endpoint, claim, forward } = await testClaims(t)
  await endpoint.notify(3)
  const first = await claim()
  assert.equal(first.length, 3)

  assert.deepEqual(await claim(), [])
  await forward(seconds(31))

  assert.deepEqual(new Set((await claim()).map(({ id }) => id)), new Set(first.map(({ id }) => id)))
})

test('a worker that sleeps through its lease does not undo what another delivered', async (t) => {
  const { endpoint, claim, report, forward } = await testClaims(t)
  const [event] = await endpoint.notify(1)
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

test('a 410 disables its own URL only, even when another attempt succeeds after it', async (t) => {
  const { endpoint, claim, report, isDisabled } = await testClaims(t)
  await endpoint.notify(3)
  const [gone, fine, late] = await claim()
  await report(gone, 410)
  await report(fine, 200)

  assert.equal(await isDisabled(), true)
  await endpoint.setUrl('http://127.0.0.1:9/elsewhere')
  await report(late, 410)
  assert.equal(await isDisabled(), false)
})

test('a resting endpoint is not woken by new events, and continues after its rest', async (t) => {
  const { endpoint, claim, report, forward } = await testClaims(t)
  await endpoint.notify(10)
  for (let failed = 0; failed < 10; ) {
    const claimed = await claim()
    assert.ok(claimed.length > 0)
    for (const delivery of claimed) await report(delivery, 500)
    failed += claimed.length
  }

  await endpoint.notify(1)
  assert.deepEqual(await claim(), [])
  await forward(seconds(31))

  assert.ok((await claim()).length > 0)
})

test('an event whose batch starts long before a claim and commits after it is claimed', async (t) => {
  const { write, endpoint, claim, forward } = await testClaims(t)
  const [first] = await endpoint.notify(1)
  const slow: WriteDb = {
    ...write,
    batch: (lockTimeoutMs, work) =>
      write.batch(lockTimeoutMs, async (tx) => {
        await forward(seconds(60)) // The batch has its timestamp already.
        assert.deepEqual(idsOf(await claim()), [first?.id])
        return work(tx)
      }),
  }

  const [late] = await notifyMerchants(slow, [endpoint.id])

  assert.deepEqual(idsOf(await claim()), [late?.id])
})

test('a retry whose report starts long before a claim and commits after it is claimed', async (t) => {
  const { malipo, write, endpoint, claim, forward } = await testClaims(t)
  await endpoint.notify(1)
  const [failed] = await claim()
  assert(failed)
  const slow: WriteDb = {
    ...write,
    batch: (lockTimeoutMs, work) =>
      write.batch(lockTimeoutMs, async (tx) => {
        await forward(seconds(28)) // The batch has its timestamp already, and the lease has not ended.
        const [other] = await endpoint.notify(1)
        assert.deepEqual(idsOf(await claim()), [other?.id])
        return work(tx)
      }),
  }

  const reporter = createReporter(slow, defaultEndpoints, malipo.ctx.log)
  await reporter.submit({ delivery: failed, posted: respondedWith(500) })

  assert.deepEqual(idsOf(await claim()), idsOf([failed]))
})

test('a retry that the sandbox clock brings forward by days is claimed', async (t) => {
  const { malipo, write, endpoint, claim, report, forward } = await testClaims(t)
  await endpoint.notify(2)
  for (const delivery of await claim()) await report(delivery, 500)
  const tomorrow = `set next_attempt_at = next_attempt_at + interval '1 day' where merchant_id = $1`
  await malipo.ask(`update webhook_records ${tomorrow}`, [endpoint.id])
  await forward(minutes(1)) // The endpoint's rest is over, and its place advances.
  assert.deepEqual(await claim(), [])

  await fastForwardWebhooks(write, { merchant_id: endpoint.id, env: 'sandbox' }, minutes(2 * 60 * 24))

  assert.equal((await claim()).length, 2)
})

test('an endpoint locked while it is due is claimed by the same worker once it is free', async (t) => {
  const { write, endpoint, claimFrom } = await testClaims(t)
  const place = newPlace()
  assert.deepEqual(await claimFrom(place), [])
  const [event] = await endpoint.notify(1)

  await write.transaction(async (tx) => {
    await tx.query(sql`select from webhook_endpoints where merchant_id = ${endpoint.id} for no key update`)
    assert.deepEqual(await claimFrom(place), [])
  })

  assert.deepEqual(idsOf(await claimFrom(place)), [event?.id])
})

test('an endpoint due for longer than a claim looks back is found by the next deep claim', async (t) => {
  const { malipo, endpoint, claimFrom } = await testClaims(t)
  const place = newPlace()
  await claimFrom(place)
  const [event] = await endpoint.notify(1)
  await malipo.ask(`update webhook_endpoints set next_due = next_due - interval '1 hour' where merchant_id = $1`, [
    endpoint.id,
  ])

  assert.deepEqual(await claimFrom(place), [])
  place.deepPolledAt -= minutes(1)

  assert.deepEqual(idsOf(await claimFrom(place)), [event?.id])
})

test('a record that waits from before its endpoint’s due_from is found by the sweep', async (t) => {
  const { malipo, write, endpoint, claim } = await testClaims(t)
  const [event] = await endpoint.notify(1)
  const since = `interval '1 hour' where merchant_id = $1`
  await malipo.ask(`update webhook_records set next_attempt_at = next_attempt_at - ${since}`, [endpoint.id])
  await malipo.ask('update webhook_endpoints set due_from = record_time() where merchant_id = $1', [endpoint.id])
  assert.deepEqual(await claim(), [])

  assert.equal(await sweepEndpoints(write), 1)
  assert.equal(await sweepEndpoints(write), 0)

  assert.deepEqual(idsOf(await claim()), [event?.id])
})

/** Runs the work while a session holds a snapshot, as pg_dump does: indexes keep dead rows for it. */
async function besideSnapshot(work: () => Promise<void>): Promise<void> {
  const url = new Secret((await testDatabase()).loginUrl)
  const limits = { connectionsMax: 1, statementTimeoutMs: 60_000, idleMs: minutes(10) }
  const reader = openDatabase({ url, ...limits, onError: () => undefined })
  try {
    await reader.write.snapshot(async (tx) => {
      await tx.query(sql`select from merchants`)
      await work()
    })
  } finally {
    await reader.close()
  }
}

test('claims stay quick while a session holds a snapshot, however much is delivered since', async (t) => {
  const { malipo, endpoint, claim } = await testClaims(t)
  const deliver = async () => {
    await malipo.ask(
      `insert into webhook_records (id, merchant_id, env, transaction_id, event, body, created_at, next_attempt_at)
       select (lpad(to_hex((extract(epoch from record_time()) * 1000)::bigint), 12, '0') || '70008' || substr(md5(n::text), 1, 15))::uuid,
         $1, 'sandbox', gen_random_uuid(), 'transaction_created', '{}', record_time(),
         record_time() - interval '1 minute' + n * interval '1 microsecond'
       from generate_series(1, $2::int) n`,
      [endpoint.id, delivered],
    )
    await malipo.ask(
      `update webhook_records set status = 'SUCCESS', attempts = 1, next_attempt_at = null where merchant_id = $1`,
      [endpoint.id],
    )
  }
  const claimOne = async (dueFrom: string) => {
    await malipo.ask(
      `update webhook_endpoints set next_due = record_time(), due_from = ${dueFrom} where merchant_id = $1`,
      [endpoint.id],
    )
    const startedAt = performance.now()
    await claim()
    return performance.now() - startedAt
  }
  const took = { fromTheBeginning: [] as number[], fromItsPlace: [] as number[] }

  await besideSnapshot(async () => {
    await deliver()
    for (let claims = 0; claims < 15; claims += 1) {
      took.fromTheBeginning.push(await claimOne(`'-infinity'`)) // As claims were before endpoints had a place.
      took.fromItsPlace.push(await claimOne('due_from'))
    }
  })

  // The quickest of each: other processes only ever add time.
  const [before, now] = [Math.min(...took.fromTheBeginning), Math.min(...took.fromItsPlace)]
  t.diagnostic(
    `after ${delivered} deliveries beside a snapshot a claim takes ${now.toFixed(1)} ms; from the beginning ${before.toFixed(1)} ms`,
  )
  assert.ok(now < before / 2, `${now} ms is not much less than ${before} ms`)
})
