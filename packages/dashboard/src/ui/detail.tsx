import { type ReactNode, useEffect, useRef } from 'react'
import { Icon } from './icons.tsx'

interface DetailProps {
  /** What it is: `request`. */
  readonly of: string
  /** Another one takes the focus again. */
  readonly id: string
  readonly title: ReactNode
  readonly actions?: ReactNode
  readonly onClose: () => void
  readonly children: ReactNode
}

/** One row of a list, opened beside it. It takes the focus. */
export function Detail({ of, id, title, actions, onClose, children }: DetailProps) {
  const ref = useRef<HTMLElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the focus moves when the row does.
  useEffect(() => ref.current?.focus(), [id])
  return (
    <section
      aria-label={`${of.slice(0, 1).toUpperCase()}${of.slice(1)}`}
      className="grid min-w-0 gap-3.5 rounded-card border border-line p-4 outline-none max-wide:order-first"
      ref={ref}
      tabIndex={-1}
    >
      <header className="flex items-center gap-2">
        {title}
        {actions}
        <button aria-label={`Close the ${of}`} className="p-1.5" onClick={onClose} type="button">
          <Icon name="close" />
        </button>
      </header>
      {children}
    </section>
  )
}
