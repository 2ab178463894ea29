import { randomBytes } from 'node:crypto'
import { defaultEndpointId, type EndpointKey } from '../events/endpoint-tables.ts'
import type { Vault } from '../platform/seal.ts'

/** A new signing secret in the Standard Webhooks format: 32 random bytes in base 64 after `whsec_`. */
export function makeWebhookSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`
}

export function sealWebhookSecret(vault: Vault, endpoint: EndpointKey, secret: string): string {
  return vault.seal(secret, webhookSecretContext(endpoint))
}

export function openWebhookSecret(vault: Vault, endpoint: EndpointKey, sealed: string): string {
  return vault.open(sealed, webhookSecretContext(endpoint))
}

export const webhookSecretContext = ({ merchant_id, env, endpoint_id }: EndpointKey) =>
  endpoint_id === defaultEndpointId
    ? `webhook_endpoints|secret|${merchant_id}|${env}`
    : `added_webhook_endpoints|secret|${merchant_id}|${env}|${endpoint_id}`
