import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { merchantApi } from '../../api/merchant-api.ts'
import type { Place } from '../../api/place.ts'
import { useMe } from '../../session.ts'
import { ActionProblem } from '../../ui/action-problem.tsx'
import { Button } from '../../ui/button.tsx'
import { CopyText } from '../../ui/copy-text.tsx'
import { ReasonField } from '../../ui/field.tsx'
import { Icon } from '../../ui/icons.tsx'
import { Money, moneyText } from '../../ui/money.tsx'
import { Note } from '../../ui/note.tsx'
import { StatusBadge } from '../../ui/status.tsx'
import { ShortTime, Time } from '../../ui/time.tsx'
import { useAction } from '../../ui/use-action.ts'
import { paymentQuery } from '../payments/payments-query.ts'
import { useMay } from '../use-place.ts'
import { makerOf, receiverOf, type WaitingPayout } from './approvals-query.ts'
import { Entries } from './entries.tsx'
import { Evidence } from './evidence.tsx'
import { Steps } from './steps.tsx'

interface DecisionCardProps {
  readonly place: Place
  readonly payout: WaitingPayout
}

/** One payout with what a second person needs to decide: why it waits, the entries, the names, the risk. */
export function DecisionCard({ place, payout }: DecisionCardProps) {
  const { data: payment } = useQuery(paymentQuery(place, payout.transactionId))
  return (
    <section aria-label="Decide" className="rounded-card border border-line bg-surface p-4 shadow-raised">
      <header className="flex flex-wrap items-center gap-2">
        <h2 className="text-md font-semibold">Decide: payout to {receiverOf(payout)}</h2>
        <span className="flex-1" />
        <StatusBadge of="AWAITING_APPROVAL" />
      </header>
      <Money amount={payout.amount} className="mt-2 block text-2xl" currency={payout.currency} />
      <div className="mt-1 flex flex-wrap items-center gap-x-3 text-ink-2">
        <span>
          {payout.destination} {payout.beneficiary.accountNumber}
        </span>
        <span className="flex-1" />
        <CopyText text={payout.transactionId} what="Id" />
      </div>
      <Note className="mt-3" look="plain">
        {makerOf(payout)} asks to pay {moneyText(payout.amount, payout.currency)} to {receiverOf(payout)}. The money and
        the fee are held in your {payout.senderCurrency} wallet. Without a decision it is rejected{' '}
        <Time at={payout.expiresAt} isRelative />, at <ShortTime at={payout.expiresAt} />.
      </Note>
      <Evidence payment={payment} payout={payout} place={place} />
      <Entries place={place} transactionId={payout.transactionId} />
      <Steps payout={payout}>
        <Decide payout={payout} place={place} />
      </Steps>
    </section>
  )
}

/** Why this person cannot decide; undefined when they can. */
function useObstacle({ madeBy }: WaitingPayout): string | undefined {
  const { id } = useMe()
  const may = useMay()
  if (madeBy === id) return 'You made this payout, so another person decides. You can cancel it in Payments.'
  if (!may.has('payouts:approve'))
    return 'Deciding needs the permission payouts:approve (roles approver and owner). An owner of your team can grant it.'
  return undefined
}

function Decide({ place, payout }: DecisionCardProps) {
  const { strength } = useMe()
  const obstacle = useObstacle(payout)
  const [reason, setReason] = useState('')
  const decide = useAction({
    run: (verb: 'Approve' | 'Reject') =>
      merchantApi(place)(`postApprovalsTransactionId${verb}`, {
        path: { transactionId: payout.transactionId },
        body: { reason: reason.trim() },
      }),
    done: (_, verb) => `${verb === 'Approve' ? 'Approved and sent' : 'Rejected'}: payout to ${receiverOf(payout)}`,
    changes: [
      ['approvals', place],
      ['payments', place],
      ['payment', place],
    ],
  })
  if (obstacle !== undefined) return <Note look="wait">{obstacle}</Note>
  const isReady = reason.trim() !== ''
  return (
    <div className="grid gap-3">
      <ReasonField
        hint="Needed for both. It is kept in the audit trail."
        onChange={(event) => setReason(event.target.value)}
        value={reason}
      />
      <p className="flex gap-2.5 rounded-md border border-fail-line bg-fail-soft px-3.5 py-2.5 text-fail">
        <Icon className="mt-0.5" name="warn" />
        <span>
          Approving sends {moneyText(payout.amount, payout.currency)} to {payout.beneficiary.accountNumber} at once.{' '}
          <b className="font-semibold">A payout that was paid cannot be taken back.</b>
        </span>
      </p>
      <ActionProblem error={decide.error} />
      <div className="flex flex-wrap gap-2">
        <Button
          disabled={!isReady}
          icon="key"
          isBusy={decide.isBusy}
          look="primary"
          onClick={() => decide.run('Approve')}
        >
          {strength === 'passkey' ? 'Approve with passkey' : 'Approve payout'}
        </Button>
        <Button disabled={!isReady} isBusy={decide.isBusy} look="danger" onClick={() => decide.run('Reject')}>
          Reject
        </Button>
      </div>
    </div>
  )
}
