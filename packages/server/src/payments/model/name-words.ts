/** The words of a name as it is compared: without case, accents and marks. */
function wordsOf(name: string): string[] {
  const plain = name.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()
  return plain.replaceAll(/['’`.]/g, '').match(/[\p{L}\p{N}]+/gu) ?? []
}

/** How many words of a name are indexed together: further ones are compared with the name itself. */
const indexedWordsMax = 2

/** What a name is indexed by: its first word, and its first two words. */
export function nameStarts(name: string): string[] {
  const words = wordsOf(name).slice(0, indexedWordsMax)
  return words.map((_, index) => words.slice(0, index + 1).join(' '))
}

/** The longest indexed start of what a person typed; undefined when it has no words. */
export const indexedStart = (typed: string): string | undefined => nameStarts(typed).at(-1)

/** Whether the name starts with the words that a person typed. */
export function startsWithWords(name: string, typed: string): boolean {
  const [words, wanted] = [wordsOf(name), wordsOf(typed)]
  return wanted.length > 0 && wanted.every((word, index) => words[index] === word)
}
