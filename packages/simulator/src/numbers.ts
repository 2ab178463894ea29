/** A bank account number from an id: ten digits whose end chooses no outcome. */
export const accountNumberOf = (id: number): string => `${String(id % 10_000_000).padStart(7, '0')}001`

export interface Numbers {
  /** Greater than every number before. */
  next(): number
}

/** Subtracted from the time, so that no id has the thirteen digits of a card number. */
const epochMs = 1_700_000_000_000

/**
 * Numbers for ids. They start at the current time, so a restarted simulator never repeats an earlier id. Otherwise a
 * caller that stored an old id would mistake a new payment for the old one.
 */
export function startNumbers(): Numbers {
  let last = 0
  const next = () => {
    last = Math.max(last + 1, Date.now() - epochMs)
    return last
  }
  return { next }
}
