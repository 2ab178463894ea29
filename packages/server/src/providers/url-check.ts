import type { Connector } from './contract.ts'

const answerMs = 3000

/**
 * What is wrong with the URLs of these providers. With a wrong one every payment would be answered 404, which says nothing of
 * the payment and leaves it in doubt. A provider that is down is not held against its URL.
 */
export async function findUrlFlaws(connectors: Iterable<Connector>): Promise<readonly string[]> {
  const flaws = await Promise.all(
    [...connectors].map((connector) => connector.findUrlFlaw?.(AbortSignal.timeout(answerMs))),
  )
  return flaws.filter((flaw) => flaw !== undefined)
}
