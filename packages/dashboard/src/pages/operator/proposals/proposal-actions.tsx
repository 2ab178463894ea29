import { operatorApi } from '../../../api/operator-api.ts'
import { ActionProblem } from '../../../ui/action-problem.tsx'
import { Button } from '../../../ui/button.tsx'
import { Note } from '../../../ui/note.tsx'
import { ReasonAction } from '../parts/reason-action.tsx'
import { useStaffSecret } from '../parts/staff-secret.tsx'
import { useOperator, useStaffAction } from '../parts/use-operator.ts'
import { shortText } from '../parts/words.ts'
import { approverOf, mayCollect, type Proposal } from './approver.ts'

/** Approve and reject for another person, withdraw for the proposer, collect for the person that a key, link or code is for. */
export function ProposalActions({ proposal }: { readonly proposal: Proposal }) {
  const { me } = useOperator()
  // Kept here: once collected, the proposal has no secret any more, and what offers to collect it is gone.
  const { keep, dialog } = useStaffSecret()
  const isOwn = proposal.proposedById === me.id
  if (proposal.state === 'open') return isOwn ? <Withdraw proposal={proposal} /> : <Decide proposal={proposal} />
  return (
    <>
      {mayCollect(proposal, me) && <Collect onCollected={keep} proposal={proposal} />}
      {dialog}
    </>
  )
}

function Decide({ proposal }: { readonly proposal: Proposal }) {
  const { may } = useOperator()
  const { permission } = approverOf(proposal)
  const { proposalId, summary, proposedBy } = proposal
  if (!may(permission))
    return (
      <Note>
        Approving or rejecting this needs the permission <code className="font-mono">{permission}</code>, which you do
        not have.
      </Note>
    )
  const path = { proposal: proposalId }
  return (
    <div className="flex flex-wrap gap-2">
      <ReasonAction
        done="Approved, and done"
        icon="key"
        isFinal
        look="primary"
        permission={permission}
        run={(reason) => operatorApi('postProposalsProposalApprove', { path, body: { reason } })}
        title="Approve this proposal"
        verb="Approve and execute"
        word="Approve"
      >
        <p>{shortText(summary)}.</p>
        <p>
          {proposedBy} proposed it; you execute it. If the state it rests on has changed since, nothing happens and the
          proposal is void.
        </p>
      </ReasonAction>
      <ReasonAction
        done="Rejected: nothing has changed"
        look="danger"
        permission={permission}
        run={(reason) => operatorApi('postProposalsProposalReject', { path, body: { reason } })}
        title="Reject this proposal"
        verb="Reject the proposal"
        word="Reject"
      >
        <p>
          {shortText(summary)}. Nothing changes. {proposedBy} can propose it again.
        </p>
      </ReasonAction>
    </div>
  )
}

function Withdraw({ proposal: { proposalId, summary } }: { readonly proposal: Proposal }) {
  return (
    <div className="grid justify-items-start gap-3">
      <Note look="wait">You proposed this, so you cannot approve it: a second person must see what you saw.</Note>
      <ReasonAction
        done="Withdrawn: nothing has changed"
        permission="merchants:read"
        run={(reason) =>
          operatorApi('postProposalsProposalWithdraw', { path: { proposal: proposalId }, body: { reason } })
        }
        title="Withdraw your proposal"
        verb="Withdraw the proposal"
        word="Withdraw"
      >
        <p>{shortText(summary)}. Nothing changes.</p>
      </ReasonAction>
    </div>
  )
}

interface CollectProps {
  readonly proposal: Proposal
  readonly onCollected: (secret: unknown) => void
}

function Collect({ proposal: { proposalId }, onCollected }: CollectProps) {
  const action = useStaffAction({
    run: () => operatorApi('postProposalsProposalCollect', { path: { proposal: proposalId } }),
    done: 'Collected: it is shown once',
    onDone: onCollected,
  })
  return (
    <div className="grid justify-items-start gap-3">
      <Note look="wait">A key, link or code waits for you. It is shown once, to you only.</Note>
      <ActionProblem error={action.error} />
      <Button icon="key" isBusy={action.isBusy} look="primary" onClick={() => action.run(undefined)}>
        Collect and show it
      </Button>
    </div>
  )
}
