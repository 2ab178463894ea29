import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { sql, type Tx } from '../../platform/db.ts'
import { movement, testLedger } from '../../testing/ledger.ts'
import { sealHeads } from '../seals.ts'
import { type CheckOptions, checkLedger } from './check.ts'
import { type FullRun, startFullRun } from './resume.ts'

class Killed extends Error {}

/** A sealed ledger of a few batches, whose checks have a piece for each batch. */
async function setUp(t: TestContext) {
  const ledger = await testLedger(t)
  const { db, ask, poster } = ledger
  const [wallet = ''] = await ledger.wallets(1, 1000n)
  const clearing = await ledger.account('clearing')
  for (let line = 0; line < 6; line += 1) {
    const debit = movement({ kind: 'transfer', debit_account: wallet, credit_account: clearing, amount: 5n })
    assert.equal(await poster.submit({ wallets: [wallet], movements: [debit] }), undefined)
  }
  await sealHeads(db.write)
  const check = (over: Partial<CheckOptions> = {}) =>
    checkLedger(db.write, { isFull: true, sealLines: [], pieceTransfers: 1, ...over })
  /** Ends after so many pieces, as a killed process does. */
  const killed = (pieces: number, over: Partial<CheckOptions> = {}) => {
    let left = pieces
    const onPiece = () => {
      left -= 1
      if (left === 0) throw new Killed()
    }
    return assert.rejects(check({ run: 'kept', ...over, onPiece }), Killed)
  }
  /** How many pieces a check has, and its result. */
  const counted = async (over: Partial<CheckOptions>) => {
    let pieces = 0
    const result = await check({
      ...over,
      onPiece: () => {
        pieces += 1
      },
    })
    return { pieces, result }
  }
  // Other tests wrote before: their batches come first.
  const whole = await counted({})
  return { ...ledger, ask, wallet, check, killed, counted, whole, nearlyAll: whole.pieces - 3 }
}

const afresh = { isResumed: false }
const nothingFound = { batches: 0, transfers: 0, sums: [], lines: [] }

const isNotResumable = { name: 'CheckNotResumable' }

test('a full check that was killed, and killed again, is resumed after its last piece', async (t) => {
  const { killed, counted, check, whole } = await setUp(t)
  await killed(3)
  await killed(2, { run: 'resumed' })

  const resumed = await counted({ run: 'resumed' })

  assert.deepEqual(resumed.result, whole.result)
  // The last piece of a check of several pieces is empty: whether it was checked before does not matter.
  assert.ok(resumed.pieces <= whole.pieces - 5 + 1, `${resumed.pieces} of ${whole.pieces} pieces`)
  await assert.rejects(check({ run: 'resumed' }), isNotResumable)
})

test('a resumed check reports how much is done, including what the killed one did', async (t) => {
  const { killed, check, nearlyAll } = await setUp(t)
  await killed(nearlyAll)
  const shares: number[] = []

  await check({ run: 'resumed', onPiece: ({ transfers, expected }) => shares.push(transfers / expected) })

  assert.ok((shares[0] ?? 0) > 0.5, String(shares))
  assert.equal(shares.at(-1), 1)
})

test('a resumed check finds a change of what was not checked before', async (t) => {
  const { killed, check, ask, wallet } = await setUp(t)
  await killed(3)
  const change = (amount: number) =>
    ask(
      `update transfers set amount = amount + $2
       where wallet_id = $1 and batch = (select max(batch) from transfers where wallet_id = $1)`,
      [wallet, amount],
    )
  await change(1)

  await assert.rejects(check({ run: 'resumed' }), { name: 'LedgerDisagreement' })
  await assert.rejects(check({ run: 'resumed' }), { name: 'LedgerDisagreement' })
  await change(-1)

  await check({ run: 'resumed' })
})

test('only a resumed check reads what a killed one kept', async (t) => {
  const { killed, check, ask, wallet, nearlyAll } = await setUp(t)
  await killed(nearlyAll)
  const changed = await ask(
    'update full_check_accounts set credits_posted = credits_posted + 1 where account_id = $1 returning account_id',
    [wallet],
  )
  assert.equal(changed.length, 1)

  await assert.rejects(check({ run: 'resumed' }), /its transfers add up to/)
  await check({ isFull: false })
  await check()
  await check({ run: 'kept' })
})

test('a check is not resumed on other books or another archive', async (t) => {
  const { killed, check, ask } = await setUp(t)
  await killed(3)
  await ask('create table seals as select * from ledger_seals')
  await ask(`update ledger_seals set hash = decode(repeat('00', 32), 'hex')`)
  await assert.rejects(check({ run: 'resumed' }), isNotResumable)
  await ask('truncate ledger_seals')
  await assert.rejects(check({ run: 'resumed' }), isNotResumable)
  await ask('insert into ledger_seals select * from seals')
  await ask('drop table seals')
  await ask(`update full_checks set archived_hash = '\\x00'`)

  await assert.rejects(check({ run: 'resumed' }), /a month was archived or restored/)
})

test('of two full checks at once, the one that started first gives up, in a piece that began before or after', async (t) => {
  const { db, check, counted, whole } = await setUp(t)
  const [first, other] = [await startFullRun(db.write, afresh), await startFullRun(db.write, afresh)]
  const keep = (tx: Tx, run: FullRun) => run.shadow.keep(tx, { from: 0n, below: 1n }, nothingFound)
  const overtaken = { name: 'CheckOvertaken' }

  await assert.rejects(
    db.write.snapshot((tx) => keep(tx, first)),
    overtaken,
  )
  const inAPiece = db.write.snapshot(async (tx) => {
    await tx.query(sql`select from full_checks`)
    assert.deepEqual(await counted({ run: 'kept' }), whole)
    await keep(tx, other)
  })
  await assert.rejects(inAPiece, overtaken)
  await other.end()
  await check({ run: 'kept' })
})
