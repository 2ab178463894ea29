import { createPublicKey, type KeyObject } from 'node:crypto'
import type { Outbound } from '../../platform/outbound-http.ts'
import { asFields } from './messages.ts'

export interface ProviderKeysOptions {
  readonly outbound: Outbound
  readonly headers: () => Readonly<Record<string, string>>
  readonly now: () => number
}

const keptMs = 24 * 3600_000
/** Forged key ids must not make us flood the provider. */
const pauseMs = 60_000
const timeoutMs = 5000

/**
 * The keys that sign pawaPay's callbacks, by id. They are cached for a day. An unknown id triggers a refetch, at most
 * once a minute, however many callers ask. When the keys cannot be fetched there is none: pawaPay retries the callback.
 */
export function createProviderKeys({
  outbound,
  headers,
  now,
}: ProviderKeysOptions): (id: string) => Promise<KeyObject | undefined> {
  let keys: ReadonlyMap<string, KeyObject> = new Map()
  let readAt = Number.NEGATIVE_INFINITY
  let triedAt = Number.NEGATIVE_INFINITY
  let refreshing: Promise<void> | undefined

  const refresh = async () => {
    triedAt = now()
    const found = await readKeys(outbound, headers())
    if (found === undefined) return
    keys = found
    readAt = triedAt
  }
  const isFresh = () => now() - readAt < keptMs

  return async (id) => {
    if (isFresh() && keys.has(id)) return keys.get(id)
    if (now() - triedAt >= pauseMs)
      refreshing = refresh().finally(() => {
        refreshing = undefined
      })
    await refreshing
    return isFresh() ? keys.get(id) : undefined
  }
}

async function readKeys(
  outbound: Outbound,
  headers: Readonly<Record<string, string>>,
): Promise<ReadonlyMap<string, KeyObject> | undefined> {
  const reply = await outbound.call({
    method: 'GET',
    path: '/v2/public-key/http',
    headers,
    signal: AbortSignal.timeout(timeoutMs),
  })
  if (reply.kind !== 'responded' || reply.status !== 200) return undefined
  try {
    const list: unknown = JSON.parse(reply.text)
    return Array.isArray(list) ? new Map(list.flatMap(readKey)) : undefined
  } catch {
    return undefined
  }
}

/** An unreadable key is left out; the others stay valid. */
function readKey(entry: unknown): [string, KeyObject][] {
  const { id, key } = asFields(entry) ?? {}
  if (typeof id !== 'string' || typeof key !== 'string') return []
  try {
    return [[id, createPublicKey(key)]]
  } catch {
    return []
  }
}
