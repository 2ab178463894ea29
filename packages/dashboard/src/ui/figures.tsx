import type { ReactNode } from 'react'

export interface Figure {
  readonly name: string
  readonly value: ReactNode
  readonly look?: 'plain' | 'quiet' | 'total'
}

const looks = {
  plain: { row: '', name: 'text-ink-3', value: '' },
  quiet: { row: '', name: 'pl-3.5 text-ink-3', value: 'text-ink-3' },
  total: { row: 'mt-1 border-t border-line pt-3', name: 'font-semibold', value: 'text-lg' },
} as const

/** Names on the left, figures on the right. */
export function Figures({ figures }: { readonly figures: readonly Figure[] }) {
  return (
    <dl className="grid gap-1.5">
      {figures.map(({ name, value, look = 'plain' }) => (
        <div className={`flex items-baseline justify-between gap-4 ${looks[look].row}`} key={name}>
          <dt className={looks[look].name}>{name}</dt>
          <dd className={`text-right ${looks[look].value}`}>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

/** The double underline of a sum that the server has verified. */
export const Verified = ({ children }: { readonly children: ReactNode }) => (
  <span className="border-b-[3px] border-double border-ink pb-0.5">{children}</span>
)
