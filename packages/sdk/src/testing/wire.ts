/** A request as the SDK sent it. */
interface Sent {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** A fault for one request: `send` passes the request on to the server. */
type Trick = (send: () => Promise<Response>, sent: Sent, signal: AbortSignal) => Promise<Response>

/** A `fetch` that records each request, and injects faults on the way to the real server and back. */
export interface Wire {
  readonly fetch: typeof fetch
  readonly sent: readonly Sent[]
  /** The requests to a path; the path is without the root. */
  to(path: string): readonly Sent[]
  /** The next requests to this path get one of these tricks each; later ones pass unchanged. */
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

/** The server processes the request; its response is lost. */
export const loseAnswer: Trick = async (send) => {
  await (await send()).text()
  throw failure('ECONNRESET')
}

/** The request is lost before the server; the caller cannot see that. */
export const loseRequest: Trick = async () => {
  throw failure('ECONNRESET')
}

export const refuseConnection: Trick = async () => {
  throw failure('ECONNREFUSED')
}

/** The server processes the request; its response arrives only after the caller gave up. */
export const holdAnswer: Trick = async (send, _, signal) => {
  const gone = new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
  await (await send()).text()
  return gone as Promise<never>
}

/** Responds in place of the server. */
export const answerWith =
  (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Trick =>
  async () =>
    new Response(typeof body === 'string' ? body : JSON.stringify(body), { status, headers })

/** Removes a header before the server, as a faulty proxy would. */
export const without =
  (header: string, next: Trick): Trick =>
  (send, sent, signal) => {
    delete (sent.headers as Record<string, string>)[header]
    return next(send, sent, signal)
  }

export const pass: Trick = (send) => send()

/** Changes values in the response. */
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
