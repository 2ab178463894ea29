import type { ReactNode } from 'react'
import { useMe } from '../../session.ts'
import { Icon } from '../../ui/icons.tsx'
import { Time } from '../../ui/time.tsx'
import { makerOf, type WaitingPayout } from './approvals-query.ts'

interface StepsProps {
  readonly payout: WaitingPayout
  /** The decision itself, in the second step. */
  readonly children: ReactNode
}

/** Who did what, and who comes next. */
export function Steps({ payout, children }: StepsProps) {
  const { id, name } = useMe()
  const isOwn = payout.madeBy === id
  return (
    <ol className="mt-4 grid gap-4">
      <li className="grid grid-cols-[24px_minmax(0,1fr)] gap-3">
        <span className="grid size-6 place-items-center rounded-full bg-ok-soft text-ok">
          <Icon name="check" size={13} />
        </span>
        <span>
          <b className="block font-medium">{isOwn ? 'You made it' : `${makerOf(payout)} made it`}</b>
          <Time at={payout.fullTimestamp} className="text-xs text-ink-3" />
        </span>
      </li>
      <li className="grid grid-cols-[24px_minmax(0,1fr)] gap-3">
        <span className="grid size-6 place-items-center rounded-full bg-brand-solid text-xs font-semibold text-ink-inverse">
          2
        </span>
        <div className="grid min-w-0 gap-3">
          <span>
            <b className="block font-medium">{isOwn ? 'Approval by another person' : `Your decision, ${name}`}</b>
            <span className="text-xs text-ink-3">{isOwn ? 'The maker never approves.' : 'It is final.'}</span>
          </span>
          {children}
        </div>
      </li>
    </ol>
  )
}
