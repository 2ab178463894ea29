import { Malipo, NetworkError } from '@malipo/sdk'
import { CliError, codeOf } from './cli-error.ts'
import type { Access } from './profiles.ts'

export function openMalipo({ url, publicKey, apiKey, env }: Access): Malipo {
  return new Malipo({ baseUrl: url, publicKey, apiKey, environment: env })
}

/** Names the unreachable URL, the most likely mistake. A call that failed to get a token has no effect yet; other errors pass unchanged. */
export function connectionError(error: unknown, { url }: Pick<Access, 'url'>): unknown {
  const isHarmless = error instanceof NetworkError && (error.outcome === 'not_sent' || / \/auth\//.test(error.message))
  if (!isHarmless) return error
  return new CliError(
    'unreachable',
    `Cannot reach Malipo at ${url}: ${codeOf(error)}. Check that it is running and that the URL is right.`,
  )
}
