// QR codes by ISO/IEC 18004: bytes, error correction L, versions 1 to 20, always with mask 0, which every reader accepts.

/** Correction codewords of a block and the number of blocks at level L, by version. */
const correctionOf = [7, 10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26, 30, 22, 24, 28, 30, 28, 28]
const blocksOf = [1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6, 6, 6, 6, 7, 8]
const levelAndMask = 0b01_000
const isMasked = (x: number, y: number) => (x + y) % 2 === 0

/** The rows of modules, true where dark, without the quiet zone of four around them. Undefined for more than 858 bytes. */
export function qrCode(text: string): boolean[][] | undefined {
  const bytes = Buffer.from(text)
  const version = 1 + correctionOf.findIndex((_, index) => bitsFor(bytes, index + 1) <= dataLength(index + 1) * 8)
  if (version === 0) return undefined
  const modules = drawPatterns(version)
  const words = interleave(dataWords(bytes, version), version)
  let bit = 0
  for (const [x, y] of dataPlaces(modules)) {
    const isSet = isOne(at(words, bit >> 3), 7 - (bit & 7))
    modules[y]?.splice(x, 1, isSet !== isMasked(x, y))
    bit += 1
  }
  return modules.map((row) => row.map((isDark) => isDark === true))
}

const at = (list: readonly number[], index: number) => list[index] ?? 0
const isOne = (bits: number, index: number) => ((bits >> index) & 1) === 1
const lengthBits = (version: number) => (version < 10 ? 8 : 16)
const bitsFor = (bytes: Buffer, version: number) => 4 + lengthBits(version) + bytes.length * 8
const dataLength = (version: number) => wordsIn(version) - at(correctionOf, version - 1) * at(blocksOf, version - 1)
const alignments = (version: number) => (version === 1 ? 0 : Math.floor(version / 7) + 2)

/** All codewords of a version: what the patterns leave. */
function wordsIn(version: number): number {
  const count = alignments(version)
  const aligned = count === 0 ? 0 : (25 * count - 10) * count - 55
  return Math.floor(((16 * version + 128) * version + 64 - aligned - (version < 7 ? 0 : 36)) / 8)
}

function dataWords(bytes: Buffer, version: number): number[] {
  const length = dataLength(version)
  const binary = (value: number, digits: number) => value.toString(2).padStart(digits, '0')
  const content = [...bytes].map((byte) => binary(byte, 8)).join('')
  const bits = `0100${binary(bytes.length, lengthBits(version))}${content}0000`.slice(0, length * 8)
  const words = (bits.match(/.{1,8}/g) ?? []).map((word) => Number.parseInt(word.padEnd(8, '0'), 2))
  return [...words, ...Array.from({ length }, (_, index) => (index % 2 === 0 ? 0xec : 0x11))].slice(0, length)
}

/** Product in the field of 256 elements with the polynomial 0x11d. */
function multiply(left: number, right: number): number {
  let product = 0
  for (let bit = 7; bit >= 0; bit -= 1)
    product = (product << 1) ^ ((product >> 7) * 0x11d) ^ (isOne(right, bit) ? left : 0)
  return product
}

/** The Reed-Solomon codewords of a block. */
export function correction(data: readonly number[], length: number): number[] {
  let divisor: number[] = Array.from({ length }, (_, index) => (index === length - 1 ? 1 : 0))
  for (let step = 0, root = 1; step < length; step += 1, root = multiply(root, 2))
    divisor = divisor.map((part, index) => multiply(part, root) ^ at(divisor, index + 1))
  const divide = (rest: readonly number[], word: number) =>
    divisor.map((part, index) => at(rest, index + 1) ^ multiply(part, word ^ at(rest, 0)))
  return data.reduce(divide, [])
}

/** Splits the data into blocks, the longer ones last, and takes a word of each in turn: first data, then correction. */
function interleave(data: readonly number[], version: number): number[] {
  const [count, length] = [at(blocksOf, version - 1), at(correctionOf, version - 1)]
  const short = Math.floor(data.length / count)
  const startOf = (index: number) => index * short + Math.max(0, index - count + (data.length % count))
  const blocks = Array.from({ length: count }, (_, index) => data.slice(startOf(index), startOf(index + 1)))
  const inTurn = (lists: readonly (readonly number[])[], most: number) =>
    Array.from({ length: most }, (_, index) => lists.flatMap((list) => list[index] ?? [])).flat()
  const corrections = blocks.map((block) => correction(block, length))
  return [...inTurn(blocks, short + 1), ...inTurn(corrections, length)]
}

type Modules = (boolean | undefined)[][]

/** The modules for data: in columns of two from the right, up and down in turn, without the vertical timing. */
function* dataPlaces(modules: Modules): Generator<[number, number]> {
  const size = modules.length
  for (let pair = size - 1; pair > 0; pair -= 2) {
    const right = pair <= 6 ? pair - 1 : pair
    const rows = modules.map((_, step) => (((right + 1) & 2) === 0 ? size - 1 - step : step))
    for (const y of rows) for (const x of [right, right - 1]) if (modules[y]?.[x] === undefined) yield [x, y]
  }
}

/** Timing, finders, alignment, version and format; undefined where data goes. */
function drawPatterns(version: number): Modules {
  const size = 17 + 4 * version
  const modules: Modules = Array.from({ length: size }, () => Array.from({ length: size }))
  const set = (x: number, y: number, isDark: boolean) => {
    if (x >= 0 && x < size) modules[y]?.splice(x, 1, isDark)
  }
  const square = (x: number, y: number, reach: number, light: readonly number[]) => {
    for (let dy = -reach; dy <= reach; dy += 1)
      for (let dx = -reach; dx <= reach; dx += 1)
        set(x + dx, y + dy, !light.includes(Math.max(Math.abs(dx), Math.abs(dy))))
  }
  const range = (length: number) => Array.from({ length }, (_, index) => index)
  for (const index of range(size))
    for (const [x = 0, y = 0] of [
      [6, index],
      [index, 6],
    ])
      set(x, y, index % 2 === 0)
  for (const [x = 0, y = 0] of [
    [3, 3],
    [size - 4, 3],
    [3, size - 4],
  ])
    square(x, y, 4, [2, 4])
  for (const [x = 0, y = 0] of alignmentPlaces(version)) square(x, y, 2, [1])
  const versionBits = (version << 12) | remainder(version, 12, 0x1f25)
  for (const index of range(version < 7 ? 0 : 18)) {
    const [far, near] = [size - 11 + (index % 3), Math.floor(index / 3)]
    for (const [x = 0, y = 0] of [
      [far, near],
      [near, far],
    ])
      set(x, y, isOne(versionBits, index))
  }
  const format = ((levelAndMask << 10) | remainder(levelAndMask, 10, 0x537)) ^ 0x5412
  const column = [0, 1, 2, 3, 4, 5, 7, 8, ...range(7).map((index) => size - 7 + index)]
  const row = [...range(8).map((index) => size - 1 - index), 7, 5, 4, 3, 2, 1, 0]
  for (const [index, y] of column.entries()) set(8, y, isOne(format, index))
  for (const [index, x] of row.entries()) set(x, 8, isOne(format, index))
  set(8, size - 8, true)
  return modules
}

/** The centres of the small squares: a grid without the corners of the finders. */
function alignmentPlaces(version: number): number[][] {
  const [count, last] = [alignments(version), 4 * version + 10]
  const step = Math.floor((version * 8 + count * 3 + 5) / (count * 4 - 4)) * 2
  const lines = Array.from({ length: count }, (_, index) => (index === 0 ? 6 : last - (count - 1 - index) * step))
  const places = lines.flatMap((x) => lines.map((y) => [x, y]))
  return places.filter(([x, y]) => !((x === 6 && (y === 6 || y === last)) || (x === last && y === 6)))
}

function remainder(value: number, degree: number, divisor: number): number {
  let rest = value
  for (let step = 0; step < degree; step += 1) rest = (rest << 1) ^ ((rest >> (degree - 1)) * divisor)
  return rest
}
