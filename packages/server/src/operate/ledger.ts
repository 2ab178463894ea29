import { isDeepStrictEqual } from 'node:util'
import { AuditDisagreement } from '../audit/faults.ts'
import { verifyAudit } from '../audit/verify.ts'
import { archivedMonthOf, archivedMonths } from '../ledger/archive/archived-months.ts'
import { ArchiveChanged } from '../ledger/archive/manifest.ts'
import { type CheckResult, checkLedger, type Progress } from '../ledger/check/check.ts'
import { CheckOvertaken, LedgerDisagreement } from '../ledger/check/disagreement.ts'
import { drawTransaction } from '../ledger/draw.ts'
import { isCurrency } from '../money/currencies.ts'
import { formatMinor } from '../money/money.ts'
import { recordCommand } from '../platform/command-results.ts'
import type { Db } from '../platform/db.ts'
import { readId } from '../platform/ids.ts'
import { withArchive, withSession } from './archive.ts'
import { type OperatorContext, OperatorError } from './operator-context.ts'
import { mayReadPayment } from './payment-summaries.ts'
import { readSealLines } from './seal-file.ts'
import { type CaseView, listCases } from './suspense.ts'

export interface CheckOrder {
  readonly isFull: boolean
  /** The file that keeps the seals outside the database; undefined when it is not kept here. */
  readonly sealsPath: string | undefined
  /** The folder with the files of archived months. A full check needs it once a month is archived. */
  readonly archive?: string
  /** Continues the full check that was interrupted, after its last piece. */
  readonly isResumed?: boolean
  readonly onPiece?: (progress: Progress) => void
}

/**
 * Throws at the first difference. The result is recorded for the metrics; a check that could not run is not recorded. A full check
 * counts as an ordinary one too, and a difference that it found stays until the next full check.
 */
export async function check(context: OperatorContext, order: CheckOrder): Promise<CheckReport> {
  // A check counts all the same if its result cannot be recorded.
  const record = async (isGood: boolean, detail = '') => {
    const names = order.isFull ? (['ledger_check', 'ledger_check_full'] as const) : (['ledger_check'] as const)
    try {
      for (const name of names) await recordCommand(context.db.write, { name, isGood, detail })
    } catch (err) {
      context.resolving.log.warn({ err }, 'result of the ledger check not recorded')
    }
  }
  try {
    const report = await compare(context, order)
    await record(true)
    return report
  } catch (error) {
    if (isDifference(error)) await record(false, error.message)
    throw error
  }
}

const isDifference = (error: unknown): error is Error =>
  error instanceof LedgerDisagreement || error instanceof AuditDisagreement || error instanceof ArchiveChanged

async function compare(context: OperatorContext, order: CheckOrder): Promise<CheckReport> {
  const { isFull, sealsPath, archive, isResumed = false, onPiece } = order
  const sealLines = await readSealLines(context.db.write, sealsPath)
  const run = isResumed ? ('resumed' as const) : ('kept' as const)
  const options = { isFull, run, isGentle: !isFull, sealLines, ...(onPiece && { onPiece }) }
  const { suspense, ...checked } = await whileArchived(context.db.write, () =>
    archive === undefined
      ? withSession(context, (db) => checkLedger(db, options))
      : withArchive(context, archive, (db) => checkLedger(db, { ...options, hasArchive: true })),
  )
  const audit = await verifyAudit(context.db.write, { isFull, sealLines })
  if (audit.faultCount > 0) throw new AuditDisagreement(audit.faults, audit.faultCount)
  const cases = await listCases(context, { limit: casesMax })
  return {
    ...checked,
    auditEntries: audit.entries,
    suspense: suspense.map(({ env, currency, amount }) => `${shown(amount, currency)} in ${env}`),
    cases,
  }
}

/** A month that moves between table and file during a check makes it miss or repeat transfers: the ledger is not wrong. */
async function whileArchived<Result>(db: Db, work: () => Promise<Result>): Promise<Result> {
  const before = await archivedMonths(db)
  try {
    return await work()
  } catch (error) {
    if (!isDifference(error) || isDeepStrictEqual(before, await archivedMonths(db))) throw error
    throw new CheckOvertaken('a month was archived or restored during the check; run it again')
  }
}

/** The report lists at most this many cases, oldest first. */
const casesMax = 100

/** The result of a check, with readable amounts. */
export type CheckReport = Omit<CheckResult, 'suspense'> & {
  readonly suspense: readonly string[]
  /** Entries of the audit trail that were verified. */
  readonly auditEntries: number
  /** Open cases about money in suspense. */
  readonly cases: readonly CaseView[]
}

/** Draws the ledger entries of one payment. */
export async function show(context: OperatorContext, shownId: string): Promise<string> {
  const id = readId('transaction', shownId)
  if (id === undefined) throw new OperatorError(`${shownId} is not a transaction id; they look like txn_0193…`)
  const mayRead = await mayReadPayment(context, 'ledger:read', id)
  const month = mayRead ? await archivedMonthOf(context.db.write, id) : undefined
  if (month !== undefined)
    throw new OperatorError(
      `the transfers of ${shownId} may be archived with its month ${month}: run malipo archive read`,
    )
  const drawing = mayRead ? await drawTransaction(context.db.write, id) : undefined
  if (drawing === undefined) throw new OperatorError(`the ledger has no transfers for ${shownId}`)
  return drawing
}

const shown = (amount: bigint, currency: string) =>
  `${isCurrency(currency) ? formatMinor(amount, currency) : amount} ${currency}`
