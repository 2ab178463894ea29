import { defaultEndpointId } from '../events/endpoint-tables.ts'
import type { Tx } from '../platform/db.ts'
import type { Vault } from '../platform/seal.ts'
import { insertDefault } from './endpoints.ts'
import { insert, type NewMerchant } from './store.ts'
import { makeWebhookSecret, sealWebhookSecret } from './webhook-secret.ts'

/** Creates a merchant with a default endpoint for each environment, each with its own secret from the start. */
export async function createMerchant(tx: Tx, vault: Vault, merchant: NewMerchant): Promise<void> {
  await insert(tx, merchant)
  for (const env of ['live', 'sandbox'] as const) {
    const endpoint = { merchant_id: merchant.id, env, endpoint_id: defaultEndpointId }
    await insertDefault(tx, endpoint, sealWebhookSecret(vault, endpoint, makeWebhookSecret()))
  }
}
