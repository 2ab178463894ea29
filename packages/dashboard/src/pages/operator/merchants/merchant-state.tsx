import { Badge } from '../parts/badge.tsx'
import type { Merchant } from './queries.ts'

export function MerchantState({ state }: Pick<Merchant, 'state'>) {
  return state === 'frozen' ? (
    <Badge icon="pause" tone="fail">
      Frozen
    </Badge>
  ) : (
    <Badge icon="done" tone="ok">
      Active
    </Badge>
  )
}
