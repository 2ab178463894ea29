import type { ButtonHTMLAttributes } from 'react'
import { Icon, type IconName } from './icons.tsx'

const looks = {
  primary: 'bg-brand-solid text-ink-inverse hover:bg-brand-hover',
  plain: 'bg-surface border border-line-2 hover:bg-hover hover:border-line-3',
  quiet: 'text-ink-2 hover:bg-surface-3',
  danger: 'bg-surface border border-line-2 text-fail hover:bg-fail-soft',
} as const

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly look?: keyof typeof looks
  readonly icon?: IconName
  /** The request is under way. Only the response changes what is shown. */
  readonly isBusy?: boolean
}

/** Names its outcome. One primary button in a view. */
export function Button({ look = 'plain', icon, isBusy = false, children, className = '', ...rest }: ButtonProps) {
  return (
    <button
      aria-busy={isBusy}
      className={`inline-flex h-8 items-center justify-center gap-1.5 rounded-sm px-3 font-medium whitespace-nowrap disabled:cursor-not-allowed disabled:border-0 disabled:bg-surface-3 disabled:text-ink-3 ${looks[look]} ${className}`}
      type="button"
      {...rest}
      disabled={rest.disabled || isBusy}
    >
      {icon && <Icon name={isBusy ? 'ring' : icon} className={isBusy ? 'animate-spin' : ''} />}
      {children}
    </button>
  )
}
