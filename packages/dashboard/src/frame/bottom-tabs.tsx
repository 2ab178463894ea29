import { Link } from '@tanstack/react-router'
import type { Environment } from '../api/place.ts'
import { type Me, permissionsIn } from '../session.ts'
import { Icon } from '../ui/icons.tsx'
import { EnvironmentSwitch } from './environment-switch.tsx'
import type { Item } from './rail.tsx'
import { RailCount } from './rail-count.tsx'

interface BottomTabsProps {
  readonly me: Me
  readonly merchantId: string | undefined
  readonly env: Environment | undefined
  readonly base: string
  readonly items: readonly Item[]
}

const shownMax = 4
const row = 'flex h-10 items-center gap-3 rounded-sm px-3 font-medium hover:bg-surface-3'

/** The first pages as tabs; the others, the environment and the account behind `More`. */
export function BottomTabs({ me, merchantId, env, base, items }: BottomTabsProps) {
  const rest = items.slice(shownMax)
  const place = merchantId !== undefined && env !== undefined ? { merchantId, env } : undefined
  const others = new Map(
    me.merchants.filter(({ merchant }) => merchant !== merchantId).map((role) => [role.merchant, role.name]),
  )
  return (
    <nav
      aria-label="Pages"
      className="fixed inset-x-0 bottom-0 z-20 grid h-14 auto-cols-fr grid-flow-col border-t border-line bg-surface wide:hidden"
      data-frame
    >
      {items.slice(0, shownMax).map(({ word, icon, path, count }) => (
        <Link
          activeOptions={{ exact: path === '', includeSearch: false }}
          activeProps={{ 'aria-current': 'page' }}
          className="relative grid place-content-center justify-items-center gap-0.5 text-2xs font-medium text-ink-2 aria-[current=page]:font-semibold aria-[current=page]:text-brand"
          key={word}
          to={`${base}${path}` as never}
        >
          <Icon name={icon} size={20} />
          {word}
          {count && place && (
            <span className="absolute top-1 left-[calc(50%+6px)] flex">
              <RailCount may={permissionsIn(me, place)} of={count} place={place} />
            </span>
          )}
        </Link>
      ))}
      <button
        className="grid place-content-center justify-items-center gap-0.5 text-2xs font-medium text-ink-2"
        popoverTarget="more-pages"
        type="button"
      >
        <Icon name="more" size={20} />
        More
      </button>
      <div
        className="fixed inset-auto right-2 bottom-16 m-0 w-[240px] rounded-lg border border-line-2 bg-surface p-2 text-ink shadow-raised"
        id="more-pages"
        popover="auto"
      >
        {env && (
          <div className="mb-1 px-1 pb-1">
            <EnvironmentSwitch env={env} merchantId={merchantId} />
          </div>
        )}
        {rest.map(({ word, icon, path }) => (
          <Link className={row} key={word} to={`${base}${path}` as never}>
            <Icon name={icon} />
            {word}
          </Link>
        ))}
        {[...others].map(([id, name]) => (
          <Link className={row} key={id} params={{ merchantId: id, env: 'live' }} to="/m/$merchantId/$env">
            <Icon name="merchants" />
            {name}
          </Link>
        ))}
        {me.operator.length > 0 && merchantId !== undefined && (
          <Link className={row} to={'/operator' as never}>
            <Icon name="operations" />
            Operator
          </Link>
        )}
        <a className={row} href="/account">
          <Icon name="person" />
          Your account
        </a>
      </div>
    </nav>
  )
}
