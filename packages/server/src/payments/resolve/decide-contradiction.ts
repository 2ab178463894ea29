import type { ProviderStatus } from '../../providers/contract.ts'
import { movedOf } from '../late-money/late-money.ts'
import { isFinal } from '../model/state.ts'
import type { Attempt, Transaction } from '../model/store.ts'
import type { Decision } from './decision.ts'

/** A payment, and the attempt that a report is about. */
interface About {
  readonly transaction: Transaction
  readonly attempt: Attempt
}

const message = 'The provider reported a status that cannot be booked; nothing has changed.'
const alert = 'provider status not booked: it contradicts the payment'

/** A report that cannot be booked becomes an event and alerts the operator, once for a payment that has ended. */
export function contradicted({ transaction, attempt }: About, detail: Record<string, unknown>): Decision | undefined {
  const { state, doubt } = transaction
  const isOver = isFinal(state)
  if (isOver ? doubt === 'contradicted' : attempt.moved !== null) return undefined
  const noted: Pick<Decision, 'progress' | 'late'> = isOver
    ? { progress: { doubt: 'contradicted' } }
    : { progress: {}, late: { attempt: attempt.number, moved: movedOf(transaction, attempt) } }
  return {
    ...noted,
    event: { message, notifiesMerchant: false, detail: { attempt: attempt.number, ...detail } },
    alert,
  }
}

/** Only receipts show what came into the account of a charge, so another report against its end books nothing. */
export function wordAgainstEnd(about: About, providerStatus: ProviderStatus): Decision | undefined {
  const against = { successful: ['failed', 'reversed'], failed: ['successful'] } as const
  const { state } = about.transaction
  const words: readonly string[] = state === 'successful' || state === 'failed' ? against[state] : []
  return words.includes(providerStatus.state) ? contradicted(about, { reported: providerStatus.state }) : undefined
}
