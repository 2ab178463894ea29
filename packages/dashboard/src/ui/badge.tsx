import { Icon, type IconName } from './icons.tsx'

const tones = {
  ok: 'text-ok bg-ok-soft',
  run: 'text-run bg-run-soft',
  wait: 'text-wait bg-wait-soft',
  warn: 'text-warn bg-warn-soft',
  fail: 'text-fail bg-fail-soft',
  gone: 'text-gone bg-gone-soft',
} as const

interface BadgeProps {
  readonly tone: keyof typeof tones
  readonly icon: IconName
  readonly word: string
}

/** A state that is not a payment's: an icon with its word. */
export function Badge({ tone, icon, word }: BadgeProps) {
  return (
    <span
      className={`inline-flex h-5 items-center gap-1 rounded-[5px] px-1.5 text-2xs font-medium whitespace-nowrap ${tones[tone]}`}
    >
      <Icon name={icon} size={12} />
      {word}
    </span>
  )
}
