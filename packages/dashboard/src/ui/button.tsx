import type { ButtonHTMLAttributes } from 'react'
import { type ButtonLook, buttonLook } from './button-look.ts'
import { Icon, type IconName } from './icons.tsx'

const unusable =
  'disabled:cursor-not-allowed disabled:border-0 disabled:bg-surface-3 disabled:text-ink-3 aria-disabled:cursor-not-allowed aria-disabled:border-0 aria-disabled:bg-surface-3 aria-disabled:text-ink-3'

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly look?: ButtonLook
  readonly icon?: IconName
  /** The request is under way. Only the response changes what is shown. */
  readonly isBusy?: boolean
}

/** Names its outcome. One primary button in a view. While it is busy it keeps the keyboard, so it is not disabled. */
export function Button({ look, icon, isBusy = false, children, className = '', onClick, ...rest }: ButtonProps) {
  return (
    <button
      aria-busy={isBusy}
      aria-disabled={isBusy || undefined}
      className={`${buttonLook(look)} ${unusable} ${className}`}
      type="button"
      {...rest}
      onClick={isBusy ? (event) => event.preventDefault() : onClick}
    >
      {icon && <Icon name={isBusy ? 'ring' : icon} className={isBusy ? 'motion-safe:animate-spin' : ''} />}
      {children}
    </button>
  )
}
