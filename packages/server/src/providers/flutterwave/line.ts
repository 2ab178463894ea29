import { type Outbound, type OutboundReply, openOutbound } from '../../platform/outbound-http.ts'
import type { Secret } from '../../platform/secret.ts'

/** The HTTP client for Flutterwave. It sends our key with every call. */
export interface Line {
  get(path: string, signal: AbortSignal): Promise<OutboundReply>
  post(path: string, body: object, signal: AbortSignal): Promise<OutboundReply>
  close(): Promise<void>
}

export function openLine(baseUrl: string, secretKey: Secret, connectionsMax: number): Line {
  const outbound: Outbound = openOutbound({ baseUrl, connectionsMax })
  const headers = () => ({ Authorization: `Bearer ${secretKey.reveal()}`, 'Content-Type': 'application/json' })
  return {
    get: (path, signal) => outbound.call({ method: 'GET', path, headers: headers(), signal }),
    post: (path, body, signal) =>
      outbound.call({ method: 'POST', path, headers: headers(), body: JSON.stringify(body), signal }),
    close: () => outbound.close(),
  }
}
