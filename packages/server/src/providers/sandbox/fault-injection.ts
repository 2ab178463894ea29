import { faultsOf } from '../../scenarios/catalogue.ts'
import type { AttemptRef, Connector, SubmitOutcome } from '../contract.ts'
import type { FaultOrder, Simulator } from './simulator.ts'

interface Rail<Attempt> {
  submit(attempt: Attempt, signal: AbortSignal): Promise<SubmitOutcome>
}

/**
 * Wraps a sandbox connector so that the simulator injects the faults of an attempt's scenario. Live connectors are
 * never wrapped, so no live payment can reach this code.
 */
export function withFaults(connector: Connector, simulator: Simulator): Connector {
  const { momoCharges, cardCharges, transferCharges, payouts, refunds } = connector
  return {
    ...connector,
    ...(momoCharges && { momoCharges: withScenario('charge', momoCharges, simulator) }),
    ...(cardCharges && { cardCharges: withScenario('charge', cardCharges, simulator) }),
    ...(transferCharges && { transferCharges: withScenario('charge', transferCharges, simulator) }),
    ...(payouts && { payouts: withScenario('payout', payouts, simulator) }),
    ...(refunds && { refunds: withScenario('refund', refunds, simulator) }),
  }
}

function withScenario<Attempt extends AttemptRef, Kind extends Rail<Attempt>>(
  operation: FaultOrder['operation'],
  rail: Kind & Rail<Attempt>,
  simulator: Simulator,
): Kind {
  return {
    ...rail,
    submit: async (attempt: Attempt, signal: AbortSignal) => {
      const { scenario, owner = '', ...plain } = attempt
      const submit = () => rail.submit(plain as Attempt, signal)
      const faults = scenario === undefined ? [] : faultsOf(scenario, operation)
      if (faults.length === 0) return submit()
      return (
        (await simulator.withFaults({ key: attempt.key, operation, owner, faults }, submit)) ?? unreachableSimulator
      )
    },
  }
}

const unreachableSimulator: SubmitOutcome = {
  certainty: 'definitely_not_submitted',
  cause: 'not_reached',
  detail: 'the simulator is unreachable; nothing was sent',
}
