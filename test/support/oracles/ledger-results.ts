import { type Counters, counterNames } from '../../../packages/server/src/ledger/accounts.ts'
import type { Movement } from '../../../packages/server/src/ledger/books.ts'
import type { Transfer } from '../../../packages/server/src/ledger/chain.ts'
import { platformBalances } from '../../../packages/server/src/ledger/deltas.ts'
import { type Db, sql } from '../../../packages/server/src/platform/db.ts'
import { type PostingRequest, proofEvent } from '../load/customers.ts'

export interface Comparison {
  /** Wrong results, and transfers without a request. */
  readonly mismatches: readonly string[]
  readonly counts: Readonly<Record<string, number>>
}

type Rows = ReadonlyMap<string, Transfer>

interface Compared extends PostingRequest {
  readonly keys: readonly string[]
  /** All of it is in the ledger, as requested. */
  readonly isThere: boolean
  readonly isTrue: boolean
}

/** Compares the results that customers got with the ledger. */
export function compareResults(record: readonly PostingRequest[], transfers: readonly Transfer[]): Comparison {
  const rows = new Map(transfers.filter(({ event }) => event === proofEvent).map((row) => [keyOf(row), row]))
  const resolved = record.map((asked) => compare(asked, rows))
  const applied = resolved.filter(({ result }) => result === 'applied').flatMap(({ keys }) => keys)
  const isApplied = new Set(applied)
  const isOpen = ({ result, isRepeated }: PostingRequest) => result === 'overloaded' || isRepeated
  const isSecretly = ({ keys, isThere }: Compared) => isThere && !keys.some((key) => isApplied.has(key))
  const claimed = new Set([
    ...applied,
    ...resolved.filter(isOpen).flatMap(({ keys, isThere }) => (isThere ? keys : [])),
  ])
  const headings = resolved.map((each) => {
    const note = isSecretly(each) ? 'in the ledger' : 'not in the ledger'
    return each.result === 'overloaded'
      ? `overloaded and ${note}`
      : `${each.result}${each.isRepeated ? ' after a retry' : ''}`
  })
  return {
    mismatches: [
      ...resolved
        .filter(({ isTrue }) => !isTrue)
        .map(({ result, keys }) => `${keys} was reported as ${result}, but the ledger differs`),
      ...(applied.length === isApplied.size ? [] : ['a posting was applied twice']),
      ...[...rows.keys()].filter((key) => !claimed.has(key)).map((key) => `no customer requested ${key}`),
    ],
    counts: Object.fromEntries([...Map.groupBy(headings, String)].map(([name, all]) => [name, all.length])),
  }
}

function compare(asked: PostingRequest, rows: Rows): Compared {
  const { movements } = asked.posting
  const keys = movements.map(keyOf)
  const found = movements.filter((movement) => isIn(rows, movement)).length
  const isThere = found === movements.length
  const isTaken = keys.some((key) => rows.has(key))
  return { ...asked, keys, isThere, isTrue: isTrueResult(asked, { isThere, isTaken, isPart: found > 0 && !isThere }) }
}

interface Found {
  readonly isThere: boolean
  readonly isPart: boolean
  /** Its place is taken, by itself or by another. */
  readonly isTaken: boolean
}

function isTrueResult({ result }: PostingRequest, { isThere, isPart, isTaken }: Found): boolean {
  if (result === 'applied') return isThere
  if (result === 'overloaded') return !isPart
  if (result === 'duplicate' || result === 'number_used' || result === 'hold_ended') return isTaken && !isPart
  return result !== undefined && !isTaken
}

const phaseOf = ({ kind }: Pick<Movement, 'kind'>) => (kind === 'post' || kind === 'void' ? 1 : 0)
const keyOf = (movement: Pick<Movement, 'kind' | 'transaction_id' | 'number'>) =>
  `${movement.transaction_id} ${movement.number} ${phaseOf(movement)}`

function isIn(rows: Rows, movement: Movement): boolean {
  const row = rows.get(keyOf(movement))
  if (row?.kind !== movement.kind) return false
  if (!('amount' in movement)) return true
  const { debit_account, credit_account, amount } = movement
  return row.debit_account === debit_account && row.credit_account === credit_account && row.amount === amount
}

/** Accounts whose counters differ from the sum of their transfers, computed without the ledger's own arithmetic. */
export async function wrongCounters(db: Db, transfers: readonly Transfer[]): Promise<string[]> {
  const wallets = await db.query<Counters & { id: string }>(sql`select * from wallets`)
  const sums = sumsOf(transfers)
  const stored = [...wallets, ...(await platformBalances(db))]
  const unknown = [...sums.keys()].filter((id) => !stored.some((account) => account.id === id))
  return [
    ...unknown,
    ...stored.filter((account) => counterNames.some((name) => account[name] !== (sums.get(account.id)?.[name] ?? 0n))),
  ].map((wrong) => (typeof wrong === 'string' ? wrong : wrong.id))
}

function sumsOf(transfers: readonly Transfer[]): Map<string, Counters> {
  const sums = new Map<string, Counters>()
  const add = (account: string, name: keyof Counters, amount: bigint) => {
    const known = sums.get(account) ?? {
      debits_pending: 0n,
      debits_posted: 0n,
      credits_pending: 0n,
      credits_posted: 0n,
    }
    known[name] += amount
    sums.set(account, known)
  }
  for (const { kind, debit_account, credit_account, amount } of transfers) {
    const pending = { hold: amount, post: -amount, void: -amount, transfer: 0n }[kind]
    const posted = kind === 'post' || kind === 'transfer' ? amount : 0n
    add(debit_account, 'debits_pending', pending)
    add(debit_account, 'debits_posted', posted)
    add(credit_account, 'credits_pending', pending)
    add(credit_account, 'credits_posted', posted)
  }
  return sums
}

export function readTransfers(db: Db): Promise<Transfer[]> {
  return db.query<Transfer>(sql`select * from transfers`)
}

/** Counts in one line, for the final diagnostic. */
export function show(counts: object): string {
  return Object.entries(counts)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ')
}
