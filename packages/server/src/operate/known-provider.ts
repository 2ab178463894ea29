import { providerIds } from '../providers/registry.ts'
import { OperatorError } from './operator-context.ts'

/** A mistyped name must not look like a provider without payments. */
export function requireProvider(provider: string): void {
  if (!providerIds.some((known) => known === provider))
    throw new OperatorError(`${provider} is not a provider; use ${providerIds.join(', ')}`)
}
