import type { Core } from './core.ts'
import { isEnd, type Payment, type Receipt } from './entries.ts'
import { findFault } from './faults.ts'

/** A status read does not know the payment yet: `not_found_window`. */
export function isUnseen({ clock }: Core, { faults, acceptedAt }: Payment): boolean {
  const window = findFault(faults, 'not_found_window')
  return window !== undefined && clock.now() < acceptedAt + (window.seconds ?? 10) * 1000
}

/** A status read still shows the state before the end: `status_lags_callback`. */
export function isLagging({ clock }: Core, { faults, state, endedAt = 0 }: Payment): boolean {
  const lag = findFault(faults, 'status_lags_callback')
  return lag !== undefined && isEnd(state) && clock.now() < endedAt + (lag.delayMs ?? 5_000)
}

/** The receipts as a status read shows them: while it lags, new receipts and new reversals are not shown. */
export function seenReceipts({ clock }: Core, { faults, receipts = [] }: Payment): readonly Receipt[] {
  const lag = findFault(faults, 'status_lags_callback')
  const until = clock.now() - (lag ? (lag.delayMs ?? 5_000) : 0)
  return receipts
    .filter(({ at }) => at <= until)
    .map((receipt) => (isReversedBy(receipt, until) ? receipt : kept(receipt)))
}

const isReversedBy = ({ reversedAt }: Receipt, until: number) => reversedAt !== undefined && reversedAt <= until

const kept = ({ reversedAt: _reversedAt, ...receipt }: Receipt): Receipt => receipt
