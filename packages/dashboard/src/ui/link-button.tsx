import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { type ButtonLook, buttonLook } from './button-look.ts'
import { Icon, type IconName } from './icons.tsx'

interface LinkButtonProps {
  readonly to: string
  readonly look?: ButtonLook
  readonly icon?: IconName
  readonly children: ReactNode
}

/** A link to a page where something is done, with the look of a button. */
export function LinkButton({ to, look, icon, children }: LinkButtonProps) {
  return (
    <Link className={buttonLook(look)} to={to as never}>
      {icon && <Icon name={icon} />}
      {children}
    </Link>
  )
}
