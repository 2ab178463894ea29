import { Link } from '@tanstack/react-router'
import type { Environment } from '../api/place.ts'
import { type Me, operatorPermissions, permissionsIn } from '../session.ts'
import { Icon, type IconName } from '../ui/icons.tsx'
import { MerchantSwitch } from './merchant-switch.tsx'

interface Item {
  readonly word: string
  readonly icon: IconName
  readonly path: string
  /** Shown to people with any of these. */
  readonly permissions: readonly string[]
}

const merchantItems: readonly Item[] = [
  { word: 'Home', icon: 'home', path: '', permissions: ['payments:read'] },
  { word: 'Payments', icon: 'payments', path: '/payments', permissions: ['payments:read'] },
  { word: 'Balances', icon: 'balances', path: '/balances', permissions: ['payments:read'] },
  { word: 'Approvals', icon: 'approvals', path: '/approvals', permissions: ['payouts:approve', 'payouts:create'] },
  { word: 'Developers', icon: 'developers', path: '/developers', permissions: ['webhooks:read', 'developers:write'] },
  { word: 'Settings', icon: 'settings', path: '/settings', permissions: ['payments:read'] },
]

const operatorItems: readonly Item[] = [
  { word: 'Operations', icon: 'operations', path: '', permissions: ['payments:read'] },
  { word: 'Payments', icon: 'payments', path: '/payments', permissions: ['payments:read'] },
  { word: 'Merchants', icon: 'merchants', path: '/merchants', permissions: ['merchants:read'] },
  { word: 'Ledger', icon: 'ledger', path: '/ledger', permissions: ['ledger:read'] },
  { word: 'Suspense', icon: 'suspense', path: '/suspense', permissions: ['payments:read'] },
  { word: 'Proposals', icon: 'approvals', path: '/proposals', permissions: ['merchants:read'] },
  { word: 'People', icon: 'people', path: '/people', permissions: ['people:read'] },
  { word: 'Audit', icon: 'audit', path: '/audit', permissions: ['audit:read'] },
]

interface RailProps {
  readonly me: Me
  readonly merchantId: string | undefined
  readonly env: Environment | undefined
}

export function Rail({ me, merchantId, env }: RailProps) {
  const isMerchant = merchantId !== undefined && env !== undefined
  const may = isMerchant ? permissionsIn(me, { merchantId, env }) : operatorPermissions(me)
  const base = isMerchant ? `/m/${merchantId}/${env}` : '/operator'
  const items = (isMerchant ? merchantItems : operatorItems).filter(({ permissions }) =>
    permissions.some((permission) => may.has(permission)),
  )
  return (
    <nav
      aria-label="Pages"
      className="flex flex-col gap-0.5 p-3 max-wide:order-last max-wide:flex-row max-wide:justify-around wide:sticky wide:top-0 wide:h-screen"
      data-frame
    >
      <div className="mb-2.5 max-wide:hidden">
        <MerchantSwitch me={me} merchantId={merchantId} />
      </div>
      {items.map(({ word, icon, path }) => (
        <Link
          activeOptions={{ exact: path === '' }}
          activeProps={{ className: 'bg-raised text-ink ring-1 ring-line', 'aria-current': 'page' }}
          className="flex h-[30px] items-center gap-2.5 rounded-sm px-2 font-medium text-ink-2 hover:bg-surface-3"
          key={word}
          to={`${base}${path}` as never}
        >
          <Icon name={icon} />
          {word}
        </Link>
      ))}
      <a
        className="mt-auto flex items-center gap-2.5 rounded-sm p-2 hover:bg-surface-3 max-wide:hidden"
        href="/account"
      >
        <span className="grid size-[26px] place-items-center rounded-full bg-brand-soft text-[10.5px] font-semibold text-ok">
          {initialsOf(me.name)}
        </span>
        <span className="min-w-0">
          <b className="block truncate font-semibold">{me.name}</b>
          <small className="text-2xs text-ink-3">Your account</small>
        </span>
      </a>
    </nav>
  )
}

const initialsOf = (name: string) =>
  name
    .split(/\s+/)
    .flatMap(([first]) => first ?? [])
    .slice(0, 2)
    .join('')
    .toUpperCase()
