import { Type } from 'typebox'
import { AppError } from '../../errors.ts'
import { IdempotencyHeaders } from '../../idempotency/keys.ts'
import type { Owner } from '../../platform/db.ts'
import { type Scenario, scenarioNames } from '../../scenarios/catalogue.ts'

/** The headers of a request that creates a payment. */
export const PaymentHeaders = Type.Object({
  ...IdempotencyHeaders.properties,
  'x-sandbox-scenario': Type.Optional(
    Type.Enum(scenarioNames, {
      type: 'string',
      description: 'Sandbox only: the scenario of this payment; `GET /utilities/test-values` describes each',
    }),
  ),
})

/** The scenario to inject into a payment, if any. Live never injects one and rejects a request that asks for it. */
export function scenarioIn(
  { env }: Owner,
  { 'x-sandbox-scenario': scenario }: { readonly 'x-sandbox-scenario'?: Scenario },
): Scenario | undefined {
  if (scenario !== undefined && env !== 'sandbox')
    throw new AppError('SANDBOX_ONLY', { message: 'X-Sandbox-Scenario is for sandbox tokens only.' })
  return scenario
}
