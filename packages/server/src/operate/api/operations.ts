import assert from 'node:assert/strict'
import { Type } from 'typebox'
import { bindOperator } from '../bind-operator.ts'
import type { Approved } from '../proposal-rows.ts'
import { collectSecret } from '../proposal-secrets.ts'
import { approveProposal, listProposals, rejectProposal, showProposal, withdrawProposal } from '../proposals.ts'
import { auditOperations } from './audit-operations.ts'
import { controlOperations } from './control-operations.ts'
import { ledgerOperations } from './ledger-operations.ts'
import { merchantOperations } from './merchant-operations.ts'
import { moneyOperations } from './money-operations.ts'
import { type Operation, operation } from './operation.ts'
import { paymentOperations } from './payment-operations.ts'
import { machineOperations, peopleOperations } from './people-operations.ts'
import { Collected } from './people-schema.ts'
import { Limit, ProposalView, Reason } from './schema.ts'

const proposal = Type.String({ maxLength: 100, description: '`prp_…`' })

/** Each proposal asks for its own permission when it is decided; seeing one asks for little. */
const proposalOperations: readonly Operation[] = [
  operation({
    name: 'proposals.list',
    method: 'GET',
    path: '/proposals',
    permission: 'merchants:read',
    summary: 'List proposals, newest first',
    input: Type.Object({ isOpenOnly: Type.Boolean(), limit: Limit(200), before: Type.Optional(proposal) }),
    output: Type.Array(ProposalView),
    run: (_, wanted, context) => listProposals(context, wanted),
  }),
  operation({
    name: 'proposals.show',
    method: 'GET',
    path: '/proposals/:proposal',
    permission: 'merchants:read',
    summary: 'Show a proposal with the ledger entries that it makes',
    input: Type.Object({ proposal }),
    output: ProposalView,
    run: (_, { proposal: id }, context) => showProposal(context, id),
  }),
  operation({
    name: 'proposals.approve',
    method: 'POST',
    path: '/proposals/:proposal/approve',
    isScopedByProposal: true,
    permission: 'merchants:read',
    isSteppedUp: true,
    summary: 'Approve and execute a proposal of another person',
    input: Type.Object({ proposal, reason: Reason }),
    output: ProposalView,
    run: (_, { proposal: id, reason }, context) => approveProposal(context, id, controlledOperation, reason),
  }),
  operation({
    name: 'proposals.reject',
    method: 'POST',
    path: '/proposals/:proposal/reject',
    isScopedByProposal: true,
    permission: 'merchants:read',
    isSteppedUp: true,
    summary: 'Reject a proposal of another person',
    input: Type.Object({ proposal, reason: Reason }),
    output: ProposalView,
    run: (_, { proposal: id, reason }, context) => rejectProposal(context, id, controlledOperation, reason),
  }),
  operation({
    name: 'proposals.withdraw',
    method: 'POST',
    path: '/proposals/:proposal/withdraw',
    isScopedByProposal: true,
    permission: 'merchants:read',
    summary: 'Withdraw your own proposal',
    input: Type.Object({ proposal, reason: Reason }),
    output: ProposalView,
    run: (_, { proposal: id, reason }, context) => withdrawProposal(context, id, reason),
  }),
  operation({
    name: 'proposals.collect',
    method: 'POST',
    path: '/proposals/:proposal/collect',
    isScopedByProposal: true,
    permission: 'merchants:read',
    isSteppedUp: true,
    summary: 'Get the API key or the link of your approved proposal, once',
    input: Type.Object({ proposal }),
    output: Collected,
    run: (_, { proposal: id }, context) => collectSecret(context, id, controlledOperation),
  }),
]

/** Every route of the operator API. */
export const operations: readonly Operation[] = [
  ...merchantOperations,
  ...paymentOperations,
  ...moneyOperations,
  ...ledgerOperations,
  ...controlOperations,
  ...auditOperations,
  ...peopleOperations,
  ...machineOperations,
  ...proposalOperations,
]

/** An operation that two people do, as its approver runs it. */
function controlledOperation(name: string): Approved {
  const found = operations.find((each) => each.name === name)
  assert(found?.control, `${name} is not proposed`)
  const { permission, control, run } = found
  return {
    permission,
    approve: control.approve,
    act: (context, input) => run(bindOperator(context), input as never, context),
  }
}
