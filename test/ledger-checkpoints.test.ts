import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { until } from '../packages/server/src/dev-stack/until.ts'
import { checkLedger } from '../packages/server/src/ledger/check/check.ts'
import { LedgerDisagreement } from '../packages/server/src/ledger/check/disagreement.ts'
import { sealHeads, sealLine } from '../packages/server/src/ledger/seals.ts'
import { sql, type WriteDb } from '../packages/server/src/platform/db.ts'
import { movement, testLedger } from '../packages/server/src/testing/ledger.ts'

/** A ledger with some postings, all checked and sealed. */
async function checkedLedger(t: TestContext) {
  const ledger = await testLedger(t)
  const [wallet = '', ...others] = await ledger.wallets(20, 1000n)
  const clearing = await ledger.account('clearing')
  const sealLines: string[] = []
  const hold = (debit_account = wallet) => {
    const movements = [movement({ kind: 'hold', debit_account, credit_account: clearing, amount: 1n })]
    return ledger.poster.submit({ wallets: [debit_account], movements })
  }
  const seal = async () => {
    const made = await sealHeads(ledger.db.write)
    if (made) sealLines.push(sealLine(made))
  }
  await seal()
  // Tests beside this one have open transactions too, and a check reads only batches before all of them.
  const settled = () =>
    until('the batches to be checkable', async () => {
      const [row] = await ledger.ask<{ is_settled: boolean }>(
        'select max(batch) < settled_below() as is_settled from transfers',
      )
      return row?.is_settled === true
    })
  await settled()
  const check = ({ isFull } = { isFull: false }) => checkLedger(ledger.db.write, { isFull, sealLines })
  await check()
  return { ...ledger, wallet, others, hold, seal, settled, check }
}

test('a full check sees every commit before its start, even with an older transaction open', async (t) => {
  const { db, hold, check } = await checkedLedger(t)
  const before = await check({ isFull: true })

  const during = await db.write.batch(5000, async (tx) => {
    await tx.query(sql`select pg_current_xact_id()`)
    await hold()
    const checking = check({ isFull: true })
    const first = await Promise.race([checking, pause(100, 'waits' as const)])
    return { first, checking }
  })

  assert.equal(during.first, 'waits')
  assert.equal((await during.checking).batches, before.batches + 1)
})

test('a check continues where the last one ended, and a full check starts from the beginning', async (t) => {
  const { hold, seal, check } = await checkedLedger(t)
  const before = await check({ isFull: true })

  assert.deepEqual(await check(), { ...before, batches: 0, transfers: 0, seals: 0 })
  await hold()
  await hold()
  await seal()

  assert.deepEqual(await check(), { ...before, batches: 2, transfers: 2, seals: 1 })
})

test('a change after a checkpoint is found by the check that continues from it', async (t) => {
  const { hold, check, ask, wallet } = await checkedLedger(t)
  await hold()
  await ask('update transfers set amount = 2 where wallet_id = $1 and amount = 1', [wallet])

  await assert.rejects(check(), LedgerDisagreement)
  await ask('update transfers set amount = 1 where wallet_id = $1 and amount = 2', [wallet])

  await check()
})

test('a check that another one overtakes counts nothing twice', async (t) => {
  const { hold, check, db, others } = await checkedLedger(t)
  await Promise.all(others.map(hold))
  let overtaking: Promise<unknown> | undefined
  const slow: WriteDb = {
    ...db.write,
    snapshot: async (work) => {
      overtaking ??= Promise.allSettled([check()])
      await overtaking
      return db.write.snapshot(work)
    },
  }

  await Promise.allSettled([checkLedger(slow, { isFull: false, sealLines: [] })])

  await check()
})

test('a check that another one overtakes while it compares the accounts gives up, and finds nothing wrong', async (t) => {
  const { hold, settled, check, db } = await checkedLedger(t)
  let hasPieces = false
  let isOvertaken = false
  const slow: WriteDb = {
    ...db.write,
    snapshot: async (work) => {
      if (hasPieces && !isOvertaken) {
        isOvertaken = true
        await hold()
        await settled()
        await check()
      }
      return db.write.snapshot(work)
    },
  }
  const onPiece = () => {
    hasPieces = true
  }

  await assert.rejects(checkLedger(slow, { isFull: false, sealLines: [], onPiece }), { name: 'CheckOvertaken' })

  await check()
})
