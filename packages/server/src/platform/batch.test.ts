import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { testDatabase } from '../dev-stack/servers.ts'
import { AppError } from '../errors.ts'
import { openTestDatabase, testLedger } from '../testing/ledger.ts'
import { type BatcherOptions, createBatcher, forgetCommits } from './batch.ts'
import { type BatchTx, CommitUnknown, sql, type WriteDb } from './db.ts'

/** A batcher that writes its items into the test's own table. */
async function numbersBatcher(t: TestContext, over: Partial<BatcherOptions<number, number>> = {}) {
  const { db, ask } = await testLedger(t)
  const table = `numbers_${Math.random().toString(36).slice(2)}`
  await ask(`create table ${table} (value int primary key check (value <> 13), note text)`)
  await ask(`grant select, insert, update on ${table} to malipo_write`)
  const sizes: number[] = []
  const insert = { name: table, text: `insert into ${table} (value) select unnest($1::int[])` }
  const decide = async (tx: BatchTx, items: readonly number[]) => {
    sizes.push(items.length)
    await tx.query({ ...insert, values: [items] })
    return { results: items.map((item) => item * 2) }
  }
  const batcher = createBatcher({ db: db.write, decide, keyOf: (item: number) => String(item % 3), ...over })
  const stored = async () =>
    (await ask<{ value: number }>(`select value from ${table} order by value`)).map(({ value }) => value)
  return { batcher, sizes, stored, ask, table, db, decide }
}

const range = (count: number) => Array.from({ length: count }, (_, index) => index + 100)

test('items that arrive during a batch form the next one, and each gets its own result', async (t) => {
  const { batcher, sizes, stored } = await numbersBatcher(t)

  const results = await Promise.all(range(500).map((item) => batcher.submit(item)))

  assert.deepEqual(
    results,
    range(500).map((item) => item * 2),
  )
  assert.deepEqual(sizes, [1, 499])
  assert.deepEqual(await stored(), range(500))
})

test('an item that the database refuses is isolated and refused alone', async (t) => {
  const { batcher, stored } = await numbersBatcher(t)
  const items = [...range(50), 13, 100]

  const results = await Promise.allSettled(items.map((item) => batcher.submit(item)))

  const refused = items.filter((_, index) => results[index]?.status === 'rejected')
  assert.deepEqual(refused, [13, 100], 'the forbidden one, and the second of two equal ones')
  assert.deepEqual(await stored(), range(50))
})

test('an item that its own check refuses is refused alone', async (t) => {
  const { db, decide } = await numbersBatcher(t)
  const checked = async (tx: BatchTx, items: readonly number[]) => {
    if (items.includes(113)) throw new AppError('PERMISSION_DENIED')
    return decide(tx, items)
  }
  const batcher = createBatcher({ db: db.write, decide: checked, keyOf: String })

  const results = await Promise.allSettled(range(50).map((item) => batcher.submit(item)))

  const refused = range(50).filter((_, index) => results[index]?.status === 'rejected')
  assert.deepEqual(refused, [113])
})

/** Holds a row lock until the returned function is called. */
async function holdLock(t: TestContext, table: string, value: number): Promise<() => Promise<void>> {
  const { superuserUrl } = await testDatabase()
  const blocker = openTestDatabase(superuserUrl)
  t.after(() => blocker.close())
  const [held, letGo] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const blocking = blocker.write.transaction(async (tx) => {
    await tx.query({ name: '', text: `update ${table} set note = 'held' where value = ${value}`, values: [] })
    held.resolve()
    await letGo.promise
  })
  await held.promise
  return () => {
    letGo.resolve()
    return blocking
  }
}

/** A batcher whose items each update the row of their number. */
async function touchingBatcher(t: TestContext) {
  const { ask, table, db } = await numbersBatcher(t)
  await ask(`insert into ${table} select generate_series(20, 29)`)
  const text = `update ${table} set note = 'touched' where value = any($1::int[])`
  const batcher = createBatcher({
    db: db.write,
    keyOf: String,
    decide: async (tx, items: readonly number[]) => {
      await tx.query({ name: '', text, values: [items] })
      return { results: items }
    },
  })
  return { batcher, table }
}

test('a batch blocked by one lock lets the other items proceed, and the blocked one follows', async (t) => {
  const { batcher, table } = await touchingBatcher(t)
  const letGo = await holdLock(t, table, 20)

  const first = batcher.submit(29)
  const held = batcher.submit(20)
  await Promise.all([first, ...[21, 22, 23].map((item) => batcher.submit(item))])
  await letGo()

  assert.equal(await held, 20)
})

test('an item whose lock is never released is refused, and no other item is', async (t) => {
  const { batcher, table } = await touchingBatcher(t)
  const letGo = await holdLock(t, table, 20)

  const held = assert.rejects(batcher.submit(20), /cannot process this request now/)
  assert.equal(await batcher.submit(21), 21)
  await held

  await letGo()
})

test('when the queue is full the next item is refused at once', async (t) => {
  const { batcher } = await numbersBatcher(t, { queueMax: 10 })

  const results = await Promise.allSettled(range(20).map((item) => batcher.submit(item)))

  const refused = results.filter((result) => result.status === 'rejected')
  assert.equal(refused.length, 9)
  assert.match(String(refused[0]?.reason), /cannot process this request now/)
})

test('a programming error fails the batch and is not retried', async (t) => {
  let tries = 0
  const { batcher } = await numbersBatcher(t, {
    decide: async () => {
      tries += 1
      throw new TypeError('a fault')
    },
  })

  await assert.rejects(batcher.submit(1), /a fault/)

  assert.equal(tries, 1)
})

/** A database that reports every commit as lost, whether it took effect or not. */
function losing(db: WriteDb, { isCommitted }: { isCommitted: () => boolean }): WriteDb {
  return {
    ...db,
    batch: async (lockTimeoutMs, work) => {
      let lost: CommitUnknown<unknown> | undefined
      const run = db.batch(lockTimeoutMs, async (tx) => {
        const result = await work(tx)
        lost = new CommitUnknown(tx, result, new Error('Connection terminated'))
        if (!isCommitted()) throw new Error('cut')
        return result
      })
      await run.catch(() => undefined)
      throw lost
    },
  }
}

test('a commit whose response was lost returns the result that the database confirms', async (t) => {
  const { db, decide, stored } = await numbersBatcher(t)
  const batcher = createBatcher({ db: losing(db.write, { isCommitted: () => true }), decide, keyOf: String })

  assert.equal(await batcher.submit(7), 14)

  assert.deepEqual(await stored(), [7])
})

test('a commit that was lost before it took effect is retried once', async (t) => {
  const { db, decide, stored } = await numbersBatcher(t)
  let commits = 0
  const isCommitted = () => {
    commits += 1
    return commits > 1
  }
  const batcher = createBatcher({ db: losing(db.write, { isCommitted }), decide, keyOf: String })

  assert.equal(await batcher.submit(7), 14)

  assert.deepEqual(await stored(), [7])
})

test('a batch number reused after a crash is not taken for the lost batch', async (t) => {
  const { db, decide, ask, stored } = await numbersBatcher(t)
  const lossy = losing(db.write, { isCommitted: () => tries > 1 })
  let tries = 0
  const batcher = createBatcher({
    db: {
      ...lossy,
      batch: (lockTimeoutMs, work) => {
        tries += 1
        return lossy.batch(lockTimeoutMs, work).catch(async (error: CommitUnknown<unknown>) => {
          // A server that lost its newest transactions gives the number to another one, and commits that.
          if (tries === 1) await ask('insert into batch_commits (batch) values ($1)', [error.mark.batch])
          throw error
        })
      },
    },
    keyOf: String,
    decide,
  })

  assert.equal(await batcher.submit(7), 14)

  assert.equal(tries, 2)
  assert.deepEqual(await stored(), [7])
})

test('a commit that is still in progress is awaited, and its real outcome counts', async (t) => {
  for (const isCommitted of [true, false]) {
    const { db, decide, stored, sizes } = await numbersBatcher(t)
    const [lost, letGo] = [Promise.withResolvers<CommitUnknown<unknown>>(), Promise.withResolvers<void>()]
    const asked = Promise.withResolvers<void>()
    let isLost = false
    const slow: WriteDb = {
      ...db.write,
      confirmed: (work) => db.write.confirmed(work).finally(asked.resolve),
      batch: async (lockTimeoutMs, work) => {
        if (isLost) return db.write.batch(lockTimeoutMs, work)
        isLost = true
        const ending = db.write.batch(lockTimeoutMs, async (tx) => {
          lost.resolve(new CommitUnknown(tx, await work(tx), new Error('Connection terminated')))
          await letGo.promise
          if (!isCommitted) throw new Error('cut')
        })
        ending.catch(() => undefined)
        throw await lost.promise
      },
    }

    const submitted = createBatcher({ db: slow, decide, keyOf: String }).submit(7)
    await asked.promise // The batch was looked up once, and is neither there nor over.
    letGo.resolve()

    assert.equal(await submitted, 14)
    assert.deepEqual(await stored(), [7])
    assert.equal(sizes.length, isCommitted ? 1 : 2)
  }
})

test('a batch older than the stored commit rows is not treated as rolled back', async (t) => {
  const { db, decide, ask, sizes } = await numbersBatcher(t)
  const lossy = losing(db.write, { isCommitted: () => true })
  const batcher = createBatcher({
    db: {
      ...lossy,
      batch: (lockTimeoutMs, work) =>
        lossy.batch(lockTimeoutMs, work).catch(async ({ mark, result, cause }: CommitUnknown<unknown>) => {
          await ask('delete from batch_commits where batch = $1', [mark.batch])
          throw new CommitUnknown({ ...mark, atUs: mark.atUs - 3_600_000_000n }, result, cause)
        }),
    },
    keyOf: String,
    decide,
  })

  await assert.rejects(batcher.submit(7), /cannot process this request now/)

  assert.equal(sizes.length, 1)
})

test('commit rows are removed after an hour, except the newest one', async (t) => {
  const { batcher, db, ask } = await numbersBatcher(t)
  const count = async () => (await ask('select from batch_commits')).length
  await batcher.submit(7)
  await ask(`update batch_commits set at = at - interval '61 minutes'`)

  const before = await count()
  await forgetCommits(db.write)
  assert.equal(await count(), before, 'nothing newer is there')
  await batcher.submit(8)
  await forgetCommits(db.write)

  assert.equal(await count(), 1)
})

test('an outcome that stays unknown is reported as such, and the writer is abandoned', async (t) => {
  const { db, decide } = await numbersBatcher(t)
  let isAbandoned = false
  const blind = losing(db.write, { isCommitted: () => true })
  const batcher = createBatcher({
    db: { ...blind, confirmed: () => Promise.reject(new Error('away')) },
    keyOf: String,
    decide: async (tx, items: readonly number[]) => ({
      ...(await decide(tx, items)),
      abandoned: () => {
        isAbandoned = true
      },
    }),
  })

  await assert.rejects(batcher.submit(7), /cannot process this request now/)

  assert.ok(isAbandoned)
})

test('a batch whose COMMIT response was lost does not delay later batches', async (t) => {
  const { db, decide } = await numbersBatcher(t)
  const [known, lost] = [Promise.withResolvers<void>(), new Set<number>()]
  const lossy = losing(db.write, { isCommitted: () => true })
  const batcher = createBatcher({
    db: {
      ...db.write,
      batch: (lockTimeoutMs, work) => (lost.size > 0 ? db.write : lossy).batch(lockTimeoutMs, work),
      confirmed: (work) => known.promise.then(() => db.write.confirmed(work)),
    },
    keyOf: String,
    decide: (tx, items: readonly number[]) => decide(tx, items).finally(() => lost.add(items[0] ?? 0)),
  })

  const first = batcher.submit(7)
  assert.deepEqual(await Promise.all([8, 9].map((item) => batcher.submit(item))), [16, 18])
  known.resolve()

  assert.equal(await first, 14)
})

test('a commit with a warning does not count as committed', async (t) => {
  const { db, ask } = await testLedger(t)
  await ask(
    `create function warn() returns trigger language plpgsql as $$ begin raise warning 'not on the standby'; return null; end $$`,
  )
  await ask('create table warned (x int)')
  await ask('grant insert on warned to malipo_write')
  await ask(
    'create constraint trigger warns after insert on warned deferrable initially deferred for each row execute function warn()',
  )

  const work = db.write.batch(1000, (tx) => tx.query(sql`insert into warned values (1)`))

  await assert.rejects(work, CommitUnknown)
})

test('a batch knows its own number and the database time', async (t) => {
  const { db } = await testLedger(t)

  const { batch, atUs, same } = await db.write.batch(1000, async (tx) => {
    const [row] = await tx.query<{ same: boolean }>(sql`select current_batch() = ${tx.batch} as same`)
    return { batch: tx.batch, atUs: tx.atUs, same: row?.same }
  })

  assert.ok(same && batch > 0n)
  assert.ok(Math.abs(Number(atUs / 1000n) - Date.now()) < 2000)
})
