import type { Schemas } from '../../generated/merchant-api.ts'

export type WebhookRecord = Schemas['WebhookRecord']

/** The newest record at each endpoint. */
export function latestRecords(records: readonly WebhookRecord[]): readonly WebhookRecord[] {
  const newest = new Map<string, WebhookRecord>()
  for (const record of records) {
    const before = newest.get(record.endpointId)
    if (!before || before.createdAt < record.createdAt) newest.set(record.endpointId, record)
  }
  return [...newest.values()]
}
