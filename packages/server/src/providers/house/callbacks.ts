import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Secret } from '../../platform/secret.ts'
import type { CallbackReading, InboundRequest } from '../contract.ts'
import { type Fields, providerStatusOf, readFields } from './messages.ts'

/** How far a signature's time may be from ours, in either direction. */
const skewMaxMs = 5 * 60_000

/**
 * Accepts as proof what house signed recently, byte for byte. A genuine but only half-readable callback is a hint to
 * query. The signature covers neither path nor method: a callback is valid wherever it is delivered.
 */
export function readCallback({ headers, body }: InboundRequest, secret: Secret, nowMs: number): CallbackReading {
  const flaw = findFlaw(headers['house-signature'], body, secret, nowMs)
  if (flaw !== undefined) return { isGenuine: false, why: flaw }
  const callback = readFields(body.toString('utf8'))
  if (callback === undefined) return { isGenuine: false, why: 'it is not a JSON object' }
  return readingOf(callback)
}

function findFlaw(header: string | undefined, body: Buffer, secret: Secret, nowMs: number): string | undefined {
  const { time, digest } = /^t=(?<time>\d{1,12}),v1=(?<digest>[0-9a-f]{64})$/.exec(header ?? '')?.groups ?? {}
  if (time === undefined || digest === undefined) return 'it has no readable signature'
  const wanted = createHmac('sha256', secret.reveal()).update(`${time}.`).update(body).digest()
  if (!timingSafeEqual(wanted, Buffer.from(digest, 'hex'))) return 'its signature is wrong'
  const isNear = Math.abs(nowMs - Number(time) * 1000) <= skewMaxMs
  return isNear ? undefined : 'its signature is too old or from the future'
}

function readingOf(callback: Fields): CallbackReading {
  const { operation, key } = callback
  if (typeof key !== 'string' || !['charge', 'payout', 'refund'].some((each) => each === operation))
    return { isGenuine: true, isProof: false, observations: [] }
  const providerStatus = providerStatusOf(callback)
  return {
    isGenuine: true,
    isProof: providerStatus !== undefined,
    observations: [{ key, providerStatus: providerStatus ?? { state: 'submitted' } }],
  }
}
