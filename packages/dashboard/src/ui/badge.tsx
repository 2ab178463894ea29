import { Icon, type IconName } from './icons.tsx'

const tones = {
  ok: 'text-ok bg-ok-soft',
  run: 'text-run bg-run-soft',
  wait: 'text-wait bg-wait-soft',
  warn: 'text-warn bg-warn-soft',
  doubt: 'text-doubt bg-doubt-soft',
  fail: 'text-fail bg-fail-soft',
  gone: 'text-gone bg-gone-soft',
} as const

export type Tone = keyof typeof tones

export interface BadgeProps {
  readonly tone: Tone
  readonly icon: IconName
  readonly word: string
}

/** A state: its colour, and the shape and word that say it without colour. */
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
