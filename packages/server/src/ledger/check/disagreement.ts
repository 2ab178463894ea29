import type { Db } from '../../platform/db.ts'
import type { Counters } from '../accounts.ts'

/** The ledger contradicts itself. */
export class LedgerDisagreement extends Error {
  override readonly name = 'LedgerDisagreement'
}

/** Another check continued from the same checkpoint meanwhile. The ledger is not wrong. */
export class CheckOvertaken extends Error {
  override readonly name = 'CheckOvertaken'
}

/** Counters computed from transfers, for everything below a batch. */
export interface Shadow {
  checkedBelow(): bigint
  counters(db: Db, accountIds: readonly string[]): Promise<ReadonlyMap<string, Counters>>
  /** Accounts that transfers name and that do not exist. */
  orphans(db: Db): Promise<readonly string[]>
}

/** A month of transfers is archived, so not everything can be added up. The ledger is not wrong. */
export class MonthArchived extends Error {
  override readonly name = 'MonthArchived'
}

/** What an interrupted full check kept does not fit these books or this archive. The ledger is not wrong. */
export class CheckNotResumable extends Error {
  override readonly name = 'CheckNotResumable'
}
