import type { Schemas } from '../../../generated/operator-api.ts'
import { approvals, operatorRoles } from '../../../generated/operator-values.ts'

export type Proposal = Schemas['Proposal']

/** The permission that approves a proposal, and the roles that hold it. */
export function approverOf({ operation }: Pick<Proposal, 'operation'>) {
  const permission = approvals[operation] ?? ''
  const roles = operatorRoles.filter(({ permissions }) => permissions.includes(permission)).map(({ role }) => role)
  return { permission, roles }
}

/** Operations whose approver has a code to collect. The link, or the key of the others, is for the proposer. */
const withCode = ['people.invite', 'people.recover']

/** Whether a secret of this proposal is for this person. */
export function mayCollect(
  { operation, hasSecret, proposedById, decidedById }: Proposal,
  { id }: { readonly id: string },
): boolean {
  if (hasSecret !== true) return false
  return proposedById === id || (decidedById === id && withCode.includes(operation))
}
