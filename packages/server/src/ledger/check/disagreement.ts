import type { Db } from '../../platform/db.ts'
import type { Counters } from '../accounts.ts'

/** Something in the ledger that is not as it must be. */
export class LedgerDisagreement extends Error {
  override readonly name = 'LedgerDisagreement'
}

/** Another check went on from the same checkpoint meanwhile. Nothing is wrong with the ledger. */
export class CheckOvertaken extends Error {
  override readonly name = 'CheckOvertaken'
}

/** Counters found by adding up transfers, for everything below a batch. */
export interface Shadow {
  checkedBelow(): bigint
  counters(db: Db, accountIds: readonly string[]): Promise<ReadonlyMap<string, Counters>>
  /** Accounts that transfers name and that are nowhere. */
  orphans(db: Db): Promise<readonly string[]>
}

/** A month of transfers is archived, so that not everything can be added up. Nothing is wrong with the ledger. */
export class MonthArchived extends Error {
  override readonly name = 'MonthArchived'
}
