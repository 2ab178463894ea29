import { createHash } from 'node:crypto'

/**
 * What a Flutterwave account has beside its secret key, made of the simulator's token: whoever starts the simulator and
 * whoever calls it come to the same, and there is one secret less to hand around.
 */
export function sandboxKeysOf(token: string): { readonly encryptionKey: string; readonly webhookHash: string } {
  return { encryptionKey: createHash('sha256').update(token).digest('hex').slice(0, 24), webhookHash: token }
}
