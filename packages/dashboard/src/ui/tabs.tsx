import { type KeyboardEvent, type ReactNode, useId } from 'react'

export interface Tab<Name extends string> {
  readonly name: Name
  readonly word: string
  readonly count?: number | undefined
}

interface TabsProps<Name extends string> {
  readonly label: string
  readonly tabs: readonly Tab<Name>[]
  readonly open: Name
  readonly onOpen: (name: Name) => void
  readonly children: ReactNode
  readonly className?: string
}

/** One part at a time. The arrow keys move between the tabs. */
export function Tabs<Name extends string>({ label, tabs, open, onOpen, children, className = '' }: TabsProps<Name>) {
  const id = useId()
  const move = (event: KeyboardEvent<HTMLDivElement>) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (by === undefined) return
    event.preventDefault()
    const at = tabs.findIndex(({ name }) => name === open)
    const next = tabs[(at + by + tabs.length) % tabs.length]
    if (!next) return
    onOpen(next.name)
    document.getElementById(`${id}-${next.name}`)?.focus()
  }
  return (
    <div className={`min-w-0 ${className}`}>
      <div
        aria-label={label}
        className="flex gap-5 overflow-x-auto border-b border-line"
        onKeyDown={move}
        role="tablist"
        tabIndex={-1}
      >
        {tabs.map(({ name, word, count }) => (
          <button
            aria-controls={`${id}-panel`}
            aria-selected={name === open}
            className={`-mb-px flex h-9 items-center gap-1.5 border-b-2 font-medium whitespace-nowrap ${name === open ? 'border-brand text-ink' : 'border-transparent text-ink-2 hover:text-ink'}`}
            id={`${id}-${name}`}
            key={name}
            onClick={() => onOpen(name)}
            role="tab"
            tabIndex={name === open ? 0 : -1}
            type="button"
          >
            {word}
            {count !== undefined && (
              <span className="rounded-xs bg-surface-3 px-1.5 text-2xs text-ink-2">{count.toLocaleString('en')}</span>
            )}
          </button>
        ))}
      </div>
      <div aria-labelledby={`${id}-${open}`} id={`${id}-panel`} role="tabpanel">
        {children}
      </div>
    </div>
  )
}
