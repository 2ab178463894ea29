import { Badge, type BadgeProps } from './badge.tsx'

/** The word, colour and shape of every stage. */
const stages: Readonly<Record<string, BadgeProps>> = {
  AWAITING_APPROVAL: { word: 'Awaiting approval', tone: 'wait', icon: 'person' },
  PROCESSING: { word: 'Processing', tone: 'run', icon: 'ring' },
  AWAITING_CUSTOMER: { word: 'Awaiting customer', tone: 'wait', icon: 'hourglass' },
  UNCONFIRMED: { word: 'In doubt', tone: 'doubt', icon: 'doubt' },
  COMPLETED: { word: 'Completed', tone: 'ok', icon: 'done' },
  FAILED: { word: 'Failed', tone: 'fail', icon: 'failed' },
  EXPIRED: { word: 'Expired', tone: 'gone', icon: 'expired' },
}

const statuses: Readonly<Record<string, string>> = { PENDING: 'PROCESSING', SUCCESSFUL: 'COMPLETED', FAILED: 'FAILED' }

/** A stage, or the status where the stage is not known. */
export const StatusBadge = ({ of: stage }: { readonly of: string }) => (
  <Badge {...(stages[statuses[stage] ?? stage] ?? { word: stage, tone: 'run', icon: 'ring' })} />
)
