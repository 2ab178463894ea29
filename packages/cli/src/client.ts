import { Malipo, NetworkError } from '@malipo/sdk'
import type { Access } from './profiles.ts'
import { codeOf, Trouble } from './trouble.ts'

/** Malipo for the key pair of a profile. */
export function openMalipo({ url, publicKey, apiKey, env }: Access): Malipo {
  return new Malipo({ baseUrl: url, publicKey, apiKey, environment: env })
}

/** Names the place that was not reached, which is most likely what is wrong. Without a token nothing was asked for yet. */
export function named(error: unknown, { url }: Pick<Access, 'url'>): unknown {
  const isHarmless = error instanceof NetworkError && (error.outcome === 'not_sent' || / \/auth\//.test(error.message))
  if (!isHarmless) return error
  return new Trouble('unreachable', `Malipo is not reached at ${url}: ${codeOf(error)}. Is it running?`)
}
