/** A token as the exchange gave it, and how long it lasts by the server's own clock. */
export interface Minted {
  readonly token: string
  readonly lifetimeMs: number
}

export interface Tokens {
  /** The current token, or a new one. However many ask at once, one is minted. */
  get(signal: AbortSignal | undefined): Promise<string>
  /** Says that this token was refused. Whoever says so of one that was replaced meanwhile changes nothing. */
  drop(token: string): void
}

/** A token this close to its end is replaced, so that none ends on its way. */
const marginMs = 60_000

/** Lifetimes are measured, not compared with a date: a wrong clock on this machine spoils nothing. */
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

/** Who gives up waiting leaves the others their token. */
function unlessAborted<Value>(promise: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
  if (!signal) return promise
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}
