/** A token from the exchange, and its lifetime by the server's clock. */
export interface Minted {
  readonly token: string
  readonly lifetimeMs: number
}

export interface Tokens {
  /** The current token, or a new one. Concurrent callers share one mint. */
  get(signal: AbortSignal | undefined): Promise<string>
  /** Discards a token that the server refused. If it was already replaced, this has no effect. */
  drop(token: string): void
}

/** A token this close to its expiry is replaced, so that no token expires in transit. */
const marginMs = 60_000

/** Lifetimes are measured, not compared with a date: a wrong clock on this machine does no harm. */
export function createTokens(mint: () => Promise<Minted>): Tokens {
  let current: { readonly token: string; readonly staleAt: number } | undefined
  let minting: Promise<string> | undefined

  const renew = async () => {
    const askedAt = performance.now()
    try {
      const { token, lifetimeMs } = await mint()
      current = { token, staleAt: askedAt + lifetimeMs - marginMs }
      return token
    } finally {
      minting = undefined
    }
  }
  return {
    get: (signal) => {
      if (current && performance.now() < current.staleAt) return Promise.resolve(current.token)
      minting ??= renew()
      return unlessAborted(minting, signal)
    },
    drop: (token) => {
      if (current?.token === token) current = undefined
    },
  }
}

/** A caller that stops waiting does not cancel the mint for the other callers. */
function unlessAborted<Value>(promise: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
  if (!signal) return promise
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}
