import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { testDatabase } from '../packages/server/src/dev-stack/servers.ts'
import { until } from '../packages/server/src/dev-stack/until.ts'
import { createPlatformAccounts } from '../packages/server/src/ledger/accounts.ts'
import { checkLedger } from '../packages/server/src/ledger/check/check.ts'
import { foldDeltas } from '../packages/server/src/ledger/deltas.ts'
import { sealHeads, sealLine } from '../packages/server/src/ledger/seals.ts'
import { type Database, sql } from '../packages/server/src/platform/db.ts'
import { openTestDatabase, type TestLedger, testLedger } from '../packages/server/src/testing/ledger.ts'
import { createPoster } from '../packages/server/src/testing/poster.ts'
import { proofSize } from './support/cluster/proof.ts'
import { createRandom } from './support/cluster/random.ts'
import { resultOf } from './support/load/customers.ts'
import { createFunder, createTraffic, type Held, type PlatformIds } from './support/load/traffic.ts'
import { readTransfers, show, wrongCounters } from './support/oracles/ledger-results.ts'

const seconds = proofSize('SECONDS', 8)
const seed = proofSize('SEED', 1)

async function platformOf({ db }: TestLedger): Promise<PlatformIds> {
  const accounts = createPlatformAccounts(db.write, 0)
  const all = async (currency: string) => {
    const idOf = (kind: 'fees' | 'clearing' | 'fx_position' | 'fx_income' | 'treasury') =>
      accounts.idOf({ env: 'sandbox', kind, currency })
    return {
      fees: await idOf('fees'),
      clearing: await idOf('clearing'),
      fx_position: await idOf('fx_position'),
      fx_income: await idOf('fx_income'),
      treasury: await idOf('treasury'),
      float: await accounts.idOf({ env: 'sandbox', kind: 'float', currency, provider: 'test', country: 'KE' }),
    }
  }
  return { wallet: await all('KES'), payment: await all('UGX') }
}

/** Counts deadlocks from here on. A session reports its own when it ends, so sessions started meanwhile must have ended. */
async function watchDeadlocks({ ask }: TestLedger): Promise<() => Promise<number>> {
  const count = async () => {
    const [row] = await ask<{ now: Date; deadlocks: number }>(
      'select now(), deadlocks::int from pg_stat_database where datname = current_database()',
    )
    assert(row)
    return row
  }
  const before = await count()
  return async () => {
    await until('the end of all sessions', async () => {
      const others = await ask(
        `select from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid() and backend_start > $1`,
        [before.now],
      )
      return others.length === 0
    })
    return (await count()).deadlocks - before.deadlocks
  }
}

test('the test counts a deadlock', async (t) => {
  const ledger = await testLedger(t)
  const [left = '', right = ''] = await ledger.wallets(2)
  const counted = await watchDeadlocks(ledger)
  const { loginUrl } = await testDatabase()
  const db = openTestDatabase(loginUrl)
  const both = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const lockInTurn = (ids: readonly string[], index: number) =>
    db.write.transaction(async (tx) => {
      await tx.query(sql`select from wallets where id = ${ids[0]} for no key update`)
      both[index]?.resolve()
      await Promise.all(both.map(({ promise }) => promise))
      await tx.query(sql`select from wallets where id = ${ids[1]} for no key update`)
    })

  const results = await Promise.allSettled([lockInTurn([left, right], 0), lockInTurn([right, left], 1)])
  await db.close()

  assert.equal(results.filter(({ status }) => status === 'rejected').length, 1)
  assert.equal(await counted(), 1)
})

async function makeMarket(ledger: TestLedger) {
  const { loginUrl } = await testDatabase()
  const wallets = await ledger.wallets(300, 1_000_000_000n)
  const [merchant] = await ledger.ask<{ id: string }>('select merchant_id as id from wallets where id = $1', [
    wallets[0],
  ])
  return { loginUrl, wallets, platform: await platformOf(ledger), merchant_id: merchant?.id ?? '' }
}

/** All writers, each with its own pool, until the time is up. */
async function runTraffic(t: TestContext, market: Awaited<ReturnType<typeof makeMarket>>) {
  const { loginUrl, wallets, platform, merchant_id } = market
  const random = createRandom(seed)
  const traffic = createTraffic(random, platform, wallets)
  const open: Held[] = []
  const outcomes: Record<string, number> = {}
  const rounds: Record<string, number> = {}
  const sealLines: string[] = []
  const deadline = performance.now() + seconds * 1000

  const actor = async (name: string, act: (db: Database) => () => Promise<unknown>) => {
    const db = openTestDatabase(loginUrl)
    const once = act(db)
    while (performance.now() < deadline) {
      await once()
      rounds[name] = (rounds[name] ?? 0) + 1
    }
    await db.close()
  }
  const note = async (what: string, result: Promise<string>) => {
    const outcome = `${what} ${await result}`
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
    return outcome.endsWith(' applied')
  }
  const accepter = (size: number, kind: 'accept' | 'acceptAbroad') => (db: Database) => {
    const poster = createPoster(db.write)
    const one = async () => {
      const { posting, held } = traffic[kind]()
      if (await note(kind, resultOf(poster.submit(posting)))) open.push(held)
    }
    return () => Promise.all(times(size, one))
  }
  const resolver = (db: Database) => {
    const poster = createPoster(db.write)
    return () =>
      Promise.all([
        ...open.splice(0, 500).map((held) => note('settle', resultOf(poster.submit(traffic.settle(held))))),
        ...times(20, () => note('exchange', resultOf(poster.submit(traffic.exchange())))),
      ])
  }
  const exchanger = (db: Database) => {
    const poster = createPoster(db.write)
    return () => Promise.all(times(100, () => note('exchange', resultOf(poster.submit(traffic.exchange())))))
  }
  const newest = () => Math.min(Math.floor((1 - (deadline - performance.now()) / seconds / 1000) * 600), 599)
  const operator = (db: Database) => {
    const funder = createFunder(db.write)
    const one = () => {
      const place = Math.max(0, newest() - random.below(30))
      const scope = { merchant_id, env: 'sandbox' as const, currency: 'KES', country: countries[place] ?? '' }
      return note('fund', funder.submit({ scope, treasury: platform.wallet.treasury ?? '' }))
    }
    return () => Promise.all(times(20, one))
  }

  await Promise.all([
    actor('accept', accepter(500, 'accept')),
    actor('accept', accepter(500, 'accept')),
    actor('accept abroad', accepter(100, 'acceptAbroad')),
    actor('settle', resolver),
    actor('settle', resolver),
    actor('exchange', exchanger),
    actor('operator', operator),
    actor('operator', operator),
    actor('fold', (db) => () => foldDeltas(db.write)),
    actor('seal', (db) => async () => {
      const seal = await sealHeads(db.write)
      if (seal) sealLines.push(sealLine(seal))
    }),
    actor('check', (db) => () => checkLedger(db.write, { isFull: false, sealLines: [...sealLines] })),
  ])
  t.diagnostic(`rounds in ${seconds} s: ${show(rounds)}`)
  t.diagnostic(`outcomes: ${show(outcomes)}`)
  return { outcomes, sealLines }
}

const times = <Result>(count: number, make: () => Result): Result[] => Array.from({ length: count }, make)
const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'.split('')
const countries = letters.flatMap((first) => letters.map((second) => first + second))

test(`in ${seconds} s of all writers at once no deadlock occurs, and no writer is refused`, {
  timeout: 60_000 + seconds * 3000,
}, async (t) => {
  const ledger = await testLedger(t)
  const market = await makeMarket(ledger)
  const counted = await watchDeadlocks(ledger)

  const { outcomes, sealLines } = await runTraffic(t, market)

  assert.equal(await counted(), 0)
  assert.deepEqual(
    Object.keys(outcomes).filter((outcome) => !/ (applied|funded)$/.test(outcome)),
    [],
  )
  const transfers = await readTransfers(ledger.db.write)
  assert.deepEqual(await wrongCounters(ledger.db.write, transfers), [])
  const checked = await checkLedger(ledger.db.write, { isFull: true, sealLines })
  assert.equal(checked.transfers, transfers.length)
  t.diagnostic(`check clean: ${show(checked)}`)
})
