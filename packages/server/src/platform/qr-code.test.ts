import assert from 'node:assert/strict'
import { test } from 'node:test'
import { correction, qrCode } from './qr-code.ts'

/** Centres of alignment patterns and [blocks, words of a block, correction words] at level L, from the tables of ISO/IEC 18004. */
const standard: Readonly<Record<number, { centres: number[]; blocks: [number, number, number][] }>> = {
  1: { centres: [], blocks: [[1, 26, 7]] },
  5: { centres: [6, 30], blocks: [[1, 134, 26]] },
  7: { centres: [6, 22, 38], blocks: [[2, 98, 20]] },
  10: {
    centres: [6, 28, 50],
    blocks: [
      [2, 86, 18],
      [2, 87, 18],
    ],
  },
  20: {
    centres: [6, 34, 62, 90],
    blocks: [
      [3, 135, 28],
      [5, 136, 28],
    ],
  },
}

/** Reads a code as a scanner does, by the tables above: format, mask, order of the modules, blocks, bytes. */
function decode(modules: readonly (readonly boolean[])[]): string {
  const size = modules.length
  const version = (size - 17) / 4
  const isDark = (x: number, y: number) => modules[y]?.[x] === true
  const format = [0, 1, 2, 3, 4, 5, 7, 8].map((x) => Number(isDark(x, 8))).join('')
  assert.equal(format, '11101111', 'level L and mask 0')
  const { centres = [], blocks = [] } = standard[version] ?? {}
  const places = inOrder(size).filter(([x, y]) => isForData(x, y, size, centres))
  const bits = places.map(([x, y]) => Number(isDark(x, y) !== ((x + y) % 2 === 0)))
  return textIn(dataOf(wordsOf(bits), blocks), version)
}

/** Columns of two from the right, without the sixth, up and down in turn. */
function inOrder(size: number): [number, number][] {
  const columns = Array.from({ length: size }, (_, x) => size - 1 - x).filter((x) => x !== 6)
  return columns
    .filter((_, index) => index % 2 === 0)
    .flatMap((right, turn) => {
      const rows = Array.from({ length: size }, (_, step) => (turn % 2 === 0 ? size - 1 - step : step))
      return rows.flatMap((y): [number, number][] => [
        [right, y],
        [columns[columns.indexOf(right) + 1] ?? -1, y],
      ])
    })
}

function isForData(x: number, y: number, size: number, centres: readonly number[]): boolean {
  const isFinder = (x < 9 && y < 9) || (x < 9 && y >= size - 8) || (x >= size - 8 && y < 9)
  const isVersion = size >= 45 && ((x < 6 && y >= size - 11) || (x >= size - 11 && y < 6))
  const ends = [6, size - 7]
  const isAligned = centres.some((cx) =>
    centres.some((cy) => {
      const isCorner = ends.includes(cx) && ends.includes(cy) && (cx === 6 || cy === 6)
      return !isCorner && Math.abs(x - cx) <= 2 && Math.abs(y - cy) <= 2
    }),
  )
  return !isFinder && !isVersion && !isAligned && x !== 6 && y !== 6
}

const wordsOf = (bits: readonly number[]) =>
  Array.from({ length: bits.length >> 3 }, (_, index) =>
    Number.parseInt(bits.slice(index * 8, index * 8 + 8).join(''), 2),
  )

/** The data of all blocks in order; the correction of each must be right. */
function dataOf(words: readonly number[], kinds: readonly [number, number, number][]): number[] {
  const blocks = kinds.flatMap(([count, all, length]) =>
    Array.from({ length: count }, () => ({ length, most: all - length, data: [] as number[] })),
  )
  const longest = Math.max(...blocks.map(({ most }) => most))
  const turns = Array.from({ length: longest }, (_, index) => blocks.filter(({ most }) => index < most)).flat()
  for (const [index, { data }] of turns.entries()) data.push(words[index] ?? -1)
  for (const [index, block] of blocks.entries()) {
    const places = Array.from({ length: block.length }, (_, step) => turns.length + step * blocks.length + index)
    const expected = places.map((place) => words[place])
    assert.deepEqual(expected, correction(block.data, block.length))
  }
  return blocks.flatMap(({ data }) => data)
}

function textIn(data: readonly number[], version: number): string {
  const bits = data.map((word) => word.toString(2).padStart(8, '0')).join('')
  const start = version < 10 ? 12 : 20
  assert.equal(bits.slice(0, 4), '0100', 'bytes')
  const length = Number.parseInt(bits.slice(4, start), 2)
  const bytes = Array.from({ length }, (_, index) =>
    Number.parseInt(bits.slice(start + index * 8, start + index * 8 + 8), 2),
  )
  return Buffer.from(bytes).toString()
}

test('the correction of a block equals that of a published example', () => {
  const data = [32, 91, 11, 120, 209, 114, 220, 77, 67, 64, 236, 17, 236, 17, 236, 17]

  assert.deepEqual(correction(data, 10), [196, 35, 39, 119, 235, 215, 231, 226, 93, 23])
})

test('a code of each kind of version decodes to its text', () => {
  const lengths = { 1: 17, 5: 106, 7: 154, 10: 271, 20: 858 }
  for (const [version, length] of Object.entries(lengths)) {
    const sent = `é${'otpauth://totp/Malipo?secret=JBSWY3DP&'.repeat(30)}`.slice(0, length - 1)
    const modules = qrCode(sent)

    assert.equal(modules?.length, 17 + 4 * Number(version))
    assert.equal(decode(modules ?? []), sent)
  }
})

test('a text of more than 858 bytes has no code', () => {
  assert.equal(qrCode('a'.repeat(859)), undefined)
})
