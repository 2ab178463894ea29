import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { until } from '../../../packages/server/src/dev-stack/until.ts'
import type { Malipo } from '../../../packages/server/src/testing/malipo.ts'
import { openReceiver, type Receiver } from './webhook-receiver.ts'
import { type HookedMerchant, testWebhooks } from './webhooks.ts'

export interface Shown {
  readonly id: string
  readonly url: string
  readonly description: string
  readonly events: readonly string[]
  readonly isEnabled: boolean
  readonly health: { readonly status: string; readonly failures: number }
  readonly secret?: string
}

export interface ShownRecord {
  readonly id: string
  readonly endpointId: string
  readonly eventId: string
  readonly status: string
  readonly attempts: number
  readonly nextAttemptAt?: string
  readonly response: { readonly status: string; readonly error?: string }
}

export const path = '/webhook-endpoints'
export const ok = () => ({ status: 204 })

/** A merchant with the default endpoint, which accepts everything, and a way to add more. */
export async function testEndpoints(t: TestContext) {
  const hooks = await testWebhooks(t)
  await hooks.malipo.ask('delete from added_webhook_endpoints') // Left by the previous test.
  const receiver = await openReceiver(t, ok)
  const merchant = await hooks.merchant(receiver.url)
  return {
    ...hooks,
    merchant,
    another: hooks.merchant,
    receiver,
    add: async (url: string, over: object = {}) => data(await merchant.ask('POST', path, { url, ...over })),
    read: async (id: string) => data(await merchant.ask('GET', `${path}/${id}`)),
    change: async (id: string, change: object) => data(await merchant.ask('PUT', `${path}/${id}`, change)),
  }
}

function data({ status, body }: Awaited<ReturnType<HookedMerchant['ask']>>): Shown {
  assert.equal(status, 200, JSON.stringify(body))
  return body['data'] as Shown
}

export async function records(merchant: HookedMerchant, query = ''): Promise<ShownRecord[]> {
  const { body } = await merchant.ask('GET', `/webhooks?limit=200${query}`)
  return body['data'] as ShownRecord[]
}

export const openRecords = (malipo: Malipo, merchantId: string) =>
  malipo.ask('select id from added_webhook_records where next_attempt_at is not null and merchant_id = $1', [
    merchantId,
  ])

export const received = (receiver: Receiver, count: number) =>
  until(`${count} requests`, () => Promise.resolve(receiver.got.length >= count))
