import { openOutbound } from '../../platform/outbound-http.ts'
import type { Secret } from '../../platform/secret.ts'

/** How to reach the simulator. Without both settings there is none. */
export interface SimulatorSettings {
  readonly simulatorUrl: string | undefined
  readonly simulatorToken: Secret | undefined
}

/** The values that choose an outcome in the simulator, in its own format. */
interface SimulatedValues {
  phones: NumberValue[]
  accounts: NumberValue[]
  /** Amounts of refunds. */
  refunds: NumberValue[]
  cards: CardValue[]
  otps: { value: string; kind: string; for: string; what: string }[]
}

interface NumberValue {
  value: string
  ending: string
  for: string
  outcome: string
  what: string
}

interface CardValue {
  number: string
  expiry?: string
  asks: string
  pins?: string[]
  otps?: string[]
  outcome: string
  what: string
}

/** The simulator's control functions. */
export interface Simulator {
  /** Acts as the customer or recipient of an attempt. False when the simulator does not know the key yet or the payment ended. */
  act(key: string, action: 'approve' | 'decline'): Promise<boolean>
  /** Takes a phone for the person who plays its owner, and lists its open prompts. Undefined when the simulator does not respond. */
  promptsOf(phone: string): Promise<readonly SimulatedPrompt[] | undefined>
  /** Injects these faults once into the payment that `work` sends. Undefined when the simulator does not accept them. */
  withFaults<Result>(order: FaultOrder, work: () => Promise<Result>): Promise<Result | undefined>
  /** Moves time forward for one merchant's scenario payments. False when the simulator does not respond. */
  passTime(owner: string, ms: number): Promise<boolean>
  /** The outcomes of test phones, accounts, cards and codes. Undefined when the simulator does not respond. */
  testValues(): Promise<SimulatedValues | undefined>
  close(): Promise<void>
}

/** A customer is asked for a PIN. */
export interface SimulatedPrompt {
  /** The key of the attempt. */
  readonly key: string
  /** The provider's code for the operator. */
  readonly operator: string
  readonly amount: string
  readonly currency: string
  /** Until it ends by itself; null if it waits for the person. */
  readonly leftMs: number | null
}

export interface FaultOrder {
  /** The key of the attempt. */
  readonly key: string
  readonly operation: 'charge' | 'payout' | 'refund'
  /** The merchant who owns the payment. */
  readonly owner: string
  readonly faults: readonly object[]
}

/** The timeout of a call to the simulator. */
export const simulatorTimeoutMs = 2000

export function openSimulator({ simulatorUrl, simulatorToken }: SimulatorSettings): Simulator | undefined {
  if (simulatorUrl === undefined || simulatorToken === undefined) return undefined
  const outbound = openOutbound({ baseUrl: simulatorUrl, connectionsMax: 4 })
  const headers = { authorization: `Bearer ${simulatorToken.reveal()}`, 'content-type': 'application/json' }
  const ask = async (method: 'GET' | 'POST' | 'DELETE', path: string, body?: object): Promise<string | undefined> => {
    const sent = body && { body: JSON.stringify(body) }
    const signal = AbortSignal.timeout(simulatorTimeoutMs)
    const reply = await outbound.call({ method, path: `/__sim/${path}`, headers, signal, ...sent })
    return reply.kind === 'responded' && reply.status < 300 ? reply.text : undefined
  }
  const add = async ({ key, operation, owner }: FaultOrder, fault: object) => {
    const added = await ask('POST', 'faults', { provider: '*', operation, owner, match: { key }, times: 1, ...fault })
    return added === undefined ? undefined : (JSON.parse(added) as { id: string }).id
  }
  return {
    act: async (key, action) => (await ask('POST', `payer/${key}/act`, { action })) !== undefined,
    promptsOf: async (phone) => {
      const text = await ask('POST', 'handset', { phone })
      return text === undefined ? undefined : (JSON.parse(text) as { items: SimulatedPrompt[] }).items
    },
    withFaults: async (order, work) => {
      const ids = await Promise.all(order.faults.map((fault) => add(order, fault)))
      try {
        return ids.includes(undefined) ? undefined : await work()
      } finally {
        // A payment keeps the faults it drew. The others must not strike later requests.
        await Promise.all(ids.map((id) => id !== undefined && ask('DELETE', `faults/${id}`)))
      }
    },
    passTime: async (owner, ms) => (await ask('POST', 'time/pass', { owner, ms })) !== undefined,
    testValues: async () => {
      const text = await ask('GET', 'test-values')
      return text === undefined ? undefined : (JSON.parse(text) as SimulatedValues)
    },
    close: () => outbound.close(),
  }
}
