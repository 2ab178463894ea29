import { Link } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import type { Environment } from '../api/place.ts'
import { type Me, operatorPermissions, permissionsIn } from '../session.ts'
import { Icon, type IconName } from '../ui/icons.tsx'
import { MerchantSwitch } from './merchant-switch.tsx'

const BottomTabs = lazy(async () => ({ default: (await import('./bottom-tabs.tsx')).BottomTabs }))
const RailCount = lazy(async () => ({ default: (await import('./rail-count.tsx')).RailCount }))

export interface Item {
  readonly word: string
  readonly icon: IconName
  readonly path: string
  /** Shown to people with any of these. */
  readonly permissions: readonly string[]
  /** What is counted beside it. */
  readonly count?: 'doubts' | 'approvals'
}

const merchantItems: readonly Item[] = [
  { word: 'Home', icon: 'home', path: '', permissions: ['payments:read'] },
  { word: 'Payments', icon: 'payments', path: '/payments', permissions: ['payments:read'], count: 'doubts' },
  { word: 'Balances', icon: 'balances', path: '/balances', permissions: ['payments:read'] },
  {
    word: 'Approvals',
    icon: 'approvals',
    path: '/approvals',
    permissions: ['payouts:approve', 'payouts:create'],
    count: 'approvals',
  },
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

/** Pages: a rail on the left, or tabs at the bottom of narrow windows. */
export function Rail({ me, merchantId, env }: RailProps) {
  const place = merchantId !== undefined && env !== undefined ? { merchantId, env } : undefined
  const may = place ? permissionsIn(me, place) : operatorPermissions(me)
  const base = place ? `/m/${merchantId}/${env}` : '/operator'
  const items = (place ? merchantItems : operatorItems).filter(({ permissions }) =>
    permissions.some((permission) => may.has(permission)),
  )
  return (
    <>
      <nav
        aria-label="Pages"
        className="sticky top-0 flex h-[calc(100dvh-2*var(--edge))] flex-col gap-0.5 p-3 max-wide:hidden"
        data-frame
      >
        <div className="mb-2.5">
          <MerchantSwitch me={me} merchantId={merchantId} />
        </div>
        {items.map(({ word, icon, path, count }) => (
          <Link
            activeOptions={{ exact: path === '', includeSearch: false }}
            activeProps={{ 'aria-current': 'page' }}
            className="flex h-[30px] items-center gap-2.5 rounded-sm px-2 font-medium text-ink-2 hover:bg-surface-3 aria-[current=page]:bg-raised aria-[current=page]:text-ink aria-[current=page]:ring-1 aria-[current=page]:ring-line aria-[current=page]:[&>svg]:text-brand"
            key={word}
            to={`${base}${path}` as never}
          >
            <Icon name={icon} />
            {word}
            {count && place && (
              <Suspense>
                <RailCount may={may} of={count} place={place} />
              </Suspense>
            )}
          </Link>
        ))}
        <a className="mt-auto flex items-center gap-2.5 rounded-sm p-2 hover:bg-surface-3" href="/account">
          <span className="grid size-[26px] flex-none place-items-center rounded-full bg-brand-soft text-[10.5px] font-semibold text-ok">
            {initialsOf(me.name)}
          </span>
          <span className="min-w-0">
            <b className="block truncate font-semibold">{me.name}</b>
            <small className="block truncate text-2xs text-ink-3">{rolesOf(me, merchantId)}</small>
          </span>
        </a>
      </nav>
      <Suspense>
        <BottomTabs base={base} env={env} items={items} me={me} merchantId={merchantId} />
      </Suspense>
    </>
  )
}

const initialsOf = (name: string) =>
  name
    .split(/\s+/)
    .flatMap(([first]) => first ?? [])
    .slice(0, 2)
    .join('')
    .toUpperCase()

/** `Owner`, or the roles at the operator. */
function rolesOf({ merchants, operator }: Me, merchantId: string | undefined): string {
  const roles = merchantId === undefined ? operator : merchants.filter(({ merchant }) => merchant === merchantId)
  const words = [...new Set(roles.map(({ role }) => role))].join(', ')
  return words === '' ? 'Your account' : words.charAt(0).toUpperCase() + words.slice(1)
}
