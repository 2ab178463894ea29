import { type ReactNode, useEffect, useRef } from 'react'
import { Icon } from '../../../ui/icons.tsx'

interface DrawerProps {
  readonly label: string
  readonly title: string
  readonly onClose: () => void
  /** Something else that is shown takes the focus again. */
  readonly of: string
  readonly children: ReactNode
}

/** Pushes the list aside, and is a page on a phone. */
export function Drawer({ label, title, onClose, of, children }: DrawerProps) {
  const ref = useRef<HTMLElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another payment takes the focus again.
  useEffect(() => ref.current?.focus(), [of])
  return (
    <aside
      aria-label={label}
      className="flex w-[var(--drawer)] shrink-0 flex-col overflow-y-auto border-l border-line bg-surface outline-none max-wide:fixed max-wide:inset-0 max-wide:z-10 max-wide:w-full"
      ref={ref}
      tabIndex={-1}
    >
      <header className="flex items-center gap-2 px-5 py-3">
        <h2 className="truncate text-md font-semibold">{title}</h2>
        <span className="flex-1" />
        <button aria-label="Close" className="p-1.5" onClick={onClose} type="button">
          <Icon name="close" />
        </button>
      </header>
      <div className="px-5 pb-6">{children}</div>
    </aside>
  )
}
