import type { ReactNode } from 'react'

interface PageProps {
  readonly title: string
  /** A few words beside the title. */
  readonly about?: ReactNode
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** A page of cards: its title, its actions on the right, and its parts one under another. */
export function Page({ title, about, actions, children }: PageProps) {
  return (
    <div className="mx-auto grid w-full max-w-[1440px] gap-4 px-6 pt-5 pb-10 max-phone:px-4">
      <header className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <h1 className="text-xl font-semibold tracking-[-0.01em]">{title}</h1>
        {about !== undefined && <span className="text-ink-3">{about}</span>}
        <span className="flex-1" />
        {actions}
      </header>
      {children}
    </div>
  )
}
