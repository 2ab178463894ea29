import type { ReactNode } from 'react'

/** Names and values of one thing, two in a row. */
export function Facts({ facts }: { readonly facts: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className="grid grid-cols-2 gap-x-6 gap-y-2.5">
      {facts.map(([name, value]) => (
        <div className="min-w-0" key={name}>
          <dt className="text-2xs text-ink-3">{name}</dt>
          <dd className="break-words">{value}</dd>
        </div>
      ))}
    </dl>
  )
}
