import { Type } from 'typebox'
import { AppError } from '../../errors.ts'
import { IdempotencyHeaders } from '../../idempotency/keys.ts'
import type { Owner } from '../../platform/db.ts'
import { type Scenario, scenarioNames } from '../../scenarios/catalogue.ts'

/** What a request that makes a payment may say beside its body. */
export const PaymentHeaders = Type.Object({
  ...IdempotencyHeaders.properties,
  'x-sandbox-scenario': Type.Optional(
    Type.Enum(scenarioNames, {
      type: 'string',
      description: 'Sandbox only: what is to happen to this payment; `GET /utilities/test-values` says what each does',
    }),
  ),
})

/** What is to be played to a payment, if anything. Nothing is ever played in live: who asks for it there is told so. */
export function scenarioIn(
  { env }: Owner,
  { 'x-sandbox-scenario': scenario }: { readonly 'x-sandbox-scenario'?: Scenario },
): Scenario | undefined {
  if (scenario !== undefined && env !== 'sandbox')
    throw new AppError('SANDBOX_ONLY', { message: 'X-Sandbox-Scenario is for sandbox tokens only.' })
  return scenario
}
