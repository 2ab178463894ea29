import { faultsOf } from '../../scenarios/catalogue.ts'
import type { AttemptRef, Connector, SubmitOutcome } from '../contract.ts'
import type { PlayOrder, Simulator } from './simulator.ts'

interface Rail<Attempt> {
  submit(attempt: Attempt, signal: AbortSignal): Promise<SubmitOutcome>
}

/**
 * Wraps a sandbox connector so that the simulator injects the faults of an attempt's scenario. Live connectors are
 * never wrapped, so no live payment can reach this code.
 */
export function playing(connector: Connector, simulator: Simulator): Connector {
  const { momoCharges, cardCharges, transferCharges, payouts } = connector
  return {
    ...connector,
    ...(momoCharges && { momoCharges: onStage('charge', momoCharges, simulator) }),
    ...(cardCharges && { cardCharges: onStage('charge', cardCharges, simulator) }),
    ...(transferCharges && { transferCharges: onStage('charge', transferCharges, simulator) }),
    ...(payouts && { payouts: onStage('payout', payouts, simulator) }),
  }
}

function onStage<Attempt extends AttemptRef, Kind extends Rail<Attempt>>(
  operation: PlayOrder['operation'],
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
      return (await simulator.playing({ key: attempt.key, operation, owner, faults }, submit)) ?? notPlayed
    },
  }
}

const notPlayed: SubmitOutcome = {
  certainty: 'definitely_not_submitted',
  cause: 'not_reached',
  detail: 'the simulator is unreachable; nothing was sent',
}
