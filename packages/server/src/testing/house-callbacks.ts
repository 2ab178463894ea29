import { createHmac } from 'node:crypto'
import { simulatorToken } from './paying.ts'

export interface HouseCallback {
  readonly key: string
  readonly operation?: 'charge' | 'payout'
  readonly state?: string
  readonly amount?: string
  readonly currency?: string
  readonly [name: string]: unknown
}

/** Sends a callback as house does, signed with the simulator's secret unless another is given. */
export function sendHouseCallback(
  url: string,
  callback: HouseCallback,
  secret: string = simulatorToken,
): Promise<Response> {
  const body = JSON.stringify({
    ...{ id: 'cb_1', operation: 'charge', state: 'completed', amount: '100', currency: 'KES', receipt: 'R1' },
    ...callback,
  })
  const time = Math.floor(Date.now() / 1000)
  const digest = createHmac('sha256', secret).update(`${time}.${body}`).digest('hex')
  return fetch(`${url}/callbacks/sandbox/house`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'house-signature': `t=${time},v1=${digest}` },
    body,
  })
}
