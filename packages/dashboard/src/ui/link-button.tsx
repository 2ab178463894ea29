import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Icon, type IconName } from './icons.tsx'

const looks = {
  primary: 'bg-brand-solid text-ink-inverse hover:bg-brand-hover',
  plain: 'border border-line-2 bg-surface hover:border-line-3 hover:bg-hover',
} as const

interface LinkButtonProps {
  readonly to: string
  readonly look?: keyof typeof looks
  readonly icon?: IconName
  readonly children: ReactNode
}

/** A link to a page where something is done, with the look of a button. */
export function LinkButton({ to, look = 'plain', icon, children }: LinkButtonProps) {
  return (
    <Link
      className={`inline-flex h-8 items-center justify-center gap-1.5 rounded-sm px-3 font-medium whitespace-nowrap ${looks[look]}`}
      to={to as never}
    >
      {icon && <Icon name={icon} />}
      {children}
    </Link>
  )
}
