import { createHash } from 'node:crypto'

/**
 * The keys of a Flutterwave account besides its secret key, derived from the simulator's token. The simulator and its
 * callers derive the same keys, so there is one secret less to share.
 */
export function sandboxKeysOf(token: string): { readonly encryptionKey: string; readonly webhookHash: string } {
  return { encryptionKey: createHash('sha256').update(token).digest('hex').slice(0, 24), webhookHash: token }
}
