import { randomBytes } from 'node:crypto'
import type { Vault } from '../platform/seal.ts'
import type { Endpoint } from './store.ts'

/** A new signing secret in the Standard Webhooks format: 32 random bytes in base 64 after `whsec_`. */
export function makeWebhookSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`
}

export function sealWebhookSecret(vault: Vault, endpoint: Endpoint, secret: string): string {
  return vault.seal(secret, webhookSecretContext(endpoint))
}

export function openWebhookSecret(vault: Vault, endpoint: Endpoint, sealed: string): string {
  return vault.open(sealed, webhookSecretContext(endpoint))
}

export const webhookSecretContext = ({ merchant_id, env }: Endpoint) => `webhook_endpoints|secret|${merchant_id}|${env}`
