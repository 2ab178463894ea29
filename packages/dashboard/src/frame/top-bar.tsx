import type { Environment } from '../api/place.ts'
import { Icon } from '../ui/icons.tsx'
import { EnvironmentSwitch } from './environment-switch.tsx'
import { toggleTheme, useTheme } from './theme.ts'
import { ZoneSwitch } from './zone-switch.tsx'

interface TopBarProps {
  readonly merchantId: string | undefined
  readonly env: Environment | undefined
  readonly onFind: () => void
  readonly onHelp: () => void
}

export function TopBar({ merchantId, env, onFind, onHelp }: TopBarProps) {
  const theme = useTheme()
  return (
    <header
      className="flex h-[var(--top)] shrink-0 items-center gap-2.5 border-b border-line px-6 max-phone:px-3"
      data-frame
    >
      {env && <EnvironmentSwitch env={env} merchantId={merchantId} />}
      <button
        className="flex h-8 w-[380px] min-w-0 items-center gap-2 rounded-sm bg-surface-3 pr-1.5 pl-2.5 text-ink-3 hover:ring-1 hover:ring-line-2 max-phone:w-auto"
        onClick={onFind}
        type="button"
      >
        <Icon name="search" />
        <span className="flex-1 truncate text-left max-phone:sr-only">Phone, reference, receipt or amount</span>
        <kbd className="max-phone:hidden">⌘K</kbd>
      </button>
      <span className="flex-1" />
      <ZoneSwitch />
      <button
        aria-label={theme === 'dark' ? 'Light theme' : 'Dark theme'}
        className="p-2"
        onClick={toggleTheme}
        type="button"
      >
        <Icon name={theme === 'dark' ? 'sun' : 'moon'} />
      </button>
      <button aria-label="Keyboard shortcuts" className="p-2" onClick={onHelp} type="button">
        <Icon name="help" />
      </button>
    </header>
  )
}
