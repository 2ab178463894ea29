import { Agent, type ClientRequest, request } from 'node:http'
import { Agent as TlsAgent, request as tlsRequest } from 'node:https'

export interface Post {
  /** The HTTP status, or 0 without a response. Never throws: a provider ignores why a callback failed. */
  send(url: URL, headers: Readonly<Record<string, string>>, body: string): Promise<number>
  close(): void
}

const timeoutMs = 10_000

/** Reuses connections: at a thousand callbacks per second, new ones would use up the ports of the machine. */
export function startPost(connectionsMax: number): Post {
  const plain = new Agent({ keepAlive: true, maxSockets: connectionsMax })
  const secure = new TlsAgent({ keepAlive: true, maxSockets: connectionsMax })

  const start = (url: URL, headers: Readonly<Record<string, string>>): ClientRequest =>
    url.protocol === 'https:'
      ? tlsRequest(url, { method: 'POST', agent: secure, headers })
      : request(url, { method: 'POST', agent: plain, headers })

  const send: Post['send'] = async (url, headers, body) => {
    const bytes = Buffer.from(body)
    const sized = { ...headers, 'content-length': String(bytes.length) }
    const first = await exchange(start(url, sized), bytes)
    // The receiver may close an idle connection at the moment of reuse. That is not an outcome of the callback.
    return first === 'stale' ? asStatus(await exchange(start(url, sized), bytes)) : first
  }

  return {
    send,
    close: () => {
      plain.destroy()
      secure.destroy()
    },
  }
}

const asStatus = (outcome: number | 'stale') => (outcome === 'stale' ? 0 : outcome)

function exchange(outgoing: ClientRequest, bytes: Buffer): Promise<number | 'stale'> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => outgoing.destroy(), timeoutMs)
    const settle = (outcome: number | 'stale') => {
      clearTimeout(timer)
      resolve(outcome)
    }
    outgoing.on('response', (incoming) => {
      incoming.on('end', () => settle(incoming.statusCode ?? 0))
      incoming.on('error', () => settle(0))
      incoming.resume()
    })
    outgoing.on('error', () => settle(outgoing.reusedSocket ? 'stale' : 0))
    outgoing.on('close', () => settle(0))
    outgoing.end(bytes)
  })
}
