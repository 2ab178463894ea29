/** A bank account's number made of an id: ten digits whose end chooses no outcome. */
export const accountNumberOf = (id: number): string => `${String(id % 10_000_000).padStart(7, '0')}001`

export interface Numbers {
  /** Greater than every number before. */
  next(): number
}

/** Subtracted from the time, so that no id has the thirteen digits of a card number. */
const epochMs = 1_700_000_000_000

/**
 * Numbers for ids. They begin at the time, so that a simulator started anew gives none that an earlier one gave: who kept
 * an id of that one would take a new payment for an old.
 */
export function startNumbers(): Numbers {
  let last = 0
  const next = () => {
    last = Math.max(last + 1, Date.now() - epochMs)
    return last
  }
  return { next }
}
