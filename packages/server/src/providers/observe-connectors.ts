import { attemptOfKey } from '../platform/ids.ts'
import type { Metrics } from '../platform/metrics.ts'
import { type Facts, inStep } from '../platform/traces.ts'
import type { AttemptKey, AuthoriseOutcome, Connector, QueryOutcome, SubmitOutcome } from './contract.ts'
import type { Connectors } from './routing.ts'

type Outcome = SubmitOutcome | QueryOutcome | AuthoriseOutcome
type Call = (ref: AttemptKey, ...given: unknown[]) => Promise<Outcome>
type Calls = Readonly<Partial<Record<'submit' | 'query' | 'authorise', unknown>>>

/** The same connectors, with the time and outcome of every request about a payment counted and traced. */
export function observeConnectors({ live, sandbox }: Connectors, metrics: Metrics): Connectors {
  const observed = (env: string, connectors: ReadonlyMap<string, Connector>) =>
    new Map([...connectors].map(([id, connector]) => [id, observe(env, connector, metrics)]))
  return { live: observed('live', live), sandbox: observed('sandbox', sandbox) }
}

function observe(env: string, connector: Connector, metrics: Metrics): Connector {
  const { momoCharges, cardCharges, transferCharges, payouts, refunds } = connector
  const timed = <Rail extends Calls>(kind: string, rail: Rail): Rail => {
    const calls = Object.entries({ submit: kind, query: 'query', authorise: 'authorise' }).flatMap(
      ([name, operation]) => {
        const call = rail[name as keyof Calls] as Call | undefined
        if (!call) return []
        const count = metrics.providerDuration.startTimer.bind(metrics.providerDuration)
        const timedCall = time(call.bind(rail), () => count({ env, provider: connector.id, operation }))
        return [[name, traced(timedCall, operation, { 'malipo.env': env, 'malipo.provider': connector.id })]]
      },
    )
    return { ...rail, ...Object.fromEntries(calls) }
  }
  return {
    ...connector,
    ...(momoCharges && { momoCharges: timed('charge', momoCharges) }),
    ...(cardCharges && { cardCharges: timed('charge', cardCharges) }),
    ...(transferCharges && { transferCharges: timed('charge', transferCharges) }),
    ...(payouts && { payouts: timed('payout', payouts) }),
    ...(refunds && { refunds: timed('refund', refunds) }),
  }
}

function traced(call: Call, operation: string, facts: Facts): Call {
  return (ref, ...given) => {
    const found = attemptOfKey(ref.key)
    return inStep(
      {
        name: `provider ${operation}`,
        kind: 'client' as const,
        payment: found?.transactionId,
        facts: { ...facts, 'malipo.operation': operation, ...(found && { 'malipo.attempt': found.attempt }) },
        factsOf: (outcome) => ({ 'malipo.outcome': wordOf(outcome) }),
      },
      () => call(ref, ...given),
    )
  }
}

function time(call: Call, start: () => (labels: { outcome: string }) => void): Call {
  return async (...given) => {
    const end = start()
    try {
      const outcome = await call(...given)
      end({ outcome: wordOf(outcome) })
      return outcome
    } catch (error) {
      end({ outcome: 'error' })
      throw error
    }
  }
}

/** A closed set: certainties, causes of a request that was not sent or got no clear response, and what a query found. */
function wordOf(outcome: Outcome): string {
  if ('found' in outcome) return { yes: 'found', no: 'not_found', unclear: 'unclear' }[outcome.found]
  return 'cause' in outcome ? outcome.cause : outcome.certainty
}
