import { openWebhookSecret } from '../merchants/webhook-secret.ts'
import { reach } from '../platform/failpoints.ts'
import type { Gate } from '../platform/gated-http.ts'
import { showId } from '../platform/ids.ts'
import type { Vault } from '../platform/seal.ts'
import type { Delivery } from './claim.ts'
import type { Reporter } from './report.ts'
import { signatureHeaders } from './sign.ts'

export interface Deliverer {
  readonly gate: Gate
  readonly vault: Vault
  readonly reporter: Reporter
}

/** Signs a record, posts it and has the reply kept. The signature is of this moment; id and body are those of every attempt. */
export async function deliver({ gate, vault, reporter }: Deliverer, delivery: Delivery): Promise<void> {
  const { id, url, body, env } = delivery
  const sealed = [delivery.secret, ...(delivery.previous_secret === null ? [] : [delivery.previous_secret])]
  const secrets = sealed.map((text) => openWebhookSecret(vault, delivery, text))
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Malipo-Webhooks/1.0',
    ...signatureHeaders({ id: showId('webhook', id), at: new Date(), body, secrets }),
  }
  reach('webhook.first_byte')
  const posted = await gate.post({ url, headers, body, isHttpAllowed: env === 'sandbox' })
  reach('webhook.replied')
  await reporter.submit({ delivery, posted })
  reach('webhook.reported')
}
