import drawings from './icons.svg'

/** Our own line icons, 16 × 16, one stroke. They are in a file of their own, so that a new one adds nothing to the shell. */
export type IconName =
  | 'home'
  | 'payments'
  | 'balances'
  | 'developers'
  | 'settings'
  | 'approvals'
  | 'operations'
  | 'merchants'
  | 'ledger'
  | 'suspense'
  | 'audit'
  | 'people'
  | 'search'
  | 'sun'
  | 'moon'
  | 'help'
  | 'close'
  | 'up'
  | 'down'
  | 'in'
  | 'out'
  | 'copy'
  | 'download'
  | 'plus'
  | 'chevron'
  | 'filter'
  | 'check'
  | 'ring'
  | 'hourglass'
  | 'doubt'
  | 'done'
  | 'failed'
  | 'expired'
  | 'person'
  | 'key'
  | 'warn'
  | 'pause'
  | 'play'
  | 'star'
  | 'more'
  | 'resend'
  | 'external'
  | 'lock'
  | 'webhook'
  | 'print'
  | 'globe'

interface IconProps {
  readonly name: IconName
  readonly size?: number
  readonly className?: string
}

/** Never alone: the word beside it says the same. */
export function Icon({ name, size = 16, className = '' }: IconProps) {
  return (
    <svg
      aria-hidden="true"
      className={`shrink-0 ${className}`}
      fill="none"
      height={size}
      stroke="currentColor"
      strokeLinecap="round"
      strokeLinejoin="round"
      strokeWidth="1.4"
      viewBox="0 0 16 16"
      width={size}
    >
      <use href={`${drawings}#${name}`} />
    </svg>
  )
}
