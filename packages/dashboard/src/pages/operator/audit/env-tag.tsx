import type { AuditEntry } from './audit-page.tsx'

const looks = {
  live: { word: 'Live', dot: 'rounded-full bg-ok' },
  sandbox: { word: 'Sandbox', dot: 'bg-sand' },
} as const

/** The environment of an entry. An entry about a person, or a merchant as a whole, concerns both. */
export function EnvTag({ env }: Pick<AuditEntry, 'env'>) {
  const { word, dot } = env ? looks[env] : { word: 'Both', dot: 'border border-ink-3' }
  return (
    <span className="inline-flex h-5 items-center gap-1 rounded-xs text-2xs font-medium whitespace-nowrap text-ink-2">
      <span className={`size-1.5 ${dot}`} />
      {word}
    </span>
  )
}
