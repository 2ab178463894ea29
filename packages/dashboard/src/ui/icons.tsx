import drawings from './icons.svg'

/** Those of lists, as paths: the browser draws them many times faster than icons of a file. */
const paths = {
  in: 'M11.5 4.5l-7 7M4.5 6v5.5H10',
  out: 'M4.5 11.5l7-7M6 4.5h5.5V10',
  check: 'm3 8.5 3.5 3.5L13 4.5',
  copy: 'M5.5 5.5V3h7.5v7.5h-2.5M3 5.5h7.5V13H3z',
  ring: 'M13.5 8a5.5 5.5 0 1 1-3-4.9',
  hourglass: 'M4.5 2.5h7M4.5 13.5h7M5 2.5c0 3 6 4 6 5.5s-6 2.5-6 5.5M11 2.5c0 3-6 4-6 5.5s6 2.5 6 5.5',
  doubt: 'M8 1.5 14.5 8 8 14.5 1.5 8zM6.8 6.7a1.3 1.3 0 1 1 1.8 1.2c-.4.2-.6.4-.6.9M8 10.7v.1',
  done: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM5.5 8.2 7.3 10l3.3-3.5',
  failed: 'M5.5 2h5L14 5.5v5L10.5 14h-5L2 10.5v-5zM6 6l4 4M10 6l-4 4',
  expired: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM3.8 12.2l8.4-8.4',
  person: 'M8 8a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM3 13.5c.5-2.5 2.5-3.5 5-3.5s4.5 1 5 3.5',
} as const

/** Our own line icons, 16 × 16, one stroke. Most are in a file of their own, so that a new one adds nothing to the shell. */
export type IconName =
  | keyof typeof paths
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
  | 'download'
  | 'plus'
  | 'chevron'
  | 'filter'
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

const isPath = (name: IconName): name is keyof typeof paths => name in paths

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
      {isPath(name) ? <path d={paths[name]} /> : <use href={`${drawings}#${name}`} />}
    </svg>
  )
}
