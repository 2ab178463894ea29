export type Environment = 'live' | 'sandbox'

/** One merchant in one environment. */
export interface Place {
  readonly merchantId: string
  readonly env: Environment
}
