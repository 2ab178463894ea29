import { failureCodes } from '../../providers/failure-codes.ts'
import type { Payment } from '../model/store.ts'
import { type Decision, type DecisionInputs, failed, failureOf } from './decision.ts'
import { spread, timing } from './timing.ts'

/** The number of an attempt is one byte of its key. By then our float has been too low for ten days. */
const attemptsMax = 250

/**
 * The provider took a payout and ended it unpaid because our float there was too low. This is not a failure of the merchant or
 * the payee: the hold stays, and the payout is sent again as a new attempt, because the provider pays nothing more under the old
 * key. Until then it waits, and the operator is alerted each time.
 */
export function unfunded({ transaction, attempt }: Payment, around: DecisionInputs): Decision {
  const [elsewhere] = around.alternatives
  if (elsewhere === undefined && attempt.number >= attemptsMax)
    return failed(failureOf('PROVIDER_UNAVAILABLE'), failureCodes.PROVIDER_UNAVAILABLE)
  const waitMs = elsewhere === undefined ? (timing.shortfallStepsMs[attempt.number - 1] ?? timing.lastShortfallMs) : 0
  return {
    progress: {
      state: 'accepted',
      doubt: elsewhere === undefined ? 'float_exhausted' : '',
      failure: null,
      wake_at: new Date(around.nowMs + spread(waitMs, around.jitter)),
    },
    attempt: { outcome: 'failed', is_lost: false },
    reroute: elsewhere ?? attempt.provider,
    event: {
      message: 'The provider did not pay it; it will be sent again.',
      notifiesMerchant: transaction.state === 'unknown', // The merchant was notified of the doubt, and it is over.
      detail: { provider: attempt.provider, attempt: attempt.number },
    },
    alert: 'float at provider too low',
  }
}
