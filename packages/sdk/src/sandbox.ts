import { MalipoError } from './errors.ts'
import type { Schemas } from './generated/api.ts'
import type { Answer, CallOptions, Request, Transport } from './transport.ts'

/** What can be made to go wrong. A newer server may know more. */
export type ScenarioName =
  | 'lost-answer'
  | 'late-callback'
  | 'duplicate-webhook'
  | 'out-of-order-webhook'
  | 'expiry'
  | (string & {})

/** What chooses the outcome of a payment in the sandbox. */
export type TestValues = Schemas['TestValues']

/** What will go wrong with the payment that will have this reference. */
export type StandingScenario = Schemas['StandingScenario']

/** What was brought nearer. */
export type AdvancedClock = Schemas['AdvancedClock']

/** Tools for trying an integration. With a live key pair every one of them throws before anything is sent. */
export interface Sandbox {
  /** The phones, cards, accounts, amounts and codes that choose an outcome, as the simulator itself knows them. */
  testValues(options?: CallOptions): Promise<TestValues>
  readonly scenarios: {
    set(externalReference: string, scenario: ScenarioName, options?: CallOptions): Promise<void>
    list(options?: CallOptions): Promise<StandingScenario[]>
    delete(externalReference: string, options?: CallOptions): Promise<void>
  }
  readonly clock: {
    /** Pulls what is due to you later (expiries, looks, webhooks to be tried again) forward by so many seconds. */
    advance(seconds: number, options?: CallOptions): Promise<AdvancedClock>
  }
  /** Brings a pending payment to an end, or has the webhook of a final one sent again. */
  simulate(wish: SimulatedEnd, options?: CallOptions): Promise<{ webhookId?: string }>
}

export interface SimulatedEnd {
  readonly externalReference: string
  readonly status: 'successful' | 'failed' | 'pending'
}

const utilities = '/utilities'

export function sandboxOf({ environment, send }: Transport): Sandbox {
  const ask = async (request: Omit<Request, 'isRepeatable'>, options?: CallOptions): Promise<Answer<unknown>> => {
    if (environment !== 'sandbox')
      throw new MalipoError('This is for the sandbox only, and the key pair is a live one.')
    return send({ ...request, path: utilities + request.path, isRepeatable: request.method !== 'POST' }, options)
  }
  const dataOf = <Data>({ body }: Answer<unknown>) => (body as { data: Data }).data
  const standing = (externalReference: string) => `/scenarios/${encodeURIComponent(externalReference)}`
  return {
    testValues: async (options) => dataOf(await ask({ method: 'GET', path: '/test-values' }, options)),
    scenarios: {
      set: async (externalReference, scenario, options) =>
        void (await ask({ method: 'PUT', path: standing(externalReference), body: { scenario } }, options)),
      list: async (options) => dataOf(await ask({ method: 'GET', path: '/scenarios' }, options)),
      delete: async (externalReference, options) =>
        void (await ask({ method: 'DELETE', path: standing(externalReference) }, options)),
    },
    clock: {
      advance: async (seconds, options) =>
        dataOf(await ask({ method: 'POST', path: '/clock/advance', body: { seconds } }, options)),
    },
    simulate: async ({ externalReference, status }, options) => {
      const body = { externalReference, webhookStatus: status }
      const { headers } = await ask({ method: 'POST', path: '/simulate-webhook', body }, options)
      const webhookId = headers.get('x-webhook-id')
      return webhookId === null ? {} : { webhookId }
    },
  }
}
