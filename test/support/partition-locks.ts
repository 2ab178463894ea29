import type { TestContext } from 'node:test'
import { testDatabase } from '../../packages/server/src/dev-stack/servers.ts'
import { withClient } from '../../packages/server/src/dev-stack/statements.ts'
import { arrayLiteral } from '../../packages/server/src/platform/array-literal.ts'
import { type Database, type Owner, type Query, sql, type Tx } from '../../packages/server/src/platform/db.ts'
import type { IdRange } from '../../packages/server/src/platform/months.ts'
import { ownerStatements, type ReadKind } from '../../packages/server/src/platform/owned-query.ts'

/** How many months of a table a statement locked. */
interface MonthsLocked {
  readonly statement: string
  readonly table: string
  readonly months: number
}

interface LocksSeen {
  /** Forgets what was locked before. */
  restart(): void
  /** Statements that locked more than this many months of a table, each once and by the most. */
  above(months: number): readonly MonthsLocked[]
}

export interface LockWatch {
  readonly reads: LocksSeen
  readonly writes: LocksSeen
}

type Client = Parameters<Parameters<typeof withClient>[1]>[0]
type Locks = ReadonlyMap<string, number>

const locks = `
  select parent.relname as table, count(distinct month.oid)::int as months
  from pg_locks l
  join pg_inherits i on i.inhrelid = l.relation
  join pg_class parent on parent.oid = i.inhparent
  join pg_class month on month.oid = l.relation and month.relkind = 'r' and month.relname ~ '_[0-9]{6}$'
  where l.pid = pg_backend_pid()
  group by 1`

/**
 * Notes how many months each statement of a database locks, from now to the end of the test. PostgreSQL holds the locks until the end
 * of the transaction, so they are counted there. All reads use one connection, so that it soon keeps its plans.
 */
export async function watchLocks(t: TestContext, { read, write }: Database): Promise<LockWatch> {
  const [reads, writes] = [noteLocks(), noteLocks()]
  const counted = <Some extends Tx>(tx: Some): Some => {
    let before: Promise<Locks> = Promise.resolve(new Map())
    return {
      ...tx,
      query: async (query: Query) => {
        const rows = tx.query(query)
        const [earlier, after] = [before, locksIn(tx)]
        before = after
        const result = await rows
        writes.note(query, await after, await earlier)
        return result
      },
    } as Some
  }
  const client = await connect(t)
  let last: Promise<unknown> = Promise.resolve()
  const readAs = <Row>(kind: ReadKind, owner: Owner, query: Query): Promise<Row[]> => {
    const rows = last.then(() => readOn(client, kind, owner, query, (after) => reads.note(query, after)))
    last = rows.catch(() => undefined)
    return rows as Promise<Row[]>
  }
  Object.assign(read, {
    query: (owner: Owner, query: Query) => readAs('query', owner, query),
    find: (owner: Owner, query: Query) => readAs('find', owner, query),
    walk: (owner: Owner, query: Query) => readAs('walk', owner, query),
    within: (owner: Owner, { plan }: IdRange, query: Query) =>
      readAs(plan === 'kept' ? 'follow' : 'walk', owner, query),
  })
  const { transaction, batch } = write
  Object.assign(write, {
    query: (query: Query) => transaction((tx) => counted(tx).query(query)),
    transaction: <Result>(work: (tx: Tx) => Promise<Result>) => transaction((tx) => work(counted(tx))),
    batch: <Result>(lockTimeoutMs: number, work: Parameters<typeof batch<Result>>[1]) =>
      batch(lockTimeoutMs, (tx) => work(counted(tx))),
  })
  return { reads, writes }
}

function noteLocks() {
  const most = new Map<string, MonthsLocked>()
  return {
    note: ({ text }: Query, after: Locks, before: Locks = new Map()) => {
      for (const [table, count] of after) {
        const months = count - (before.get(table) ?? 0)
        const statement = text.replaceAll(/\s+/g, ' ').trim()
        const known = most.get(`${table} ${statement}`)
        if (months > (known?.months ?? 0)) most.set(`${table} ${statement}`, { statement, table, months })
      }
    },
    restart: () => most.clear(),
    above: (months: number) => [...most.values()].filter((each) => each.months > months),
  }
}

async function locksIn(tx: Tx): Promise<Locks> {
  const rows = await tx.query<{ table: string; months: number }>({ ...sql``, text: locks, name: 'locks' })
  return new Map(rows.map(({ table, months }) => [table, months]))
}

/** A connection with the settings of those that read, open until the test ends. */
async function connect(t: TestContext): Promise<Client> {
  const { loginUrl } = await testDatabase()
  const ended = Promise.withResolvers<void>()
  const connected = Promise.withResolvers<Client>()
  const closed = withClient(loginUrl, async (client) => {
    await client.query('set role malipo_read; set seq_page_cost = 100; set jit = off')
    client.setTypeParser(20, BigInt)
    connected.resolve(client)
    await ended.promise
  })
  closed.catch(connected.reject)
  t.after(async () => {
    ended.resolve()
    await closed
  })
  return connected.promise
}

async function readOn(
  client: Client,
  kind: ReadKind,
  { merchant_id, env }: Owner,
  { name, text, values }: Query,
  note: (locked: Locks) => void,
): Promise<unknown[]> {
  await client.query('begin')
  try {
    await client.query({ ...ownerStatements[kind], values: [merchant_id, env] })
    const bound = values.map((value) => (Array.isArray(value) ? arrayLiteral(value) : value))
    const { rows } = await client.query({ name, text, values: bound })
    const locked = await client.query<{ table: string; months: number }>(locks)
    note(new Map(locked.rows.map(({ table, months }) => [table, months])))
    return rows
  } finally {
    await client.query('rollback')
  }
}
