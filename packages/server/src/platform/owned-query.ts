import pg from 'pg'

/** The owner of the rows that a read may see, as the values of {@link ownerStatements}. */
type OwnerValues = readonly [merchantId: string, environment: string]

const naming = `select set_config('malipo.merchant', $1, true), set_config('malipo.environment', $2, true)`

/** A plan that reads along an index in its order: with a sort it would read all rows of a filter before the first. */
const alongAnIndex = `set_config('enable_sort', 'off', true), set_config('enable_bitmapscan', 'off', true), set_config('jit', 'off', true)`
const oneForAllValues = `set_config('plan_cache_mode', 'force_generic_plan', true)`
const forTheseValues = `set_config('plan_cache_mode', 'force_custom_plan', true)`

/** Each sets the owner for its transaction, and how its read is planned. Every reading connection prepares them before its first read. */
export const ownerStatements = {
  query: { name: 'owner', text: naming },
  find: { name: 'owner-of-key', text: `${naming}, ${oneForAllValues}` },
  walk: { name: 'owner-of-walk', text: `${naming}, ${forTheseValues}, ${alongAnIndex}` },
  follow: { name: 'owner-of-range', text: `${naming}, ${oneForAllValues}, ${alongAnIndex}` },
} as const

export type ReadKind = keyof typeof ownerStatements

/** The part of the driver's query that this code builds on; the driver's types leave it out. */
interface DriverQuery {
  submit(connection: pg.Connection): unknown
  handleDataRow(message: unknown): void
  handleCommandComplete(message: unknown, connection: pg.Connection): void
}

type Callback = (error: Error | undefined, result: pg.QueryResult) => void
type DriverQueryClass = new (config: pg.QueryConfig, callback: Callback) => DriverQuery

/**
 * A read that sets its owner first. Both leave in one write and, because the sync message follows only the second, run in one
 * transaction: the owner ends with the read, and no connection ever carries one over. Begin, set, read and commit as four
 * pipelined statements do the same, but slower: GET /users then reached 0.45 of a bare route's rate, and 0.54 this way.
 */
class OwnedQuery extends (pg.Query as unknown as DriverQueryClass) {
  readonly #naming: string
  readonly #owner: OwnerValues
  #isOwnerNamed: boolean = false

  constructor(kind: ReadKind, owner: OwnerValues, config: pg.QueryConfig, callback: Callback) {
    super(config, callback)
    this.#naming = ownerStatements[kind].name
    this.#owner = owner
  }

  override submit(connection: pg.Connection): unknown {
    connection.stream.cork()
    try {
      connection.bind({ statement: this.#naming, values: [...this.#owner] }, true)
      connection.execute({}, true)
      return super.submit(connection)
    } finally {
      connection.stream.uncork()
    }
  }

  override handleDataRow(message: unknown): void {
    if (this.#isOwnerNamed) super.handleDataRow(message)
  }

  override handleCommandComplete(message: unknown, connection: pg.Connection): void {
    if (this.#isOwnerNamed) super.handleCommandComplete(message, connection)
    this.#isOwnerNamed = true
  }
}

/** Reads as the owner on a connection that has prepared {@link ownerStatements}. */
export function queryAs(
  client: pg.ClientBase,
  kind: ReadKind,
  owner: OwnerValues,
  config: pg.QueryConfig,
): Promise<pg.QueryResult> {
  return new Promise((resolve, reject) => {
    const callback: Callback = (error, result) => (error ? reject(error) : resolve(result))
    client.query(new OwnedQuery(kind, owner, config, callback) as unknown as pg.Submittable)
  })
}
