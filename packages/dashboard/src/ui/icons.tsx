/** Our own line icons, 16 × 16, one stroke: the path of each. */
const drawings = {
  home: 'M2.5 7 8 2.5 13.5 7v6.5h-11zM6.5 13.5V9.5h3v4',
  payments: 'M2.5 5h10l-2.5-2.5M13.5 11h-10L6 13.5',
  balances:
    'M2.5 4.5h9.5a1.5 1.5 0 0 1 1.5 1.5v6a1.5 1.5 0 0 1-1.5 1.5H4A1.5 1.5 0 0 1 2.5 12zM2.5 4.5 11 2.5v2M10.5 9h.5',
  developers: 'm5.5 4.5-3.5 3.5 3.5 3.5M10.5 4.5l3.5 3.5-3.5 3.5M9 3 7 13',
  settings:
    'M8 1.5v2M8 12.5v2M1.5 8h2M12.5 8h2M3.4 3.4l1.4 1.4M11.2 11.2l1.4 1.4M12.6 3.4l-1.4 1.4M4.8 11.2l-1.4 1.4M6 8a2 2 0 1 0 4 0a2 2 0 1 0-4 0',
  approvals: 'M8 2.5 13 4.5v3.5c0 3-2.2 4.8-5 5.5-2.8-.7-5-2.5-5-5.5V4.5zM5.8 8l1.6 1.6L10.4 6.5',
  operations: 'M2 8h2.5l2-5 3 10 2-5H14',
  merchants:
    'M2.5 6.5 3.5 2.5h9l1 4M2.5 6.5v7h11v-7M2.5 6.5c0 2 2.7 2 2.75 0 0 2 2.75 2 2.75 0 0 2 2.75 2 2.75 0 0 2 2.75 2 2.75 0M6.5 13.5v-4h3v4',
  ledger: 'M2.5 3h11M8 3v10.5M2.5 6.5H6M2.5 9.5H6M10 6.5h3.5M10 9.5h3.5',
  suspense: 'M8 2.5v11M4.5 6 8 2.5 11.5 6M3 13.5h10',
  audit: 'M4 2.5h8v11l-2-1.2-2 1.2-2-1.2-2 1.2zM6 5.5h4M6 8.5h4',
  people: 'M8 8a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM3 13.5c.5-2.5 2.5-3.5 5-3.5s4.5 1 5 3.5',
  search: 'M7 12a5 5 0 1 0 0-10 5 5 0 0 0 0 10zM11 11l3 3',
  sun: 'M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM8 1.5v1.5M8 13v1.5M1.5 8H3M13 8h1.5M3.4 3.4l1 1M11.6 11.6l1 1M12.6 3.4l-1 1M4.4 11.6l-1 1',
  moon: 'M13 9.5A5.5 5.5 0 0 1 6.5 3a5.5 5.5 0 1 0 6.5 6.5z',
  help: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM6.3 6.3a1.7 1.7 0 1 1 2.5 1.5c-.5.3-.8.6-.8 1.2M8 11.3v.1',
  close: 'm4 4 8 8M12 4l-8 8',
  up: 'M8 13V3M4 7l4-4 4 4',
  down: 'M8 3v10M4 9l4 4 4-4',
  in: 'M11.5 4.5l-7 7M4.5 6v5.5H10',
  out: 'M4.5 11.5l7-7M6 4.5h5.5V10',
  copy: 'M5.5 5.5V3h7.5v7.5h-2.5M3 5.5h7.5V13H3z',
  download: 'M8 2.5v8M4.5 7 8 10.5 11.5 7M2.5 13.5h11',
  plus: 'M8 3v10M3 8h10',
  chevron: 'm4 6 4 4 4-4',
  filter: 'M2.5 4h11M4.5 8h7M6.5 12h3',
  check: 'm3 8.5 3.5 3.5L13 4.5',
  ring: 'M13.5 8a5.5 5.5 0 1 1-3-4.9',
  hourglass: 'M4.5 2.5h7M4.5 13.5h7M5 2.5c0 3 6 4 6 5.5s-6 2.5-6 5.5M11 2.5c0 3-6 4-6 5.5s6 2.5 6 5.5',
  doubt: 'M8 1.5 14.5 8 8 14.5 1.5 8zM6.8 6.7a1.3 1.3 0 1 1 1.8 1.2c-.4.2-.6.4-.6.9M8 10.7v.1',
  done: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM5.5 8.2 7.3 10l3.3-3.5',
  failed: 'M5.5 2h5L14 5.5v5L10.5 14h-5L2 10.5v-5zM6 6l4 4M10 6l-4 4',
  expired: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM3.8 12.2l8.4-8.4',
  person: 'M8 8a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM3 13.5c.5-2.5 2.5-3.5 5-3.5s4.5 1 5 3.5',
  key: 'M9.5 8.5a3 3 0 1 0-2-2L2.5 11.5v2h2v-1.5h1.5v-1.5z',
  warn: 'M8 2.5 14 13H2zM8 6.5v3M8 11.3v.1',
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  play: 'M5 3.5v9l7.5-4.5z',
  star: 'm8 2.2 1.8 3.7 4 .6-2.9 2.8.7 4L8 11.4l-3.6 1.9.7-4L2.2 6.5l4-.6z',
  more: 'M3.2 8a.3.3 0 1 0 .6 0a.3.3 0 1 0-.6 0M7.7 8a.3.3 0 1 0 .6 0a.3.3 0 1 0-.6 0M12.2 8a.3.3 0 1 0 .6 0a.3.3 0 1 0-.6 0',
  resend: 'M5.5 3 2.5 6l3 3M2.5 6h6.5a4 4 0 0 1 0 8H6',
  external: 'M7 3H3v10h10V9M9.5 2.5h4v4M13.5 2.5 7.5 8.5',
  lock: 'M4 7.2h8v6.3H4zM5.7 7.2V5.3a2.3 2.3 0 0 1 4.6 0v1.9',
  webhook:
    'M8 2.5a2.6 2.6 0 0 1 1.9 4.4L12 10.5M8 5.2 5.6 9.6M5.4 8.3a2.6 2.6 0 1 0 1.8 3.6h3.6M12 9a2.4 2.4 0 1 1-1.8 4',
  print: 'M4.5 6V2.5h7V6M4.5 11.5h-2V6h11v5.5h-2M4.5 9.5h7v4h-7z',
  globe:
    'M8 1.8a6.2 6.2 0 1 1 0 12.4A6.2 6.2 0 0 1 8 1.8zM1.8 8h12.4M8 1.8c3.5 3.8 3.5 8.6 0 12.4M8 1.8C4.5 5.6 4.5 10.4 8 14.2',
} as const

export type IconName = keyof typeof drawings

interface IconProps {
  readonly name: IconName
  readonly size?: number
  readonly className?: string
}

/** Never alone: the word beside it says the same. A path in the page is drawn many times faster than one of another file. */
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
      <path d={drawings[name]} />
    </svg>
  )
}
