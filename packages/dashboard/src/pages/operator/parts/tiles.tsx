import type { ReactNode } from 'react'

/** Figures in one strip. */
export function Tiles({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <section
      aria-label={label}
      className="grid grid-cols-4 overflow-hidden rounded-card border border-line max-wide:grid-cols-2"
    >
      {children}
    </section>
  )
}

interface TileProps {
  readonly name: string
  readonly value: ReactNode
  /** What the figure means, or where to look. */
  readonly about?: ReactNode
  readonly children?: ReactNode
}

export function Tile({ name, value, about, children }: TileProps) {
  return (
    <div className="-mb-px -ml-px min-w-0 border-b border-l border-line p-4 max-phone:p-3">
      <h2 className="text-xs font-medium text-ink-2">{name}</h2>
      <p className="mt-1 text-2xl font-semibold tracking-[-0.02em] tabular-nums max-phone:text-lg">{value}</p>
      {about !== undefined && <p className="mt-0.5 text-xs text-ink-3">{about}</p>}
      {children}
    </div>
  )
}
