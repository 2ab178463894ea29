/** Executes captured statements again, as the product's roles with its settings, and measures each on the plan that it settles on. */
import pg from 'pg'
import { memoryOf } from '../processes.ts'
import type { Execution } from './capture.ts'

/** A connection prefers one plan for all values after five executions, if that plan looks no worse. */
const customPlans = 5

export interface Figures {
  /** Partitions that an execution reads or writes, and those in its plan. */
  readonly executed: number
  readonly planned: number
  /** Relations that a transaction with only this statement locks: planned for the first time, and on the settled plan. */
  readonly locksFirst: number
  readonly locks: number
  readonly planMs: number
  readonly executeMs: number
  /** Why it could not be executed; its plan is measured all the same. */
  readonly refusal?: string
}

export interface ReplayOptions {
  /** The superuser's URL. */
  readonly url: string
  /** At least six, to settle. */
  readonly runs: number
  /**
   * Only the plan for all values, where the product does not choose another: which plan a connection settles on depends on the
   * statistics of the moment.
   */
  readonly isForAllValues?: boolean
}

interface Explained {
  readonly Plan: PlanNode
  readonly 'Planning Time'?: number
  readonly 'Execution Time'?: number
}

interface PlanNode {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Actual Loops'?: number
  readonly 'Subplans Removed'?: number
  readonly Plans?: readonly PlanNode[]
}

/** Statements that create what others of the same session read. */
const createsTemporary = /^\s*create temp/i
const isExplainable = /^\s*(select|insert|update|delete|with|values|merge)\b/i

/** Figures of every statement, by its text. The largest counts, when several executions of it were captured. */
export async function replayAll(
  executions: readonly Execution[],
  options: ReplayOptions,
): Promise<ReadonlyMap<string, Figures>> {
  const client = await connect(options.url)
  try {
    const { rows } = await client.query<{ name: string }>(
      `select c.relname as name from pg_class c where c.relispartition and c.relkind = 'r'`,
    )
    const partitions = new Set(rows.map(({ name }) => name))
    const setup = executions.filter(({ text }) => createsTemporary.test(text)).map(({ text }) => text)
    const figures = new Map<string, Figures>()
    for (const execution of executions.filter(({ text }) => isExplainable.test(text))) {
      const order = { ...options, partitions, setup: [] }
      const measured = await replay(client, execution, order)
        .catch((error: Error) => {
          if (!isMissingTable(error)) throw error
          return replay(client, execution, { ...order, setup })
        })
        .catch((error: Error): Figures => ({ ...nothing, refusal: error.message }))
      const before = figures.get(execution.text)
      if (before === undefined || isLarger(measured, before)) figures.set(execution.text, measured)
    }
    return figures
  } finally {
    await client.end()
  }
}

/** Of a statement that cannot even be planned as its role. */
const nothing = { executed: 0, planned: 0, locksFirst: 0, locks: 0, planMs: 0, executeMs: 0 }

const isMissingTable = (error: Error & { code?: string }) => error.code === '42P01'

function isLarger(one: Figures, other: Figures): boolean {
  const size = ({ refusal, executed, locks, executeMs }: Figures) =>
    [refusal === undefined ? 1 : 0, executed, locks, executeMs] as const
  const [left, right] = [size(one), size(other)]
  const differing = left.findIndex((value, index) => value !== right[index])
  return differing >= 0 && (left[differing] ?? 0) > (right[differing] ?? 0)
}

/** By name: a statement may have several texts, because the bounds of recent months are part of a text. The largest figures count. */
export function byName(
  figures: ReadonlyMap<string, Figures>,
  names: ReadonlyMap<string, string>,
): ReadonlyMap<string, Figures> {
  const found = new Map<string, Figures>()
  for (const [text, each] of figures) {
    const name = names.get(text) ?? text
    const before = found.get(name)
    found.set(name, before ? larger(before, each) : each)
  }
  return found
}

function larger(one: Figures, other: Figures): Figures {
  const most = (figure: 'executed' | 'planned' | 'locksFirst' | 'locks') => Math.max(one[figure], other[figure])
  const counts = {
    executed: most('executed'),
    planned: most('planned'),
    locksFirst: most('locksFirst'),
    locks: most('locks'),
  }
  return { ...(isLarger(one, other) ? one : other), ...counts }
}

/** With the settings of platform/connections.ts that change plans. */
async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, options: '-c seq_page_cost=100 -c jit=off' })
  await client.connect()
  await client.query(`set statement_timeout = '60s'`)
  return client
}

interface Order extends ReplayOptions {
  readonly partitions: ReadonlySet<string>
  readonly setup: readonly string[]
}

async function replay(client: pg.Client, execution: Execution, order: Order): Promise<Figures> {
  try {
    return await measure(client, execution, order, 'explain (analyze, timing off, format json)')
  } catch (error) {
    const { code = '', message } = error as Error & { code?: string }
    if (isMissingTable(error as Error)) throw error
    const figures = await measure(client, execution, order, 'explain (format json)')
    return { ...figures, refusal: `${code} ${message}` }
  }
}

/** In a transaction that is rolled back, each execution in a savepoint of its own. */
async function measure(client: pg.Client, execution: Execution, order: Order, explain: string): Promise<Figures> {
  const { text, values, role, owner } = execution
  await client.query('begin')
  try {
    for (const each of order.setup) await client.query(each)
    await client.query(`set local role ${role === 'malipo_read' ? 'malipo_read' : 'malipo_write'}`)
    if (order.isForAllValues) await client.query('set local plan_cache_mode = force_generic_plan')
    if (owner) await client.query(owner.text, [...owner.values])
    await client.query(`prepare replayed as ${text}`)
    const once = `${explain} execute replayed${listOf(values)}`
    const first = await runOnce(client, once)
    let last = first
    const plans: number[] = []
    const executions: number[] = []
    for (let run = 1; run < order.runs; run += 1) {
      last = await runOnce(client, once)
      if (run <= customPlans) continue
      plans.push(last.explained['Planning Time'] ?? 0)
      executions.push(last.explained['Execution Time'] ?? 0)
    }
    return {
      ...countPartitions(last.explained.Plan, order.partitions),
      ...{ locksFirst: first.locks, locks: last.locks, planMs: middle(plans), executeMs: middle(executions) },
    }
  } finally {
    await client.query('rollback')
    await client.query('deallocate all')
  }
}

/** In one round trip. The transaction itself locks none of the relations that are counted. */
async function runOnce(client: pg.Client, statement: string): Promise<{ explained: Explained; locks: number }> {
  const results = (await client.query(
    `savepoint run; ${statement}; ${lockCount}; rollback to run`,
  )) as unknown as pg.QueryResult[]
  const [, plans, locks] = results.map(({ rows }) => rows[0] as unknown)
  const [explained] = (plans as { 'QUERY PLAN': Explained[] })['QUERY PLAN']
  if (!explained) throw new Error(`no plan of ${statement}`)
  return { explained, locks: (locks as { count: number }).count }
}

/** Relations that are not the system's. */
const lockCount = `
  select count(distinct relation)::int as count
  from pg_locks where pid = pg_backend_pid() and locktype = 'relation' and relation >= 16384`

function countPartitions(plan: PlanNode, partitions: ReadonlySet<string>): Pick<Figures, 'executed' | 'planned'> {
  const executed = new Set<string>()
  const planned = new Set<string>()
  let removed = 0
  const visit = (node: PlanNode) => {
    const name = node['Relation Name']
    removed += node['Subplans Removed'] ?? 0
    if (name !== undefined && partitions.has(name)) {
      planned.add(name)
      if ((node['Actual Loops'] ?? 0) > 0) executed.add(name)
    }
    node.Plans?.forEach(visit)
  }
  visit(plan)
  return { executed: executed.size, planned: planned.size + removed }
}

function middle(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? 0
}

/** Private memory of a connection that has planned every statement of a role as often as it takes to settle, in MiB. */
export async function memoryAfterAll(
  executions: readonly Execution[],
  role: Execution['role'],
  url: string,
): Promise<number> {
  const client = await connect(url)
  try {
    const texts = new Map(executions.filter((each) => each.role === role).map((each) => [each.text, each]))
    for (const [index, { text, values, owner }] of [...texts.values()].entries()) {
      if (!isExplainable.test(text)) continue
      const planned = `explain execute kept_${index}${listOf(values)}`
      await client.query(`begin; set local role ${role}`)
      if (owner) await client.query(owner.text, [...owner.values])
      try {
        await client.query(`prepare kept_${index} as ${text}`)
        await client.query(Array.from({ length: customPlans + 2 }, () => planned).join('; '))
        await client.query('commit')
      } catch {
        await client.query('rollback') // It reads a temporary table of another statement.
      }
    }
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
    return memoryOf(rows[0]?.pid ?? 0).ownMiB
  } finally {
    await client.end()
  }
}

function listOf(values: Execution['values']): string {
  const list = values.map((value) => (value === null ? 'null' : pg.escapeLiteral(value))).join(', ')
  return list === '' ? '' : `(${list})`
}
