import type { Violation } from './books.ts'
import type { ClientRequest } from './client.ts'

/** Each api may hit one connection that the network lost; one read fails and the connection is replaced. */
const failedMax = 2

/** No read fails after every fault is over. */
export function checkReads(reads: readonly ClientRequest[]): Violation[] {
  const tries = reads.flatMap(({ exchanges }) => exchanges)
  const failed = tries.filter(({ status }) => status === 0 || status >= 500)
  if (failed.length <= failedMax) return []
  const longestMs = Math.round(Math.max(...failed.map(({ tookMs }) => tookMs)))
  const words = `${failed.length} of ${tries.length} reads failed although every fault had ended; the longest took ${longestMs} ms`
  return [{ kind: 'stuck', words }]
}
