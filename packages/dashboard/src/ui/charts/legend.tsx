import type { ReactNode } from 'react'

export interface LegendEntry {
  readonly word: string
  readonly colour: string
  readonly value?: ReactNode
}

/** The series of a chart by name, with their totals. */
export function Legend({ entries }: { readonly entries: readonly LegendEntry[] }) {
  return (
    <ul className="mt-3 flex flex-wrap gap-x-4 gap-y-1.5 text-xs text-ink-2">
      {entries.map(({ word, colour, value }) => (
        <li className="inline-flex items-center gap-1.5" key={word}>
          <span className="size-2.5 rounded-[2px]" style={{ background: colour }} />
          {word}
          {value !== undefined && <b className="font-semibold text-ink">{value}</b>}
        </li>
      ))}
    </ul>
  )
}
