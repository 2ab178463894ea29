/** Finds text on which a regular expression takes more than linear time. */

const length = 4000
const suspectMs = 2
const runs = 3

/**
 * The first text shape on which the pattern takes more than linear time, if any. A shape is a start, a repeated part and an end,
 * made of one character for each class the pattern may distinguish: such shapes make a backtracking matcher try every split.
 */
export function slowShape(pattern: RegExp): string | undefined {
  for (const shape of shapesFor(pattern.source)) {
    const text = textOf(shape, length)
    if (timeMs(pattern, text) < suspectMs) continue
    const [once, twice] = [bestMs(pattern, text), bestMs(pattern, textOf(shape, 2 * length))]
    if (once > suspectMs && twice > 3 * once) return `${JSON.stringify(shape)}: ${once} ms, twice as long: ${twice} ms`
  }
  return undefined
}

type Shape = readonly [start: string, repeated: string, end: string]

const textOf = ([start, repeated, end]: Shape, size: number) =>
  start + repeated.repeat(Math.ceil(size / repeated.length)) + end

function* shapesFor(source: string): Generator<Shape> {
  const signs = [...new Set([...source.replaceAll(/[\\^$[\](){}+*?|]/g, ''), ...'aA0 \n"\\@.é\u{1F600}'])]
  const pairs = signs.flatMap((first) => signs.map((second) => first + second))
  for (const start of ['', ...signs, ...pairs])
    for (const repeated of signs) for (const end of ['', '\n', '@', 'a', '"', ' ']) yield [start, repeated, end]
  for (const repeated of pairs) for (const end of ['', '\n', '@']) yield ['', repeated, end]
}

function timeMs(pattern: RegExp, text: string): number {
  const startedAt = performance.now()
  pattern.lastIndex = 0
  text.replace(pattern, '')
  return performance.now() - startedAt
}

const bestMs = (pattern: RegExp, text: string) => Math.min(...Array.from({ length: runs }, () => timeMs(pattern, text)))
