import type { ReactNode } from 'react'

/** Nothing is in this part of a page: what that means, in one line. */
export function Nothing({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <p className="px-4 pb-4 text-ink-3">
      <b className="font-medium text-ink-2">{title}.</b> {children}
    </p>
  )
}
