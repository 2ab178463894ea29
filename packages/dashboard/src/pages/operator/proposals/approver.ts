import type { Schemas } from '../../../generated/operator-api.ts'
import { approvals, operatorRoles } from '../../../generated/operator-values.ts'

export type Proposal = Schemas['Proposal']

/** The permission that approves a proposal, and the roles that hold it. */
export function approverOf({ operation }: Pick<Proposal, 'operation'>) {
  const permission = approvals[operation] ?? ''
  const roles = operatorRoles.filter(({ permissions }) => permissions.includes(permission)).map(({ role }) => role)
  return { permission, roles }
}
