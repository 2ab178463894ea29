/** A request as the SDK sent it. */
interface Sent {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** A fault for one request: `send` passes the request on to the server. */
type WireFault = (send: () => Promise<Response>, sent: Sent, signal: AbortSignal) => Promise<Response>

/** A `fetch` that records each request, and injects faults on the way to the real server and back. */
export interface Wire {
  readonly fetch: typeof fetch
  readonly sent: readonly Sent[]
  /** The requests to a path; the path is without the root. */
  to(path: string): readonly Sent[]
  /** The next requests to this path get one of these tricks each; later ones pass unchanged. */
  inject(path: string, ...faults: readonly WireFault[]): void
}

export function openWire(): Wire {
  const sent: Sent[] = []
  const waiting = new Map<string, WireFault[]>()
  const pathOf = (url: string) => new URL(url).pathname.replace(/^\/api\/(sandbox\/)?b2b/, '')

  const wired = async (url: string, init: RequestInit & { signal: AbortSignal }): Promise<Response> => {
    const { method = 'GET', headers, body } = init
    const noted = { method, path: pathOf(url), headers: { ...(headers as Record<string, string>) }, body: String(body) }
    sent.push(noted)
    const fault = waiting.get(noted.path)?.shift()
    return fault ? fault(() => fetch(url, { ...init, headers: noted.headers }), noted, init.signal) : fetch(url, init)
  }
  return {
    fetch: wired as typeof fetch,
    sent,
    to: (path) => sent.filter((each) => each.path === path),
    inject: (path, ...faults) => {
      waiting.set(path, [...(waiting.get(path) ?? []), ...faults])
    },
  }
}

const failure = (code: string) => new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) })

/** The server processes the request; its response is lost. */
export const loseResponse: WireFault = async (send) => {
  await (await send()).text()
  throw failure('ECONNRESET')
}

/** The request is lost before the server; the caller cannot see that. */
export const loseRequest: WireFault = async () => {
  throw failure('ECONNRESET')
}

export const refuseConnection: WireFault = async () => {
  throw failure('ECONNREFUSED')
}

/** The server processes the request; its response arrives only after the caller gave up. */
export const holdResponse: WireFault = async (send, _, signal) => {
  const gone = new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
  await (await send()).text()
  return gone as Promise<never>
}

/** Responds in place of the server. */
export const respondWith =
  (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): WireFault =>
  async () =>
    new Response(typeof body === 'string' ? body : JSON.stringify(body), { status, headers })

/** Removes a header before the server, as a faulty proxy would. */
export const without =
  (header: string, next: WireFault): WireFault =>
  (send, sent, signal) => {
    delete (sent.headers as Record<string, string>)[header]
    return next(send, sent, signal)
  }

export const pass: WireFault = (send) => send()

/** Changes values in the response. */
export const change =
  (over: (body: Record<string, unknown>) => Record<string, unknown>, headers: Record<string, string> = {}): WireFault =>
  async (send) => {
    const response = await send()
    const body = over((await response.json()) as Record<string, unknown>)
    return new Response(JSON.stringify(body), {
      status: response.status,
      headers: { ...Object.fromEntries(response.headers), ...headers },
    })
  }
