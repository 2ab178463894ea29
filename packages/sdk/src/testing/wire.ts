/** A request as it left the SDK. */
interface Sent {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** What happens to one request: `send` passes it on to the server. */
type Trick = (send: () => Promise<Response>, sent: Sent, signal: AbortSignal) => Promise<Response>

/** A `fetch` that notes what is sent, and plays the tricks it is told to on the way to the real server and back. */
export interface Wire {
  readonly fetch: typeof fetch
  readonly sent: readonly Sent[]
  /** Those to a path, without the root. */
  to(path: string): readonly Sent[]
  /** The next requests to this path meet these tricks, one each; further ones go through. */
  play(path: string, ...tricks: readonly Trick[]): void
}

export function openWire(): Wire {
  const sent: Sent[] = []
  const waiting = new Map<string, Trick[]>()
  const pathOf = (url: string) => new URL(url).pathname.replace(/^\/api\/(sandbox\/)?b2b/, '')

  const wired = async (url: string, init: RequestInit & { signal: AbortSignal }): Promise<Response> => {
    const { method = 'GET', headers, body } = init
    const noted = { method, path: pathOf(url), headers: { ...(headers as Record<string, string>) }, body: String(body) }
    sent.push(noted)
    const trick = waiting.get(noted.path)?.shift()
    return trick ? trick(() => fetch(url, { ...init, headers: noted.headers }), noted, init.signal) : fetch(url, init)
  }
  return {
    fetch: wired as typeof fetch,
    sent,
    to: (path) => sent.filter((each) => each.path === path),
    play: (path, ...tricks) => {
      waiting.set(path, [...(waiting.get(path) ?? []), ...tricks])
    },
  }
}

const failure = (code: string) => new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) })

/** The server does it, and its answer is lost on the way back. */
export const loseAnswer: Trick = async (send) => {
  await (await send()).text()
  throw failure('ECONNRESET')
}

/** The request is lost on its way, and nobody can tell. */
export const loseRequest: Trick = async () => {
  throw failure('ECONNRESET')
}

export const refuseConnection: Trick = async () => {
  throw failure('ECONNREFUSED')
}

/** The server does it, and its answer comes only after the caller has gone. */
export const holdAnswer: Trick = async (send, _, signal) => {
  const gone = new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
  await (await send()).text()
  return gone as Promise<never>
}

/** Something else answers in the server's place. */
export const answerWith =
  (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Trick =>
  async () =>
    new Response(typeof body === 'string' ? body : JSON.stringify(body), { status, headers })

/** The server never sees this header, as behind a proxy that knows no better. */
export const without =
  (header: string, next: Trick): Trick =>
  (send, sent, signal) => {
    delete (sent.headers as Record<string, string>)[header]
    return next(send, sent, signal)
  }

export const pass: Trick = (send) => send()

/** The answer comes with other values in it. */
export const change =
  (over: (body: Record<string, unknown>) => Record<string, unknown>, headers: Record<string, string> = {}): Trick =>
  async (send) => {
    const answer = await send()
    const body = over((await answer.json()) as Record<string, unknown>)
    return new Response(JSON.stringify(body), {
      status: answer.status,
      headers: { ...Object.fromEntries(answer.headers), ...headers },
    })
  }
