import type { Schemas } from '../../../generated/operator-api.ts'
import { Badge } from '../../../ui/badge.tsx'
import { nameText } from '../parts/words.ts'

export type BoardRow = Schemas['ProviderBoard']['rows'][number]

/** Below this, of at least so many ended payments, a provider is shown as degraded. */
const degradedBelow = 0.8
const endedMin = 5

export const isDegraded = ({ last15Minutes: { successRate = 1, successful, failed } }: BoardRow): boolean =>
  successRate < degradedBelow && successful + failed >= endedMin

const Detail = ({ children }: { readonly children: string }) => (
  <span className="block text-xs text-ink-3">{children}</span>
)

/** Paused by staff, not responding, degraded or running. */
export function ProviderState({ row }: { readonly row: BoardRow }) {
  const { state, pauseReason, isUnhealthy, failures } = row
  const [first] = failures
  if (state === 'paused')
    return (
      <>
        <Badge icon="pause" tone="gone" word="Paused" />
        {pauseReason !== undefined && <Detail>{pauseReason}</Detail>}
      </>
    )
  if (isUnhealthy)
    return (
      <>
        <Badge icon="warn" tone="fail" word="Does not respond" />
        <Detail>New payments use other providers</Detail>
      </>
    )
  if (isDegraded(row))
    return (
      <>
        <Badge icon="warn" tone="warn" word="Degraded" />
        {first && <Detail>{nameText(first.code)}</Detail>}
      </>
    )
  return <Badge icon="done" tone="ok" word="Running" />
}
