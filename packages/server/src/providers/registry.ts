import type { Currency } from '../money/currencies.ts'
import { openOutbound } from '../platform/outbound-http.ts'
import type { Secret } from '../platform/secret.ts'
import type { Connector } from './contract.ts'
import { createHouse } from './house/connector.ts'
import { createPawapay, type PawapayOperator } from './pawapay/connector.ts'
import type { Signer } from './pawapay/signatures.ts'
import type { Connectors } from './routing.ts'

/** Every provider there can be. Routes may name only these. */
export const providerIds = ['house', 'pawapay'] as const

/** How to reach the providers; what is not given is not there. */
export interface ProviderSettings {
  readonly simulatorUrl: string | undefined
  readonly simulatorToken: Secret | undefined
  readonly pawapayUrl: string | undefined
  readonly pawapayToken: Secret | undefined
  readonly pawapaySigner: Signer | undefined
}

/** What connectors must know of the data: which operators there are, and what each provider calls them. */
export interface ProviderData {
  readonly operators: ReadonlyMap<string, { readonly country: string; readonly currency: Currency }>
  readonly providerCodes: readonly { readonly provider: string; readonly id: string; readonly code: string }[]
}

/** The connectors of both environments. The sandbox's speak to the simulator, and only the live ones to real providers. */
export function openConnectors(
  settings: ProviderSettings,
  data: ProviderData,
): Connectors & { close(): Promise<void> } {
  const operators = pawapayOperators(data)
  const sandbox = sandboxConnectors(settings, operators)
  const live = liveConnectors(settings, operators)
  return {
    sandbox: byId(sandbox),
    live: byId(live),
    close: async () => {
      await Promise.all([...sandbox, ...live].map((connector) => connector.close()))
    },
  }
}

type Operators = ReadonlyMap<string, PawapayOperator>

function sandboxConnectors({ simulatorUrl: url, simulatorToken: token }: ProviderSettings, operators: Operators) {
  if (url === undefined || token === undefined) return []
  return [
    createPawapay({ baseUrl: `${url}/pawapay`, token, operators, requestsPerSecond: 1000 }),
    createHouse({ baseUrl: `${url}/house`, token, secret: token }),
  ]
}

function liveConnectors(settings: ProviderSettings, operators: Operators) {
  const { pawapayUrl: baseUrl, pawapayToken: token, pawapaySigner: signing } = settings
  if (baseUrl === undefined || token === undefined) return []
  return [createPawapay({ baseUrl, token, operators, ...(signing && { signing }) })]
}

function pawapayOperators({ operators, providerCodes }: ProviderData): Operators {
  const codes = providerCodes.filter(({ provider }) => provider === 'pawapay')
  return new Map(
    codes.flatMap(({ id, code }) => {
      const operator = operators.get(id)
      return operator ? [[id, { code, country: operator.country, currency: operator.currency }]] : []
    }),
  )
}

/** What customers and recipients do in the sandbox, by the key of an attempt. */
export interface Payers {
  /** False when the simulator does not know the key yet, or the payment has ended. */
  act(key: string, action: 'approve' | 'decline'): Promise<boolean>
  close(): Promise<void>
}

export function openPayers({ simulatorUrl, simulatorToken }: ProviderSettings): Payers | undefined {
  if (simulatorUrl === undefined || simulatorToken === undefined) return undefined
  const outbound = openOutbound({ baseUrl: simulatorUrl, connectionsMax: 4 })
  const headers = { authorization: `Bearer ${simulatorToken.reveal()}`, 'content-type': 'application/json' }
  return {
    act: async (key, action) => {
      const order = {
        method: 'POST',
        path: `/__sim/payer/${key}/act`,
        headers,
        body: JSON.stringify({ action }),
      } as const
      const reply = await outbound.call({ ...order, signal: AbortSignal.timeout(actMs) })
      return reply.kind === 'answered' && reply.status === 200
    },
    close: () => outbound.close(),
  }
}

const actMs = 2000

function byId(connectors: readonly Connector[]): ReadonlyMap<string, Connector> {
  return new Map(connectors.map((connector) => [connector.id, connector]))
}
