import { Link } from '@tanstack/react-router'
import { operatorApi } from '../../../api/operator-api.ts'
import { Note } from '../../../ui/note.tsx'
import { Time } from '../../../ui/time.tsx'
import { Needs } from '../parts/needs.tsx'
import { ReasonAction } from '../parts/reason-action.tsx'
import { providerText, shortText, upperFirst } from '../parts/words.ts'
import { ProposalCard } from '../proposals/proposal-card.tsx'
import type { Payment } from './queries.ts'
import { Resolve } from './resolve.tsx'

const ended = new Set(['successful', 'failed'])

/** Why the payment is where it is, what Malipo does by itself, what staff should check, and what they can do. */
export function DecideTab({ payment }: { readonly payment: Payment }) {
  const { guidance, reason, next, proposals, suspenseCase, failure } = payment
  return (
    <div className="grid gap-4">
      {(guidance || reason !== '') && (
        <Note look={payment.stage === 'UNCONFIRMED' ? 'doubt' : 'plain'}>
          {guidance?.meaning ?? `${upperFirst(reason)}.`}
        </Note>
      )}
      {failure !== undefined && <Note>Failed: {failure}</Note>}
      <dl className="grid gap-3">
        <Item name="What happens next">
          {upperFirst(next.what.replace(/\.$/, ''))}
          {next.at !== undefined && (
            <>
              {' '}
              at <Time at={next.at} />
            </>
          )}
        </Item>
        {guidance && <Item name="Without help">{guidance.withoutHelp}</Item>}
        {guidance && <Item name="Check">{guidance.check}</Item>}
        {guidance && guidance.action !== 'See below.' && <Item name="Then">{guidance.action}</Item>}
      </dl>
      {suspenseCase !== undefined && (
        <Link className="font-medium text-brand" search={{ open: suspenseCase }} to="/operator/suspense">
          Its money is in suspense: open the case
        </Link>
      )}
      {proposals.map((proposal) => (
        <section className="grid gap-3 rounded-md border border-line p-4" key={proposal.proposalId}>
          <h3 className="font-semibold">{shortText(proposal.summary)}</h3>
          <ProposalCard proposal={proposal} />
        </section>
      ))}
      {!ended.has(payment.state) && <Actions payment={payment} />}
    </div>
  )
}

function Item({ name, children }: { readonly name: string; readonly children: React.ReactNode }) {
  return (
    <div>
      <dt className="text-2xs text-ink-3">{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

function Actions({ payment }: { readonly payment: Payment }) {
  const { id, type, provider } = payment
  return (
    <div className="grid gap-4">
      {type === 'payout' && (
        <div>
          <ReasonAction
            done="Sent to its provider again"
            icon="ring"
            permission="payments:retry"
            run={(reason) => operatorApi('postPaymentsPaymentRetry', { path: { payment: id }, body: { reason } })}
            title="Send this payout to its provider again"
            verb="Send it again now"
            word="Send again now"
          >
            <p>
              {providerText(provider)} gets the same payout under the same key, so it cannot be paid twice. Its response
              decides what happens next.
            </p>
          </ReasonAction>
        </div>
      )}
      {payment.proposals.length === 0 && <Resolve payment={payment} />}
      <Needs permission="payments:resolve" what="Resolving a payment by hand" />
    </div>
  )
}
