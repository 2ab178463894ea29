import { isCurrency } from '../money/currencies.ts'
import { formatMinor } from '../money/money.ts'
import { type Db, sql } from '../platform/db.ts'
import { showId } from '../platform/ids.ts'
import { monthsOf } from '../platform/months.ts'

/** An entry with its accounts by name. */
export interface Drawn {
  readonly number: number
  readonly kind: 'hold' | 'post' | 'void' | 'transfer'
  readonly event: string
  readonly amount: bigint
  readonly currency: string
  readonly debit: string
  readonly credit: string
  readonly at: bigint
}

/** The entries of one transaction in posting order, each an arrow from debit to credit, and their sum. */
export async function drawTransaction(db: Db, transactionId: string): Promise<string | undefined> {
  const rows = await drawnEntries(db, transactionId)
  return rows.length === 0 ? undefined : drawEntries(transactionId, rows)
}

export function drawnEntries(db: Db, transactionId: string): Promise<Drawn[]> {
  const months = monthsOf([transactionId])
  return db.query<Drawn>(sql`
    select t.number, t.kind, t.event, t.amount, t.currency, b.at, named.debit, named.credit
    from transfers t
    join ledger_batches b using (batch)
    cross join lateral (select name_of_account(t.debit_account) as debit, name_of_account(t.credit_account) as credit) named
    where t.transaction_id = ${transactionId}
      and t.transaction_id >= ${months.from}
      and t.transaction_id < ${months.below}
    order by t.batch, t.position`)
}

export function drawEntries(transactionId: string, rows: readonly Drawn[]): string {
  const width = Math.max(...rows.map(({ debit }) => debit.length))
  const lines = rows.map((row, index) => [...headingOf(row, rows[index - 1]), lineOf(row, width)].join('\n'))
  return [showId('transaction', transactionId), ...lines, '', sumOf(rows)].join('\n')
}

/** The event and its time, above its first entry. */
function headingOf({ event, at }: Drawn, before: Drawn | undefined): string[] {
  if (before?.event === event && before.at === at) return []
  const time = new Date(Number(at / 1000n)).toISOString().replace('T', ' ').replace('Z', ' UTC')
  return ['', `${time}  ${event.replaceAll('_', ' ')}`]
}

const arrows = { hold: ['╌╌', '╌╌▷'], post: ['──', '──▶'], void: ['╌╌', '╌╌✕'], transfer: ['──', '──▶'] } as const
const words = { hold: 'reserved', post: 'reserved, then posted', void: 'reservation released', transfer: '' } as const

function lineOf({ number, kind, debit, credit, amount, currency }: Drawn, width: number): string {
  const [tail, head] = arrows[kind]
  const note = words[kind] === '' ? '' : `  (${words[kind]})`
  return `  ${String(number).padStart(3)}  ${debit.padEnd(width)} ${tail} ${money(amount, currency)} ${head} ${credit}${note}`
}

/** Debits and credits of money that moved permanently, per currency: they are equal, because every entry has both. */
export function sumsOf(rows: readonly Drawn[]): { currency: string; debits: bigint; credits: bigint }[] {
  const moved = rows.filter(({ kind }) => kind === 'post' || kind === 'transfer')
  return [...Map.groupBy(moved, ({ currency }) => currency)].map(([currency, some]) => {
    const sum = some.reduce((total, { amount }) => total + amount, 0n)
    return { currency, debits: sum, credits: sum }
  })
}

function sumOf(rows: readonly Drawn[]): string {
  const posted = sumsOf(rows)
  if (posted.length === 0) return 'Nothing is posted.'
  const sums = posted.map(({ currency, debits }) => money(debits, currency))
  return `Posted: debits ${sums.join(' and ')}, credits the same.`
}

const money = (amount: bigint, currency: string) =>
  `${isCurrency(currency) ? formatMinor(amount, currency) : amount} ${currency}`
