import type { ReactNode } from 'react'
import { Badge, type Tone } from '../../../ui/badge.tsx'
import { Icon, type IconName } from '../../../ui/icons.tsx'
import { Money } from '../../../ui/money.tsx'
import { Time } from '../../../ui/time.tsx'
import { Postings } from '../parts/postings.tsx'
import { approverOf, type Proposal } from './approver.ts'
import { ChangeList } from './change-list.tsx'
import { ProposalActions } from './proposal-actions.tsx'

const states: Readonly<Record<Proposal['state'], readonly [string, Tone, IconName]>> = {
  open: ['Waits for approval', 'wait', 'hourglass'],
  executed: ['Approved and done', 'ok', 'done'],
  rejected: ['Rejected', 'fail', 'failed'],
  withdrawn: ['Withdrawn', 'gone', 'expired'],
  expired: ['Expired', 'gone', 'expired'],
  void: ['Void', 'gone', 'expired'],
}

export function ProposalBadge({ state }: Pick<Proposal, 'state'>) {
  const [word, tone, icon] = states[state]
  return <Badge icon={icon} tone={tone} word={word} />
}

/** What it changes, the entries it makes, who proposed it, who may approve it, and the decision. */
export function ProposalCard({ proposal }: { readonly proposal: Proposal }) {
  const { amount, currency, postings, change, createdAt, proposedBy, reason } = proposal
  const isMoney = amount !== undefined && currency !== undefined
  return (
    <div className="grid gap-4">
      {isMoney && <Money amount={amount} className="text-2xl" currency={currency} />}
      <ChangeList change={change} />
      <Postings
        postings={postings}
        title={proposal.state === 'executed' ? 'The ledger did this' : 'If approved, the ledger does this'}
      />
      <ol className="grid gap-3">
        <Step icon="done" tone="text-ok bg-ok-soft" title={`${proposedBy} proposed it`}>
          <Time at={createdAt} />. “{reason}”
        </Step>
        <Decision proposal={proposal} />
      </ol>
      <ProposalActions proposal={proposal} />
    </div>
  )
}

interface StepProps {
  readonly icon: IconName
  readonly tone: string
  readonly title: string
  readonly children: ReactNode
}

function Step({ icon, tone, title, children }: StepProps) {
  return (
    <li className="flex gap-3">
      <span className={`grid size-6 shrink-0 place-items-center rounded-full ${tone}`}>
        <Icon name={icon} size={14} />
      </span>
      <div className="min-w-0">
        <b className="font-semibold">{title}</b>
        <p className="text-xs text-ink-3">{children}</p>
      </div>
    </li>
  )
}

function Decision({ proposal }: { readonly proposal: Proposal }) {
  const { state, decidedBy, decidedAt, decisionReason, expiresAt } = proposal
  if (state === 'open') {
    const { permission, roles } = approverOf(proposal)
    return (
      <Step icon="person" title="Another person decides" tone="bg-brand-solid text-ink-inverse">
        Roles {roles.join(', ')} may: they have <code className="font-mono">{permission}</code>. It expires at{' '}
        <Time at={expiresAt} />.
      </Step>
    )
  }
  return (
    <Step
      icon={states[state][2]}
      title={decidedBy ? `${decidedBy}: ${states[state][0]}` : states[state][0]}
      tone="bg-surface-3"
    >
      {decidedAt === undefined ? (
        <>
          It expired at <Time at={expiresAt} />.
        </>
      ) : (
        <>
          <Time at={decidedAt} />. “{decisionReason}”
        </>
      )}
    </Step>
  )
}
