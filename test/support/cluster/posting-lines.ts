import type { Posting } from '../../../packages/server/src/testing/poster.ts'

/** A posting as a line of text, with the index of its result. */
export function writePosting(place: number, posting: Posting): string {
  return JSON.stringify({ place, posting }, (_, value) => (typeof value === 'bigint' ? `${value}n` : value))
}

export function readPosting(line: string): { place: number; posting: Posting } {
  return JSON.parse(line, (_, value) =>
    typeof value === 'string' && /^\d+n$/.test(value) ? BigInt(value.slice(0, -1)) : value,
  )
}
