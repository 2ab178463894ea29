import type { OutboundReply } from '../../platform/outbound-http.ts'
import type { NameOutcome } from '../contract.ts'
import { codeOf, readFields } from './messages.ts'

export function nameFrom(reply: OutboundReply): NameOutcome {
  if (reply.kind !== 'responded') return { found: 'unclear', detail: reply.kind }
  const fields = readFields(reply.text)
  if (reply.status === 404 && codeOf(fields, 'error') === 'NOT_FOUND') return { found: 'no' }
  const { accountId, accountName } = fields ?? {}
  if (reply.status !== 200 || typeof accountId !== 'string' || typeof accountName !== 'string')
    return { found: 'unclear', detail: `responded ${reply.status}` }
  return { found: 'yes', accountId, accountName }
}

export function rateFrom(reply: OutboundReply, pair: string): { buy: string; sell: string } {
  const { buy, sell } = (reply.kind === 'responded' && reply.status === 200 && readFields(reply.text)) || {}
  if (typeof buy === 'string' && typeof sell === 'string') return { buy, sell }
  throw new Error(`no rate of ${pair}: ${reply.kind === 'responded' ? reply.status : reply.kind}`)
}
