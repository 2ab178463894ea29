import type { Connector } from './contract.ts'

const responseMs = 3000

/**
 * What is wrong with the URLs of these providers. With a wrong URL every payment would get a 404, which leaves it in
 * doubt. A provider that is down does not make its URL wrong.
 */
export async function findUrlFlaws(connectors: Iterable<Connector>): Promise<readonly string[]> {
  const flaws = await Promise.all(
    [...connectors].map((connector) => connector.findUrlFlaw?.(AbortSignal.timeout(responseMs))),
  )
  return flaws.filter((flaw) => flaw !== undefined)
}
