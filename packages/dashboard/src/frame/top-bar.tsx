import { lazy, Suspense } from 'react'
import type { Environment } from '../api/place.ts'
import { type Me, permissionsIn } from '../session.ts'
import { Icon } from '../ui/icons.tsx'
import { Mark } from '../ui/mark.tsx'
import { EnvironmentSwitch } from './environment-switch.tsx'
import { toggleTheme, useTheme } from './theme.ts'
import { ZoneSwitch } from './zone-switch.tsx'

const LiveState = lazy(async () => ({ default: (await import('./live-state.tsx')).LiveState }))

interface TopBarProps {
  readonly me: Me
  readonly merchantId: string | undefined
  readonly env: Environment | undefined
  readonly onFind: () => void
  readonly onHelp: () => void
}

const button = 'grid size-8 flex-none place-items-center rounded-sm hover:bg-surface-3'

export function TopBar({ me, merchantId, env, onFind, onHelp }: TopBarProps) {
  const theme = useTheme()
  const isFollowed = merchantId && env && permissionsIn(me, { merchantId, env }).has('payments:read')
  return (
    <header
      className="flex h-[var(--top)] shrink-0 items-center gap-2.5 border-b border-line px-6 max-phone:gap-1.5 max-phone:px-4"
      data-frame
    >
      <span className="flex min-w-0 items-center gap-2.5 phone:hidden">
        <Mark />
        <b className="truncate font-semibold">{nameOf(me, merchantId)}</b>
      </span>
      {env && (
        <span className="max-phone:hidden">
          <EnvironmentSwitch env={env} merchantId={merchantId} />
        </span>
      )}
      <button
        className="flex h-8 w-[380px] min-w-0 items-center gap-2 rounded-sm bg-surface-3 pr-1.5 pl-2.5 text-ink-3 hover:ring-1 hover:ring-line-2 max-phone:hidden"
        onClick={onFind}
        type="button"
      >
        <Icon name="search" />
        <span className="flex-1 truncate text-left">
          Phone, reference, receipt or {merchantId ? 'amount' : 'provider key'}
        </span>
        <kbd>⌘K</kbd>
      </button>
      <span className="flex-1" />
      {isFollowed && (
        <Suspense>
          <LiveState env={env} merchantId={merchantId} />
        </Suspense>
      )}
      <button aria-label="Search" className={`${button} phone:hidden`} onClick={onFind} type="button">
        <Icon name="search" />
      </button>
      <ZoneSwitch />
      <button
        aria-label={theme === 'dark' ? 'Light theme' : 'Dark theme'}
        className={button}
        onClick={toggleTheme}
        type="button"
      >
        <Icon name={theme === 'dark' ? 'sun' : 'moon'} />
      </button>
      <button aria-label="Keyboard shortcuts" className={`${button} max-phone:hidden`} onClick={onHelp} type="button">
        <Icon name="help" />
      </button>
    </header>
  )
}

const nameOf = ({ merchants }: Me, merchantId: string | undefined) =>
  merchants.find(({ merchant }) => merchant === merchantId)?.name ?? 'Operator'
