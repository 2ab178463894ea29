import type { Owner } from '../platform/db.ts'

/** One request of a merchant, and its outcome. */
export interface RequestEntry extends Owner {
  readonly method: string
  /** The route, with the names of its parameters: `/api/b2b/transactions/{transactionId}`. */
  readonly path: string
  readonly status: number
  /** Empty for a success. */
  readonly error_code: string
  readonly duration_ms: number
  readonly request_id: string
  /** The public key of the key pair, or the id of the person. */
  readonly credential: string
  readonly address: string
  readonly transaction_id: string | null
  /** Masked. */
  readonly body: string | null
}
