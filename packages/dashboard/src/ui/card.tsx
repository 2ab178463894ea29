import { type ReactNode, useId } from 'react'
import { Button } from './button.tsx'

interface CardProps {
  readonly title?: string
  readonly about?: ReactNode
  readonly actions?: ReactNode
  readonly children: ReactNode
  readonly className?: string
  /** Tables reach the edges of their card. */
  readonly isFlush?: boolean
  /** A part that opens beside another can be closed again. */
  readonly onClose?: () => void
}

/** One part of a page. A card is never inside another. */
export function Card({ title, about, actions, children, className = '', isFlush = false, onClose }: CardProps) {
  const id = useId()
  return (
    <section
      aria-labelledby={title === undefined ? undefined : id}
      className={`min-w-0 rounded-card border border-line ${isFlush ? 'pt-4' : 'p-4'} ${className}`}
    >
      {title !== undefined && (
        <header className={`mb-3 flex flex-wrap items-baseline gap-x-3 gap-y-1 ${isFlush ? 'px-4' : ''}`}>
          <h2 className="text-md font-semibold" id={id}>
            {title}
          </h2>
          {about !== undefined && <span className="text-xs text-ink-3">{about}</span>}
          <span className="flex-1" />
          {actions}
          {onClose && (
            <Button icon="close" look="quiet" onClick={onClose}>
              Close
            </Button>
          )}
        </header>
      )}
      {children}
    </section>
  )
}
