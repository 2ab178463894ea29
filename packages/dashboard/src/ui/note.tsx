import type { ReactNode } from 'react'
import { Icon, type IconName } from './icons.tsx'

const looks = {
  plain: { className: 'border-line bg-surface-2', icon: undefined },
  ok: { className: 'border-ok-line bg-ok-soft text-ok', icon: 'done' },
  wait: { className: 'border-wait-line bg-wait-soft text-wait', icon: 'hourglass' },
  doubt: { className: 'border-doubt-line bg-doubt-soft text-doubt', icon: 'doubt' },
  warn: { className: 'border-warn-line bg-warn-soft text-warn', icon: 'warn' },
  fail: { className: 'border-fail-line bg-fail-soft text-fail', icon: 'failed' },
} as const satisfies Record<string, { className: string; icon: IconName | undefined }>

interface NoteProps {
  readonly look?: keyof typeof looks
  readonly children: ReactNode
  readonly className?: string
}

/** Sentences that a person must not miss. A failure is announced. */
export function Note({ look = 'plain', children, className = '' }: NoteProps) {
  const { className: colours, icon } = looks[look]
  return (
    <div
      className={`flex gap-2.5 rounded-md border px-3.5 py-2.5 ${colours} ${className}`}
      role={look === 'fail' ? 'alert' : undefined}
    >
      {icon && <Icon className="mt-0.5" name={icon} />}
      <div className="min-w-0 flex-1">{children}</div>
    </div>
  )
}
