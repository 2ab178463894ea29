import { createCipheriv } from 'node:crypto'
import type { Secret } from '../../platform/secret.ts'

/** Flutterwave's card encryption: triple DES without chaining (ECB), with the account's 24-byte key. */
export function encrypt(text: string, key: Secret): string {
  const cipher = createCipheriv('des-ede3', Buffer.from(key.reveal(), 'ascii'), null)
  return Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]).toString('base64')
}
