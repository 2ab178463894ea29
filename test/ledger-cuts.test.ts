import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { testDatabase } from '../packages/server/src/dev-stack/servers.ts'
import { until } from '../packages/server/src/dev-stack/until.ts'
import type { Transfer } from '../packages/server/src/ledger/chain.ts'
import { checkLedger } from '../packages/server/src/ledger/check/check.ts'
import { movement, openTestDatabase, type TestLedger, testLedger } from '../packages/server/src/testing/ledger.ts'
import { createPoster } from '../packages/server/src/testing/poster.ts'
import { proofSize } from './support/cluster/proof.ts'
import { createRandom, type Random } from './support/cluster/random.ts'
import { type CutPlan, planCuts, stepOf } from './support/faults/cut-plan.ts'
import { startTcpProxy, type TcpProxyOptions } from './support/faults/tcp-proxy.ts'
import { type Customers, createCustomers, type PostingResult, proofEvent, resultOf } from './support/load/customers.ts'
import { compareResults, readTransfers, show, wrongCounters } from './support/oracles/ledger-results.ts'

const cutsMax = proofSize('CUTS', 500)
const seed = proofSize('SEED', 1)
const inFlight = 100

/** A poster that reaches the database through a proxy. */
async function posterThrough(t: TestContext, options: Omit<TcpProxyOptions, 'url'>) {
  const { loginUrl } = await testDatabase()
  const proxy = await startTcpProxy({ url: loginUrl, ...options })
  const db = openTestDatabase(proxy.url)
  t.after(async () => {
    await db.close()
    await proxy.close()
  })
  return { proxy, poster: createPoster(db.write) }
}

async function customersOf(ledger: TestLedger, random: Random): Promise<Customers> {
  const [treasury, clearing] = [await ledger.account('treasury'), await ledger.account('clearing')]
  return createCustomers(random, { wallets: await ledger.wallets(40, 1_000_000n), treasury, clearing })
}

/** Keeps this many postings in flight until the plan is done; each result triggers the next posting. */
async function loadUntilCut(
  posters: readonly ReturnType<typeof createPoster>[],
  customers: Customers,
  plan: CutPlan,
): Promise<void> {
  const run = async (index: number) => {
    const poster = posters[index % posters.length]
    while (poster && plan.count() < cutsMax) {
      const asked = customers.ask()
      customers.noteResult(asked, await resultOf(poster.submit(asked.posting)))
    }
  }
  await Promise.all(Array.from({ length: inFlight }, (_, index) => run(index)))
}

/** No transaction of the test itself stays open. */
async function noneOpen({ ask }: TestLedger): Promise<boolean> {
  const open = await ask(
    `select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null`,
  )
  return open.length === 0
}

test('the comparison finds a wrong result and a transfer without a request', () => {
  const asked = movement({ kind: 'transfer', event: proofEvent, debit_account: 'a', credit_account: 'b', amount: 1n })
  const posting = { wallets: [], movements: [asked] }
  const row = { ...asked, phase: 0, wallet_id: null, entry_at: null, balance: null } as Transfer
  const mismatchesOf = (result: readonly PostingResult[], rows: readonly Transfer[]) =>
    compareResults(
      result.map((each) => ({ posting, result: each })),
      rows,
    ).mismatches.length

  assert.deepEqual(
    [mismatchesOf(['applied'], [row]), mismatchesOf(['overloaded'], [row]), mismatchesOf(['overloaded'], [])],
    [0, 0, 0],
  )
  assert.equal(mismatchesOf(['applied'], []), 1, 'reported but not done')
  assert.equal(mismatchesOf(['applied'], [{ ...row, amount: 2n }]), 1, 'done with another amount')
  assert.equal(mismatchesOf(['applied', 'applied'], [row]), 1, 'reported twice')
  assert.equal(mismatchesOf(['insufficient_funds'], [row]), 2, 'refused but done, so without a request')
  assert.equal(mismatchesOf([], [row]), 1, 'done without a request')
})

test(`with ${cutsMax} cut connections under load, at every step of a batch, every ledger result is true`, {
  timeout: 60_000 + cutsMax * 500,
}, async (t) => {
  const random = createRandom(seed)
  const ledger = await testLedger(t)
  const customers = await customersOf(ledger, random)
  const plan = planCuts(random, cutsMax)
  const through = () => posterThrough(t, { faultOf: plan.faultOf, random })
  const posters = [await through(), await through()]

  const startedAt = performance.now()
  await loadUntilCut(
    posters.map(({ poster }) => poster),
    customers,
    plan,
  )
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  await until('the end of every transaction', () => noneOpen(ledger))

  const transfers = await readTransfers(ledger.db.write)
  const { mismatches, counts } = compareResults(customers.record, transfers)
  t.diagnostic(`seed ${seed}: ${plan.count()} cuts in ${seconds} s`)
  for (const [step, times] of plan.done) t.diagnostic(`cut at ${step}: ${show(times)}`)
  t.diagnostic(`${customers.record.length} results: ${show(counts)}`)
  assert.deepEqual(mismatches, [])
  assert.deepEqual(await wrongCounters(ledger.db.write, transfers), [])
  const checked = await checkLedger(ledger.db.write, { isFull: true, sealLines: [] })
  assert.equal(checked.transfers, transfers.length)
  t.diagnostic(`check clean: ${checked.batches} batches, ${checked.transfers} transfers, ${checked.accounts} accounts`)
})

test('a COMMIT that arrives after we gave up is reported as unknown, and a new chain starts', async (t) => {
  const ledger = await testLedger(t)
  const [wallet = ''] = await ledger.wallets(1, 100n)
  const clearing = await ledger.account('clearing')
  const hold = () => movement({ kind: 'hold', debit_account: wallet, credit_account: clearing, amount: 30n })
  let isLate = false
  const { proxy, poster } = await posterThrough(t, {
    random: createRandom(seed),
    faultOf: (request) => {
      if (isLate || stepOf(request) !== 'commit') return undefined
      isLate = true
      return 'request late'
    },
  })

  const [first, second] = [hold(), hold()]
  const result = await resultOf(poster.submit({ wallets: [wallet], movements: [first] }))
  proxy.deliver()
  const next = await resultOf(poster.submit({ wallets: [wallet], movements: [second] }))

  assert.deepEqual([result, next], ['overloaded', 'applied'])
  const transfers = await readTransfers(ledger.db.write)
  const isThere = ({ transaction_id }: { transaction_id: string }) =>
    transfers.some((row) => row.transaction_id === transaction_id)
  assert.deepEqual([first, second].map(isThere), [true, true])
  const chains = await ledger.ask(
    'select from ledger_batches b join transfers t using (batch) where t.transaction_id = any($1) and b.number = 1',
    [[first.transaction_id, second.transaction_id]],
  )
  assert.equal(chains.length, 2, 'each is the first of its chain')
  assert.equal((await checkLedger(ledger.db.write, { isFull: true, sealLines: [] })).transfers, transfers.length)
})
