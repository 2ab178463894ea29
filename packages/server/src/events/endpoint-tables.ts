import { type Owner, sql, sqlOn } from '../platform/db.ts'

/** One endpoint of a merchant in one environment. */
export interface EndpointKey extends Owner {
  /** {@link defaultEndpointId} for the default. */
  readonly endpoint_id: string
}

/** The default endpoint of every merchant and environment has this id. */
export const defaultEndpointId = '00000000-0000-0000-0000-000000000000'

/**
 * The default endpoints and the added ones are in separate tables of the same columns. Statements name `webhook_endpoints` and
 * `webhook_records`; with the tag of the added ones they work on the tables of these. A transaction that locks endpoints of both
 * locks the default ones first.
 */
export interface EndpointTables {
  readonly sql: typeof sql
}

export const defaultEndpoints: EndpointTables = { sql }

export const addedEndpoints: EndpointTables = {
  sql: sqlOn({ webhook_endpoints: 'added_webhook_endpoints', webhook_records: 'added_webhook_records' }),
}

/** In lock order. */
export const allEndpoints: readonly EndpointTables[] = [defaultEndpoints, addedEndpoints]

export const tablesOf = (endpointId: string): EndpointTables =>
  endpointId === defaultEndpointId ? defaultEndpoints : addedEndpoints

export const endpointKeyOf = ({ merchant_id, env, endpoint_id }: EndpointKey) => `${merchant_id} ${env} ${endpoint_id}`
