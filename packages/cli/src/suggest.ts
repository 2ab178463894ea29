/** " Did you mean x?" for an unknown word that is close to a known one, otherwise empty. */
export function didYouMean(word: string, known: readonly string[]): string {
  const ranked = known.map((each) => ({ each, away: distance(word, each) })).sort((a, b) => a.away - b.away)
  const [nearest] = ranked
  return nearest && nearest.away <= Math.max(word.length, nearest.each.length) / 2
    ? ` Did you mean ${nearest.each}?`
    : ''
}

/** Edit distance: how many letters must be inserted, removed or changed. */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (const [line, letter] of [...from].entries()) {
    const next = [line + 1]
    for (let at = 1; at <= to.length; at += 1) {
      const changed = (row[at - 1] ?? 0) + (letter === to[at - 1] ? 0 : 1)
      next.push(Math.min(changed, (row[at] ?? 0) + 1, (next[at - 1] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
