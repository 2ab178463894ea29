/**
 * How well two names agree, from 0 to 1 with two decimals. Case, accents, marks and the order of the words do not matter. A word of
 * four or more letters with one wrong letter counts nearly in full, an initial by half. 1 means the same words.
 */
export function nameMatch(given: string, resolved: string): number {
  const [left, right] = [wordsOf(given), wordsOf(resolved)]
  if (left.length === 0 || right.length === 0) return 0
  const free = [...right]
  let agreed = 0
  for (const likeness of [1, 0.9, 0.5])
    for (const [index, word] of left.entries()) {
      const match = word === '' ? -1 : free.findIndex((other) => likenessOf(word, other) === likeness)
      if (match === -1) continue
      agreed += likeness
      left[index] = ''
      free.splice(match, 1)
    }
  return Math.round((200 * agreed) / (left.length + right.length)) / 100
}

function wordsOf(name: string): string[] {
  const plain = name.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase()
  return plain.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '')
}

function likenessOf(left: string, right: string): 0 | 0.5 | 0.9 | 1 {
  if (left === right) return 1
  const [short, long] = left.length < right.length ? [left, right] : [right, left]
  if (short.length >= 4 && isOneEditApart(short, long)) return 0.9
  return short.length === 1 && long.startsWith(short) ? 0.5 : 0
}

/** Whether one letter added or changed makes the shorter word the longer one. */
function isOneEditApart(short: string, long: string): boolean {
  if (long.length - short.length > 1) return false
  const start = [...short].findIndex((letter, index) => letter !== long[index])
  if (start === -1) return true
  return short.slice(long.length === short.length ? start + 1 : start) === long.slice(start + 1)
}
