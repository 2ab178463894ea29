import { Link, type LinkProps } from '@tanstack/react-router'
import type { Environment } from '../api/place.ts'

const environments = [
  { env: 'live', word: 'Live', dot: 'rounded-full bg-ok' },
  { env: 'sandbox', word: 'Sandbox', dot: 'bg-sand' },
] as const

interface EnvironmentSwitchProps {
  /** Missing on the operator's pages. */
  readonly merchantId: string | undefined
  readonly env: Environment
}

/** A merchant's people start at its home; the operator's staff stay on their page. */
export function EnvironmentSwitch({ merchantId, env }: EnvironmentSwitchProps) {
  return (
    <nav aria-label="Environment" className="inline-flex gap-0.5 rounded-sm bg-surface-3 p-0.5">
      {environments.map(({ env: each, word, dot }) => (
        <Link
          aria-current={each === env ? 'true' : undefined}
          className={`inline-flex h-[26px] items-center gap-1.5 rounded-[5px] px-2.5 text-xs font-medium ${each === env ? 'bg-raised text-ink ring-1 ring-line' : 'text-ink-2'}`}
          key={each}
          {...((merchantId === undefined
            ? { to: '.', search: { env: each } }
            : { to: '/m/$merchantId/$env', params: { merchantId, env: each } }) as LinkProps)}
        >
          <span className={`size-1.5 ${dot}`} />
          {word}
        </Link>
      ))}
    </nav>
  )
}
