const looks = {
  primary: 'bg-brand-solid text-ink-inverse hover:bg-brand-hover',
  plain: 'bg-surface border border-line-2 hover:bg-hover hover:border-line-3',
  quiet: 'text-ink-2 hover:bg-surface-3',
  danger: 'bg-surface border border-line-2 text-fail hover:bg-fail-soft',
} as const

export type ButtonLook = keyof typeof looks

/** The classes of a button, also for a link that looks like one. */
export const buttonLook = (look: ButtonLook = 'plain'): string =>
  `inline-flex h-8 items-center justify-center gap-1.5 rounded-sm px-3 font-medium whitespace-nowrap ${looks[look]}`
