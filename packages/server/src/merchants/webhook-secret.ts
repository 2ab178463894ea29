import { randomBytes } from 'node:crypto'
import type { Vault } from '../platform/seal.ts'
import type { Endpoint } from './store.ts'

/** A new signing secret in the form of Standard Webhooks: 32 random bytes in base 64 after `whsec_`. */
export function makeWebhookSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`
}

export function sealWebhookSecret(vault: Vault, { merchant_id, env }: Endpoint, secret: string): string {
  return vault.seal(secret, `webhook_endpoints|secret|${merchant_id}|${env}`)
}
