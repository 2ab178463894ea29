import { Icon, type IconName } from '../../../ui/icons.tsx'

const tones = {
  ok: 'text-ok bg-ok-soft',
  run: 'text-run bg-run-soft',
  wait: 'text-wait bg-wait-soft',
  doubt: 'text-doubt bg-doubt-soft',
  fail: 'text-fail bg-fail-soft',
  gone: 'text-gone bg-gone-soft',
  warn: 'text-warn bg-warn-soft',
} as const

export type Tone = keyof typeof tones

interface BadgeProps {
  readonly tone: Tone
  readonly icon: IconName
  readonly children: string
}

/** A state of something other than a payment: its shape and its word. */
export function Badge({ tone, icon, children }: BadgeProps) {
  return (
    <span
      className={`inline-flex h-5 items-center gap-1 rounded-[5px] px-1.5 text-2xs font-medium whitespace-nowrap ${tones[tone]}`}
    >
      <Icon name={icon} size={12} />
      {children}
    </span>
  )
}
