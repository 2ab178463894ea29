import { send, urlOf } from '../../api/call.ts'
import { merchantRoot } from '../../api/merchant-api.ts'
import type { Place } from '../../api/place.ts'
import { operations } from '../../generated/merchant-api.ts'
import { say } from '../../ui/toast.tsx'
import { apiFiltersOf } from './filter-fields.ts'
import type { PaymentFilters } from './filters.ts'

/**
 * Downloads what the filters select. The browser streams it to a file. A text to search for would be kept in the history of downloads
 * and in the logs of proxies, so it is sent in a body, and the response is read here first.
 */
export async function exportPayments(place: Place, filters: PaymentFilters, q: string): Promise<void> {
  const wanted = { ...apiFiltersOf(filters, q), bom: '1' }
  const root = merchantRoot(place)
  if (!('q' in wanted)) return download(urlOf(root, operations.getExportsTransactions, { query: wanted }))
  const response = await send(root, operations.postExportsTransactions, { body: wanted })
  const file = URL.createObjectURL(await response.blob())
  download(file)
  URL.revokeObjectURL(file)
}

function download(url: string): void {
  const link = document.createElement('a')
  link.href = url
  link.download = 'malipo-transactions.csv'
  link.click()
  say('The export has started', 'The browser stores it as malipo-transactions.csv. Its times are in UTC.')
}
