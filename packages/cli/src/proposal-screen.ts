import type { ProposalView } from '@malipo/server/operate'
import { approvers } from './generated/operator-routes.ts'
import { type Formatter, inOneLine, right } from './table.ts'
import { minute } from './time.ts'

/** A proposal for its maker and its approver: what it does, why, and who decides until when. */
export function proposalScreen(format: Formatter, proposal: ProposalView): string {
  const { proposalId, summary, state, postings, change } = proposal
  return [
    `${proposalId}: ${summary}, ${state}`,
    '',
    ...factsOf(proposal),
    '',
    postings.length === 0
      ? `Moves no money. It changes:\n${JSON.stringify(change, null, 2)}`
      : entries(format, proposal),
  ].join('\n')
}

function factsOf(proposal: ProposalView): string[] {
  const { state, expiresAt, decidedBy, decidedAt } = proposal
  const lines: [string, string | undefined][] = [
    ['reason', proposal.reason],
    ['evidence', textOf(proposal.change['evidence'])],
    ['proposed by', `${proposal.proposedBy} (${proposal.proposedById}), ${minute(proposal.createdAt)}`],
    ['in', proposal.env],
    ['merchant', proposal.merchantId],
    ['approver', state === 'open' ? `${approverOf(proposal)}, until ${minute(expiresAt)}` : undefined],
    ['decided by', decidedBy && `${decidedBy}, ${minute(decidedAt)}`],
    ['because', proposal.decisionReason],
    ['subject', proposal.subject],
  ]
  return lines.flatMap(([name, value]) => (value === undefined ? [] : [`${name.padEnd(11)} ${inOneLine(value)}`]))
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined)

/** Who may approve it. A server that is newer than this program may have operations that it does not know. */
function approverOf({ operation }: ProposalView): string {
  const roles = approvers[operation]
  return roles ? `another person with the role ${roles.join(' or ')}` : 'another person with the right role'
}

const entries = ({ table }: Formatter, { postings }: ProposalView) =>
  `Ledger entries that it makes:\n${table(postings, {
    EVENT: ({ event, kind }) => `${event} ${kind}`,
    DEBIT: ({ debit }) => debit,
    CREDIT: ({ credit }) => credit,
    AMOUNT: right(({ amount, currency }) => `${amount} ${currency}`),
  })}`
