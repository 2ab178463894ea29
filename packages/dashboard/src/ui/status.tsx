import { Icon, type IconName } from './icons.tsx'

type Tone = 'ok' | 'run' | 'wait' | 'doubt' | 'fail' | 'gone' | 'warn'

interface Look {
  readonly word: string
  readonly tone: Tone
  readonly icon: IconName
}

/** The word, colour and shape of every stage. */
const stages: Readonly<Record<string, Look>> = {
  AWAITING_APPROVAL: { word: 'Awaiting approval', tone: 'wait', icon: 'person' },
  PROCESSING: { word: 'Processing', tone: 'run', icon: 'ring' },
  AWAITING_CUSTOMER: { word: 'Awaiting customer', tone: 'wait', icon: 'hourglass' },
  UNCONFIRMED: { word: 'In doubt', tone: 'doubt', icon: 'doubt' },
  COMPLETED: { word: 'Completed', tone: 'ok', icon: 'done' },
  FAILED: { word: 'Failed', tone: 'fail', icon: 'failed' },
  EXPIRED: { word: 'Expired', tone: 'gone', icon: 'expired' },
}

const statuses: Readonly<Record<string, string>> = { PENDING: 'PROCESSING', SUCCESSFUL: 'COMPLETED', FAILED: 'FAILED' }

const tones: Readonly<Record<Tone, string>> = {
  ok: 'text-ok bg-ok-soft',
  run: 'text-run bg-run-soft',
  wait: 'text-wait bg-wait-soft',
  doubt: 'text-doubt bg-doubt-soft',
  fail: 'text-fail bg-fail-soft',
  gone: 'text-gone bg-gone-soft',
  warn: 'text-warn bg-warn-soft',
}

/** A stage, or the status where the stage is not known. */
export function StatusBadge({ of: stage }: { readonly of: string }) {
  const { word, tone, icon } = stages[statuses[stage] ?? stage] ?? { word: stage, tone: 'run', icon: 'ring' }
  return (
    <span className={`inline-flex h-5 items-center gap-1 rounded-[5px] px-1.5 text-2xs font-medium ${tones[tone]}`}>
      <Icon name={icon} size={12} />
      {word}
    </span>
  )
}
