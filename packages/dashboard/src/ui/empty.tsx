import type { ReactNode } from 'react'

interface EmptyProps {
  readonly title: string
  readonly children?: ReactNode
  readonly action?: ReactNode
}

/** Nothing is here: one sentence, and what fills it. */
export function Empty({ title, children, action }: EmptyProps) {
  return (
    <div className="grid justify-items-center gap-2 px-6 py-12 text-center">
      <h2 className="text-lg font-semibold">{title}</h2>
      {children !== undefined && <div className="max-w-[460px] text-ink-3">{children}</div>}
      {action !== undefined && <div className="mt-1">{action}</div>}
    </div>
  )
}
