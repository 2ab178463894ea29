import type { Origin } from '../audit/record.ts'
import type { Config } from '../config.ts'
import type { Vault } from '../platform/seal.ts'

/** What changes to people need beside their transaction. */
export interface PeopleContext {
  readonly cell: number
  readonly vault: Vault
  readonly publicUrl: string
  /** Where the request came from, for the audit trail. */
  readonly origin?: Origin | undefined
}

export function peopleContext({
  config,
  vault,
}: {
  readonly config: Pick<Config, 'cell' | 'publicUrl'>
  readonly vault: Vault
}): PeopleContext {
  return { cell: config.cell, vault, publicUrl: config.publicUrl }
}
