/** How the name that a person entered differs from the one that the provider reports. */
export type NameDifference = 'none' | 'order' | 'initials' | 'differs'

/** Case, accents and marks do not matter. A word may be an initial; a missing or other word is a difference to decide about. */
export function compareNames(given: string, reported: string): NameDifference {
  const [left, right] = [wordsOf(given), wordsOf(reported)]
  if (left.length === 0) return 'differs'
  if (left.join(' ') === right.join(' ')) return 'none'
  if (inOrder(left) === inOrder(right)) return 'order'
  return isByInitials(left, right) ? 'initials' : 'differs'
}

const inOrder = (words: readonly string[]) => words.toSorted((a, b) => a.localeCompare(b)).join(' ')

function wordsOf(name: string): string[] {
  const plain = name.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase()
  return plain.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '')
}

/** One whole word is the same, and every other word is an initial or has one on the other side. */
function isByInitials(left: readonly string[], right: readonly string[]): boolean {
  const free = [...right]
  const unmatched = left.filter((word) => {
    const at = free.indexOf(word)
    if (at >= 0) free.splice(at, 1)
    return at < 0
  })
  const hasWord = unmatched.length < left.length
  for (const word of unmatched) {
    const at = free.findIndex((other) => isInitialOf(word, other) || isInitialOf(other, word))
    if (at >= 0) free.splice(at, 1)
    else if (word.length > 1) return false
  }
  return hasWord && free.every((word) => word.length === 1)
}

const isInitialOf = (initial: string, word: string) => initial.length === 1 && word.startsWith(initial)
