import { randomFillSync } from 'node:crypto'

const pool = Buffer.alloc(8192)
let taken = pool.length

/** Random bytes for ids and nonces, which are not secret, drawn in bulk: a draw costs more than sealing with it. */
export function randomBytesFor(length: number): Buffer {
  if (taken + length > pool.length) {
    randomFillSync(pool)
    taken = 0
  }
  taken += length
  return Buffer.from(pool.subarray(taken - length, taken))
}
