import { invalid } from '../errors.ts'
import type { Owner } from '../platform/db.ts'

/** Checks the merchant's page that customers are sent to. Only the sandbox accepts one without TLS. */
export function refuseNoPage({ env }: Owner, field: string, url: string | undefined): void {
  if (url === undefined) return
  const protocol = URL.canParse(url) ? new URL(url).protocol : ''
  const isPage = url.length <= 2048 && (protocol === 'https:' || (env === 'sandbox' && protocol === 'http:'))
  if (!isPage) throw invalid([{ field, message: `${field} must be a URL such as https://shop.example.com/paid` }])
}
