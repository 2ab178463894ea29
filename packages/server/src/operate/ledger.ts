import { existsSync, readFileSync } from 'node:fs'
import { type CheckResult, checkLedger } from '../ledger/check/check.ts'
import { drawTransaction } from '../ledger/draw.ts'
import { isCurrency } from '../money/currencies.ts'
import { formatMinor } from '../money/money.ts'
import { readId } from '../platform/ids.ts'
import { type Desk, OperatorError } from './operator-context.ts'
import { type CaseView, listCases } from './suspense.ts'

export interface CheckOrder {
  readonly isFull: boolean
  /** The file that keeps the seals outside the database; none when it is not kept here. */
  readonly sealsPath: string | undefined
  readonly onPiece?: (progress: { readonly transfers: number }) => void
}

/** Throws at the first disagreement. */
export async function check(desk: Desk, { isFull, sealsPath, onPiece }: CheckOrder): Promise<CheckReport> {
  const isKept = sealsPath !== undefined && existsSync(sealsPath)
  const sealLines = isKept ? readFileSync(sealsPath, 'utf8').split('\n') : []
  const { suspense, ...checked } = await checkLedger(desk.db.write, {
    isFull,
    isGentle: !isFull,
    sealLines,
    ...(onPiece && { onPiece }),
  })
  const cases = await listCases(desk, { limit: casesMax })
  return {
    ...checked,
    suspense: suspense.map(({ env, currency, amount }) => `${shown(amount, currency)} in ${env}`),
    cases,
  }
}

/** At most this many cases are reported, the oldest first. */
const casesMax = 100

/** What was checked, with amounts as people read them. */
export type CheckReport = Omit<CheckResult, 'suspense'> & {
  readonly suspense: readonly string[]
  /** Open cases about money in suspense. */
  readonly cases: readonly CaseView[]
}

/** One payment's entries, drawn. */
export async function show(desk: Desk, shownId: string): Promise<string> {
  const id = readId('transaction', shownId)
  if (id === undefined) throw new OperatorError(`${shownId} is no transaction id; they look like txn_0193…`)
  const drawing = await drawTransaction(desk.db.write, id)
  if (drawing === undefined) throw new OperatorError(`the ledger has nothing of ${shownId}`)
  return drawing
}

const shown = (amount: bigint, currency: string) =>
  `${isCurrency(currency) ? formatMinor(amount, currency) : amount} ${currency}`
