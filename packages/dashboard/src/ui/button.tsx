import type { ButtonHTMLAttributes } from 'react'
import { type ButtonLook, buttonLook } from './button-look.ts'
import { Icon, type IconName } from './icons.tsx'

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly look?: ButtonLook
  readonly icon?: IconName
  /** The request is under way. Only the response changes what is shown. */
  readonly isBusy?: boolean
}

/** Names its outcome. One primary button in a view. */
export function Button({ look, icon, isBusy = false, children, className = '', ...rest }: ButtonProps) {
  return (
    <button
      aria-busy={isBusy}
      className={`${buttonLook(look)} disabled:cursor-not-allowed disabled:border-0 disabled:bg-surface-3 disabled:text-ink-3 ${className}`}
      type="button"
      {...rest}
      disabled={rest.disabled || isBusy}
    >
      {icon && <Icon name={isBusy ? 'ring' : icon} className={isBusy ? 'animate-spin' : ''} />}
      {children}
    </button>
  )
}
