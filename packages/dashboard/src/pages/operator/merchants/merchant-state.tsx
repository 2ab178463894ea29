import { Badge } from '../../../ui/badge.tsx'
import type { Merchant } from './queries.ts'

export function MerchantState({ state }: Pick<Merchant, 'state'>) {
  return state === 'frozen' ? (
    <Badge icon="pause" tone="fail" word="Frozen" />
  ) : (
    <Badge icon="done" tone="ok" word="Active" />
  )
}
