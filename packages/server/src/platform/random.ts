import { randomFillSync } from 'node:crypto'

const pool = Buffer.alloc(8192)
let taken = pool.length

/** Random bytes for ids and nonces, which are no secrets, drawn many at a time: a draw costs more than sealing with it does. */
export function randomBytesFor(length: number): Buffer {
  if (taken + length > pool.length) {
    randomFillSync(pool)
    taken = 0
  }
  taken += length
  return Buffer.from(pool.subarray(taken - length, taken))
}
