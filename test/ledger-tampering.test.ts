import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { testDatabase } from '../packages/server/src/dev-stack/servers.ts'
import { until } from '../packages/server/src/dev-stack/until.ts'
import { type CheckResult, checkLedger } from '../packages/server/src/ledger/check/check.ts'
import { LedgerDisagreement } from '../packages/server/src/ledger/check/disagreement.ts'
import { foldDeltas } from '../packages/server/src/ledger/deltas.ts'
import { sealHeads, sealLine, sealsAfter } from '../packages/server/src/ledger/seals.ts'
import { newTransactionId } from '../packages/server/src/platform/ids.ts'
import { movement, openTestDatabase, type TestLedger, testLedger } from '../packages/server/src/testing/ledger.ts'
import { createPoster } from '../packages/server/src/testing/poster.ts'
import { proofSize } from './support/cluster/proof.ts'
import { createRandom, type Random } from './support/cluster/random.ts'
import { createSuperuser, type Superuser } from './support/cluster/superuser.ts'
import { cutTail, forgeChain } from './support/faults/tail-cuts.ts'
import { edit, forge, keys, remove, reorder, type Table, type Tampering } from './support/faults/tampering.ts'
import { createCustomers, resultOf } from './support/load/customers.ts'
import { show } from './support/oracles/ledger-results.ts'

const editsMax = proofSize('EDITS', 200)
const tailCutsMax = 20
const seed = proofSize('SEED', 1)

type Poster = ReturnType<typeof createPoster>

/** Posts for a while: every round is a batch or two of one poster, drawn at random. */
async function post(random: Random, posters: readonly Poster[], ledger: TestLedger, wallets: string[], rounds: number) {
  const [treasury, clearing] = [await ledger.account('treasury'), await ledger.account('clearing')]
  const customers = createCustomers(random, { wallets, treasury, clearing })
  for (let round = 0; round < rounds; round += 1) {
    const poster = random.pick(posters)
    const asked = Array.from({ length: 2 + random.below(6) }, () => customers.ask())
    const results = await Promise.all(asked.map(({ posting }) => resultOf(poster.submit(posting))))
    for (const [index, each] of asked.entries()) customers.noteResult(each, results[index] ?? 'overloaded')
  }
}

/** A few postings in the partition of the month after next. */
async function postAhead(poster: Poster, ledger: TestLedger, wallets: readonly string[]): Promise<void> {
  const debit_account = await ledger.account('treasury')
  const transaction = () => newTransactionId(Date.now() + 40 * 86_400_000, 0)
  const fund = (credit_account: string) =>
    movement({ kind: 'transfer', transaction_id: transaction(), debit_account, credit_account })
  await Promise.all(wallets.map((wallet) => poster.submit({ wallets: [wallet], movements: [fund(wallet)] })))
}

/**
 * A ledger of two writers with all kinds of transfers, half folded and sealed now and then, with the seal lines stored
 * separately. Towards the end each writer has its own wallets, so that its last batches can vanish without a trace.
 */
async function buildLedger(t: TestContext) {
  const random = createRandom(seed)
  const ledger = await testLedger(t)
  const posters = [createPoster(ledger.db.write), createPoster(ledger.db.write)]
  const [first, second] = posters as [Poster, Poster]
  const sealLines: string[] = []
  const seal = async () => {
    const made = await sealHeads(ledger.db.write)
    if (made) sealLines.push(sealLine(made))
  }
  const shared = await ledger.wallets(12, 1_000_000n)
  for (let part = 0; part < 5; part += 1) {
    await post(random, posters, ledger, shared, 25)
    await seal()
    if (part === 2) await foldDeltas(ledger.db.write)
  }
  await postAhead(first, ledger, shared)
  const [ofFirst, ofSecond] = [await ledger.wallets(3, 1_000_000n), await ledger.wallets(3, 1_000_000n)]
  for (let part = 0; part < 5; part += 1) {
    await post(random, [first], ledger, ofFirst, 4)
    await post(random, [second], ledger, ofSecond, 4)
    if (part === 1) await foldDeltas(ledger.db.write)
    await seal()
  }
  await until('every batch to be complete', async () => {
    const unsettled = await ledger.ask(
      'select from ledger_batches where batch >= pg_snapshot_xmin(pg_current_snapshot())::text::bigint',
    )
    return unsettled.length === 0
  })
  // In one piece or in several: a change that concerns two pieces is found as well.
  const check = (lines = sealLines, pieceTransfers = random.pick([50_000, 50_000, 200])) =>
    checkLedger(ledger.db.write, { isFull: true, sealLines: lines, pieceTransfers })
  return { random, sealLines, check, seals: await sealsAfter(ledger.db.write, 0n) }
}

async function hireSuperuser(t: TestContext): Promise<Superuser<Table>> {
  const { superuserUrl } = await testDatabase()
  const db = openTestDatabase(superuserUrl)
  t.after(() => db.close())
  return createSuperuser(db, keys)
}

/** The problem that a check finds, without names; undefined when it finds none. */
async function complaintOf(check: Promise<CheckResult>): Promise<string | undefined> {
  try {
    await check
    return undefined
  } catch (error) {
    if (!(error instanceof LedgerDisagreement)) throw error
    return error.message
      .replace(/: .*/, '')
      .replace(/[0-9a-f-]{36}/g, '…')
      .replace(/\d+/g, '…')
  }
}

/** Count of each, most frequent first. */
function tally(found: readonly string[]): [string, number][] {
  const counts = [...Map.groupBy(found, String)].map(([text, all]): [string, number] => [text, all.length])
  return counts.sort(([, left], [, right]) => right - left)
}

/** Random, but repeatable by seed: 6 edits to 2 deletions, 2 swaps and a forgery. */
const kinds = [edit, edit, edit, edit, edit, edit, remove, remove, reorder, reorder, forge]

test('the check finds what a superuser changes in the ledger', { timeout: 60_000 + editsMax * 500 }, async (t) => {
  const { random, check, seals, sealLines } = await buildLedger(t)
  const untouched = await check(sealLines, 1)
  const superuser = await hireSuperuser(t)
  t.diagnostic(`seed ${seed}; the ledger: ${show(untouched)}`)

  await t.test(`the check finds ${editsMax} random edits, deletions, swaps and forgeries`, async (t2) => {
    const made: Tampering[] = []
    const found: string[] = []
    const missed: Tampering[] = []
    while (made.length < editsMax) {
      const tampering = random.pick(kinds)(random, superuser.rows)
      const isMade = await superuser.tamper(tampering)
      if (isMade) {
        made.push(tampering)
        const complaint = await complaintOf(check())
        if (complaint) found.push(complaint)
        else missed.push(tampering)
      }
      await superuser.undo()
    }

    const done = tally(made.map(({ kind }) => kind.split(' ', 1)[0] ?? ''))
    t2.diagnostic(`done: ${show(Object.fromEntries(done))}`)
    for (const [complaint, times] of tally(found)) t2.diagnostic(`found ${times} times: ${complaint}`)
    assert.deepEqual(missed, [])
  })

  await t.test(`the outside seals alone reveal a writer’s last batches cut off, ${tailCutsMax} times`, async (t2) => {
    const found: string[] = []
    const chains = Map.groupBy(superuser.rows.ledger_batches, (row) => row['writer'] ?? '')
    const writers = [...chains].filter(([, chain]) => chain.length > 50)
    for (let made = 0; made < tailCutsMax; made += 1) {
      const [writer, chain] = random.pick(writers)
      const number = chain.length - 1 - random.below(15)
      const hash = chain.find((row) => row['number'] === String(number))?.['hash']?.slice(2) ?? ''
      const afterwards = made % 2 === 0 ? 'seals removed' : 'seals rewritten'

      assert.ok(await superuser.tamper(cutTail({ writer, kept: { number, hash }, seals, afterwards })))
      assert.equal(await complaintOf(check([])), undefined, 'the remaining ledger is consistent')
      found.push((await complaintOf(check(sealLines))) ?? `not found after ${afterwards}`)
      await superuser.undo()
    }

    for (const [complaint, times] of tally(found)) t2.diagnostic(`found ${times} times: ${complaint}`)
    assert.deepEqual(
      found.filter((complaint) => complaint.startsWith('not found')),
      [],
    )
  })

  await t.test('the check finds a forged chain placed before the newest seal', async () => {
    const wallet = superuser.rows.wallets[0]?.['id'] ?? ''
    const batches = superuser.rows.ledger_batches.map(({ batch }) => BigInt(batch ?? 0))
    const unused = batches.reduce((least, batch) => (batch < least ? batch : least)) - 1n

    assert.ok(await superuser.tamper(forgeChain(wallet, unused)))
    const complaint = await complaintOf(check())
    await superuser.undo()

    assert.ok(complaint, 'no seal reveals it, although it claims to be older than one')
  })

  assert.deepEqual(await check(), untouched, 'everything is restored and passes')
})
