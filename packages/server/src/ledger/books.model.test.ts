import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { testDatabase } from '../dev-stack/servers.ts'
import { AppError } from '../errors.ts'
import type { Batcher } from '../platform/batch.ts'
import { type BatchMark, CommitUnknown, type Database, sql, type WriteDb } from '../platform/db.ts'
import { newId } from '../platform/ids.ts'
import { movement, openTestDatabase } from '../testing/ledger.ts'
import {
  adopt,
  copyOf,
  createModel,
  isEnding,
  isExplained,
  type LedgerOutcome,
  type Model,
  type Move,
  modelSettings,
  type Operation,
  type Phase,
  phases,
  plan,
  transfersOf,
  transferText,
} from '../testing/ledger-model.ts'
import { ask } from '../testing/malipo.ts'
import { type Counters, counterNames, createPlatformAccounts, ensureWallets } from './accounts.ts'
import { openBooks, type Refusal } from './books.ts'
import { createWriter } from './chain.ts'
import { checkLedger } from './check/check.ts'
import { foldDeltas, platformBalances } from './deltas.ts'
import { createPoster, type Posting } from './poster.ts'

type Poster = Batcher<Posting, Refusal | undefined>

/** Fresh books in their own database, and two writers that share only that database. */
interface World {
  readonly db: Database
  readonly writers: readonly [Poster, Poster]
  readonly model: Model
  /** Platform accounts by currency. */
  readonly accounts: ReadonlyMap<string, readonly string[]>
  /** How often the database returned each error code. */
  readonly codes: Map<string, number>
  close(): Promise<void>
}

const currencies = ['KES', 'UGX'] as const
const countries = (count: number) =>
  Array.from({ length: count }, (_, index) => String.fromCharCode(65 + Math.floor(index / 26), 65 + (index % 26)))

async function openWorld({ walletsPerCurrency }: { walletsPerCurrency: number }): Promise<World> {
  const { url, superuserUrl, drop } = await freshDatabase()
  const codes = new Map<string, number>()
  const databases = [url, url, url].map(openTestDatabase) as [Database, Database, Database]
  const [db, first, second] = databases
  const merchant_id = newId(Date.now(), 0)
  await ask(
    superuserUrl,
    `insert into merchants (id, name, email, first_name, last_name, home_country) values ($1, 'Duka', 'a@b', 'A', 'O', 'KE')`,
    [merchant_id],
  )
  const scopes = currencies.flatMap((currency) =>
    countries(walletsPerCurrency).map((country) => ({ merchant_id, env: 'sandbox' as const, currency, country })),
  )
  const ids = await db.write.batch(1000, (tx) => ensureWallets(tx, 0, scopes))
  const accounts = await openAccounts(db)
  return {
    db,
    writers: [createPoster(losing(first.write, codes)), createPoster(losing(second.write, codes))],
    model: createModel(
      new Map(ids.map((id, index) => [id, scopes[index] as (typeof scopes)[0]])),
      [...accounts.values()].flat(),
    ),
    accounts,
    codes,
    close: async () => {
      await Promise.all(databases.map((each) => each.close()))
      await drop()
    },
  }
}

/** A copy of the test file's database, which itself is never written. Deadlocks are detected after 5 ms. */
async function freshDatabase() {
  const { superuserUrl, loginUrl } = await testDatabase()
  const name = `model_${newId(Date.now(), 0).replaceAll('-', '')}`
  const at = (url: string, database: string) => Object.assign(new URL(url), { pathname: database }).href
  const run = (statement: string) => ask(at(superuserUrl, 'postgres'), statement)
  await run(`create database ${name} template ${new URL(superuserUrl).pathname.slice(1)}`)
  await run(`alter database ${name} set deadlock_timeout = '5ms'`)
  return {
    url: at(loginUrl, name),
    superuserUrl: at(superuserUrl, name),
    drop: () => run(`drop database ${name} with (force)`),
  }
}

async function openAccounts({ write }: Database): Promise<ReadonlyMap<string, readonly string[]>> {
  const { idOf } = createPlatformAccounts(write, 0)
  const kinds = ['treasury', 'clearing', 'fees', 'fx_position', 'cost'] as const
  const of = async (currency: string) =>
    [currency, await Promise.all(kinds.map((kind) => idOf({ env: 'sandbox', kind, currency })))] as const
  return new Map(await Promise.all(currencies.map(of)))
}

class Cut extends Error {}

/** A database that loses the response to every seventh COMMIT after it took effect, and to every eleventh before. */
function losing(db: WriteDb, codes: Map<string, number>): WriteDb {
  const note = (code: string) => codes.set(code, (codes.get(code) ?? 0) + 1)
  let batches = 0
  return {
    ...db,
    batch: async (lockTimeoutMs, work) => {
      batches += 1
      const [isCut, isLost] = [batches % 11 === 0, batches % 11 === 0 || batches % 7 === 0]
      let lost: { mark: BatchMark; result: unknown } | undefined
      try {
        const result = await db.batch(lockTimeoutMs, async (tx) => {
          lost = { mark: tx, result: await work(tx) }
          if (isCut) throw new Cut()
          return lost.result
        })
        if (!isLost) return result as never
      } catch (error) {
        note(error instanceof Cut ? 'cut' : String((error as { code?: string }).code))
        if (!(error instanceof Cut)) throw error
      }
      assert(lost)
      note('lost')
      throw new CommitUnknown(lost.mark, lost.result, new Error('Connection terminated'))
    },
  }
}

/** A writer's result: beside the model's results, that it was overloaded or that it broke. */
type Claimed = Exclude<LedgerOutcome, undefined> | 'applied' | 'overloaded' | `broke: ${string}`

async function say(outcome: Promise<Refusal | undefined>): Promise<Claimed> {
  try {
    return (await outcome) ?? 'applied'
  } catch (error) {
    const { code, constraint } = error as { code?: string; constraint?: string }
    if (code === '23505' && /^transfers_.*pkey$/.test(constraint ?? '')) return 'key_refused'
    return error instanceof AppError && error.key === 'OVERLOADED' ? 'overloaded' : `broke: ${error}`
  }
}

/** Submits the operations in waves; each wave starts when the first result of the previous one arrives. */
async function submitAll(writer: Poster, operations: readonly Operation[], wave: number): Promise<Claimed[]> {
  const claimed: Promise<Claimed>[] = []
  for (let next = 0; next < operations.length; next += wave) {
    const begun = operations.slice(next, next + wave).map((operation) => say(writer.submit(operation)))
    claimed.push(...begun)
    await Promise.race(begun)
  }
  return Promise.all(claimed)
}

/** A single writer decides in submission order, so every result is known beforehand. */
async function runAlone(world: World, { wave, intents }: Phase): Promise<Claimed[]> {
  const planned = plan(
    world.model,
    world.accounts,
    intents.map(([, intent]) => intent),
  )
  const [writer] = world.writers
  const claimed = await submitAll(
    writer,
    planned.map(({ operation }) => operation),
    wave,
  )
  for (const [index, { operation, outcomes }] of planned.entries()) {
    const expected = [...outcomes].map((outcome) => outcome ?? 'applied')
    const heard = claimed[index] as Claimed
    assert(
      (expected as Claimed[]).includes(heard),
      `operation ${index} was answered ${heard}, not ${expected.join(' or ')}: ${show(operation)}`,
    )
  }
  return claimed
}

/**
 * Two writers at once: their order is unknown, but the books must hold exactly what they reported. Both try to end the same
 * holds.
 */
async function runTogether(world: World, { wave, intents }: Phase): Promise<Claimed[]> {
  const planned = plan(
    copyOf(world.model),
    world.accounts,
    intents.map(([, intent]) => intent),
  )
  const operations = [0, 1].map((writer) =>
    planned
      .filter(({ operation }, index) => intents[index]?.[0] === writer || operation.movements.every(isEnding))
      .map(({ operation }) => operation),
  )
  const claimed = await Promise.all(
    world.writers.map((writer, index) => submitAll(writer, operations[index] ?? [], wave)),
  )
  const outcomes = operations.flatMap((lane, index) =>
    lane.map((operation, place) => ({ operation, heard: claimed[index]?.[place] as Claimed })),
  )
  adopt(
    world.model,
    outcomes.filter(({ heard }) => heard === 'applied').map(({ operation }) => operation),
  )
  for (const { operation, heard } of outcomes) {
    assert(!heard.startsWith('broke'), `${heard}: ${show(operation)}`)
    const outcome = heard === 'applied' || heard === 'overloaded' ? undefined : (heard as LedgerOutcome)
    assert(isExplained(world.model, operation, outcome), `${heard} for no reason: ${show(operation)}`)
  }
  return claimed.flat()
}

const show = ({ movements }: Operation) =>
  JSON.stringify(movements, (_, value) => (typeof value === 'bigint' ? `${value}` : value))

/** Runs the phase while deltas are folded and the ledger is checked, then compares everything. */
async function runPhase(world: World, phase: Phase): Promise<Claimed[]> {
  let isOver = false
  const keepHouse = async () => {
    while (!isOver) {
      await foldDeltas(world.db.write)
      await checkLedger(world.db.write, { isFull: false, sealLines: [] })
    }
  }
  const traffic = (phase.writers === 1 ? runAlone(world, phase) : runTogether(world, phase)).finally(() => {
    isOver = true
  })
  const house = keepHouse()
  await Promise.allSettled([traffic, house]) // Neither may still run when the other has failed and the world is closed.
  const claimed = await traffic
  await house
  await compareAccounts(world)
  await compareTransfers(world)
  await compareStatements(world)
  for (const isFull of [true, false]) await checkLedger(world.db.write, { isFull, sealLines: [] })
  return claimed
}

/** Every counter matches the model, and per currency debits equal credits. */
async function compareAccounts({ db, model }: World): Promise<void> {
  const wallets = await db.write.query<Counters & { id: string; currency: string }>(sql`select * from wallets`)
  const stored = [...wallets, ...(await platformBalances(db.write))]
  assert.equal(stored.length, model.counters.size)
  for (const account of stored)
    for (const name of counterNames)
      assert.equal(account[name], model.counters.get(account.id)?.[name], `${name} of ${account.id}`)
  for (const [currency, some] of Map.groupBy(stored, (account) => account.currency)) {
    const sum = (name: keyof Counters) => some.reduce((total, account) => total + account[name], 0n)
    assert.equal(sum('debits_pending'), sum('credits_pending'), `pending ${currency}`)
    assert.equal(sum('debits_posted'), sum('credits_posted'), `posted ${currency}`)
  }
}

/** The books contain exactly the transfers that were applied: a refused operation leaves no row. */
async function compareTransfers({ db, model }: World): Promise<void> {
  const rows = await db.write.query<Move & { phase: number }>(sql`select * from transfers`)
  const [found, expected] = [new Set(rows.map(transferText)), transfersOf(model)]
  assert.deepEqual([...found.difference(expected)].slice(0, 3), [], 'transfers that no caller was notified of')
  assert.deepEqual([...expected.difference(found)].slice(0, 3), [], 'transfers that are missing')
}

interface Line {
  readonly wallet_id: string
  readonly entry_at: bigint
  readonly balance: bigint
  readonly change: bigint
}

/** Each line of a wallet's statement is later than the previous one, has the right balance, and is never negative. */
async function compareStatements({ db, model }: World): Promise<void> {
  const lines = await db.write.query<Line>(sql`
    select wallet_id, entry_at, balance, case wallet_id when credit_account then amount else -amount end as change
    from transfers
    where entry_at is not null
    order by wallet_id, entry_at`)
  for (const [wallet, some] of Map.groupBy(lines, ({ wallet_id }) => wallet_id)) {
    for (const [index, { entry_at, balance, change }] of some.entries()) {
      const before = some[index - 1] ?? { entry_at: 0n, balance: 0n }
      assert(entry_at > before.entry_at, `line ${index} of ${wallet} is not later than the one before`)
      assert.equal(balance, before.balance + change, `line ${index} of ${wallet}`)
      assert(balance >= 0n, `line ${index} of ${wallet} is overdrawn`)
    }
    const counters = model.counters.get(wallet)
    assert.equal(some.at(-1)?.balance, (counters?.credits_posted ?? 0n) - (counters?.debits_posted ?? 0n))
  }
}

test('the books hold exactly what one or two writers reported, to the last unit', async (t) => {
  const { operations, seed, isShort } = modelSettings()
  const claimed = new Map<string, number>()
  const codes = new Map<string, number>()
  const note = (counts: Map<string, number>, name: string, times = 1) =>
    counts.set(name, (counts.get(name) ?? 0) + times)
  const total = () => claimed.values().reduce((sum, count) => sum + count, 0)
  const run = async (all: readonly Phase[]) => {
    const world = await openWorld({ walletsPerCurrency: 4 })
    try {
      for (const phase of all) for (const each of await runPhase(world, phase)) note(claimed, each)
      for (const [code, count] of world.codes) note(codes, code, count)
    } finally {
      await world.close()
    }
  }

  for (let runs = 0; total() < operations; runs += 1) {
    const settings = {
      seed: seed + runs,
      numRuns: 1,
      unbiased: true,
      endOnFailure: isShort,
      interruptAfterTimeLimit: 240_000,
      markInterruptAsFailure: true,
    }
    await fc.assert(fc.asyncProperty(phases, run), settings)
  }

  t.diagnostic(`${total()} operations from seed ${seed}: ${notify(claimed)}; of the database: ${notify(codes)}`)
  for (const each of ['applied', 'insufficient_funds', 'hold_missing', 'hold_ended', 'number_used', 'key_refused'])
    assert((claimed.get(each) ?? 0) > 0, `nothing was answered ${each}, so that was not tried`)
  assert((codes.get('lost') ?? 0) > 0 && (codes.get('cut') ?? 0) > 0, 'no commit got lost, so that was not tried')
  assert.equal(codes.get('23514'), undefined, 'the database had to refuse a balance that a writer had let pass')
})

const notify = (counts: ReadonlyMap<string, number>) =>
  [...counts].map(([name, count]) => `${count} ${name}`).join(', ')

test('two writers that need the same wallets never deadlock', async (t) => {
  const world = await openWorld({ walletsPerCurrency: 600 })
  t.after(() => world.close())
  const wallets = [...world.model.wallets.keys()]
  const [treasury] = world.accounts.get('KES') ?? []
  assert(treasury)
  const fill = (id: string) => movement({ kind: 'transfer', debit_account: treasury, credit_account: id })

  for (const id of wallets.slice(0, 60))
    await Promise.all(world.writers.map((writer) => say(writer.submit({ wallets, movements: [fill(id)] }))))

  assert.equal(world.codes.get('40P01') ?? 0, 0, 'there were deadlocks')
})

test('when two writers end the same hold at once, exactly one succeeds', async (t) => {
  const world = await openWorld({ walletsPerCurrency: 1 })
  t.after(() => world.close())
  const [wallet] = [...world.model.wallets.keys()]
  const [treasury] = world.accounts.get('KES') ?? []
  assert(wallet && treasury)
  const hold = () => movement({ kind: 'hold', debit_account: treasury, credit_account: wallet })
  const holds = Array.from({ length: 30 }, hold)
  await world.writers[0].submit({ wallets: [wallet], movements: [hold()] })
  await Promise.all(holds.map((each) => world.writers[0].submit({ wallets: [wallet], movements: [each] })))

  for (const { transaction_id } of holds) {
    const endings = (['post', 'void'] as const).map((kind) => movement({ kind, transaction_id }))
    const claimed = await Promise.all(
      world.writers.map((writer, index) =>
        say(writer.submit({ wallets: [], movements: endings.slice(index, index + 1) })),
      ),
    )
    assert.deepEqual(claimed.sort(), ['applied', 'hold_ended'], 'not ended by exactly one')
  }

  await checkLedger(world.db.write, { isFull: true, sealLines: [] })
})

test('the check agrees with a batch that started first and wrote last', async (t) => {
  const world = await openWorld({ walletsPerCurrency: 1 })
  t.after(() => world.close())
  const [wallet] = [...world.model.wallets.keys()]
  const [treasury] = world.accounts.get('KES') ?? []
  assert(wallet && treasury)
  const fill = () => movement({ kind: 'transfer', debit_account: treasury, credit_account: wallet })

  await world.db.write.batch(1000, async (tx) => {
    await world.writers[0].submit({ wallets: [wallet], movements: [fill()] })
    const books = await openBooks(tx, createWriter(), [], [wallet])
    books.apply([fill()])
    await books.write()
  })

  assert.equal((await checkLedger(world.db.write, { isFull: true, sealLines: [] })).batches, 2)
})
