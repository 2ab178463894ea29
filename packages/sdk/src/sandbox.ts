import { MalipoError } from './errors.ts'
import type { Schemas } from './generated/api.ts'
import type { ApiResponse, CallOptions, Request, Transport } from './transport.ts'

/** The faults that the sandbox can inject. A newer server may support more. */
export type ScenarioName =
  | 'lost-answer'
  | 'late-callback'
  | 'duplicate-webhook'
  | 'out-of-order-webhook'
  | 'expiry'
  | (string & {})

/** The values that select the outcome of a sandbox payment. */
export type TestValues = Schemas['TestValues']

/** The fault that the next payment with this reference gets. */
export type ArmedScenario = Schemas['ArmedScenario']

/** How much was brought forward. */
export type AdvancedClock = Schemas['AdvancedClock']

/** Tools to test an integration. With a live key pair, each of them throws before anything is sent. */
export interface Sandbox {
  /** The phones, cards, accounts, amounts and codes that select an outcome, from the simulator itself. */
  testValues(options?: CallOptions): Promise<TestValues>
  readonly scenarios: {
    set(externalReference: string, scenario: ScenarioName, options?: CallOptions): Promise<void>
    list(options?: CallOptions): Promise<ArmedScenario[]>
    delete(externalReference: string, options?: CallOptions): Promise<void>
  }
  readonly clock: {
    /** Brings your due times (expiries, polls, webhook retries) forward by this many seconds. */
    advance(seconds: number, options?: CallOptions): Promise<AdvancedClock>
  }
  /** Ends a pending payment, or resends the webhook of a final one. */
  simulate(input: SimulatedEnd, options?: CallOptions): Promise<{ webhookId?: string }>
}

export interface SimulatedEnd {
  readonly externalReference: string
  readonly status: 'successful' | 'failed' | 'pending'
}

const utilities = '/utilities'

export function sandboxOf({ environment, send }: Transport): Sandbox {
  const sendInSandbox = async (
    request: Omit<Request, 'isRepeatable'>,
    options?: CallOptions,
  ): Promise<ApiResponse<unknown>> => {
    if (environment !== 'sandbox')
      throw new MalipoError('This call exists in the sandbox only, and the key pair is live. Use a pk_test_ key pair.')
    return send({ ...request, path: utilities + request.path, isRepeatable: request.method !== 'POST' }, options)
  }
  const dataOf = <Data>({ body }: ApiResponse<unknown>) => (body as { data: Data }).data
  const armed = (externalReference: string) => `/scenarios/${encodeURIComponent(externalReference)}`
  return {
    testValues: async (options) => dataOf(await sendInSandbox({ method: 'GET', path: '/test-values' }, options)),
    scenarios: {
      set: async (externalReference, scenario, options) =>
        void (await sendInSandbox({ method: 'PUT', path: armed(externalReference), body: { scenario } }, options)),
      list: async (options) => dataOf(await sendInSandbox({ method: 'GET', path: '/scenarios' }, options)),
      delete: async (externalReference, options) =>
        void (await sendInSandbox({ method: 'DELETE', path: armed(externalReference) }, options)),
    },
    clock: {
      advance: async (seconds, options) =>
        dataOf(await sendInSandbox({ method: 'POST', path: '/clock/advance', body: { seconds } }, options)),
    },
    simulate: async ({ externalReference, status }, options) => {
      const body = { externalReference, webhookStatus: status }
      const { headers } = await sendInSandbox({ method: 'POST', path: '/simulate-webhook', body }, options)
      const webhookId = headers.get('x-webhook-id')
      return webhookId === null ? {} : { webhookId }
    },
  }
}
