import { CallError, urlOf } from '../../api/call.ts'
import { merchantRoot } from '../../api/merchant-api.ts'
import type { Place } from '../../api/place.ts'
import { operations } from '../../generated/merchant-api.ts'
import { say } from '../../ui/toast.tsx'
import { apiFiltersOf } from './filter-fields.ts'
import type { PaymentFilters } from './filters.ts'

/**
 * Downloads what the filters select. The browser streams it to a file. A search text would be kept in the history of downloads, so
 * with one the response is read here first.
 */
export async function exportPayments(place: Place, filters: PaymentFilters, q: string): Promise<void> {
  const query = { ...apiFiltersOf(filters, q), bom: '1' }
  const url = urlOf(merchantRoot(place), operations.getExportsTransactions, { query })
  if (q === '') return download(url)
  const response = await fetch(url)
  if (!response.ok) throw new CallError(response.status, (await response.json().catch(() => ({}))) as object)
  const file = URL.createObjectURL(await response.blob())
  download(file)
  URL.revokeObjectURL(file)
}

function download(url: string): void {
  const link = document.createElement('a')
  link.href = url
  link.download = 'malipo-transactions.csv'
  link.click()
  say('The export has started', 'The browser stores it as malipo-transactions.csv.')
}
