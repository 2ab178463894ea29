import { openWebhookSecret } from '../merchants/webhook-secret.ts'
import { bodyWithCustomer } from '../payments/notify/webhook-customer.ts'
import type { Environment } from '../platform/db.ts'
import { reach } from '../platform/failpoints.ts'
import { type Gate, openGate, type Posted } from '../platform/gated-http.ts'
import { showId } from '../platform/ids.ts'
import type { Vault } from '../platform/seal.ts'
import { inStep } from '../platform/traces.ts'
import type { Delivery } from './claim.ts'
import type { Reporter } from './report.ts'
import { signatureHeaders } from './sign.ts'

export type Gates = Readonly<Record<Environment, Gate>>

/** Only the sandbox may send to private addresses: live webhooks carry real payments and real customers. */
export function openGates({
  sandboxRanges,
  timeoutMs,
}: {
  sandboxRanges: readonly string[]
  timeoutMs: number
}): Gates {
  return {
    live: openGate({ allowedRanges: [], timeoutMs }),
    sandbox: openGate({ allowedRanges: sandboxRanges, timeoutMs }),
  }
}

export interface Deliverer {
  readonly gates: Gates
  readonly vault: Vault
  readonly reporter: Reporter
}

/** Signs a record, posts it and stores the response. Every attempt has its own signature time, and the same id and body. */
export async function deliver({ gates, vault, reporter }: Deliverer, delivery: Delivery): Promise<void> {
  const { event_id, url, env } = delivery
  const body = bodyWithCustomer(vault, delivery)
  const sealed = [delivery.secret, ...(delivery.previous_secret === null ? [] : [delivery.previous_secret])]
  const secrets = sealed.map((text) => openWebhookSecret(vault, delivery, text))
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Malipo-Webhooks/1.0',
    ...signatureHeaders({ id: showId('webhook', event_id), at: new Date(), body, secrets }),
  }
  reach('webhook.first_byte')
  const posted = await inStep(stepOf(delivery), () =>
    gates[env].post({ url, headers, body, isHttpAllowed: env === 'sandbox' }),
  )
  reach('webhook.responded')
  await reporter.submit({ delivery, posted })
  reach('webhook.reported')
}

const stepOf = ({ transaction_id: payment, merchant_id, env, attempts }: Delivery) => ({
  ...{ name: 'webhook', kind: 'client' as const, payment },
  facts: {
    'malipo.merchant_id': showId('merchant', merchant_id),
    'malipo.env': env,
    'malipo.attempt': attempts + 1,
  },
  factsOf: (posted: Posted) => ({
    'malipo.outcome': posted.kind,
    ...(posted.kind === 'responded' && { 'http.response.status_code': posted.status }),
  }),
})
