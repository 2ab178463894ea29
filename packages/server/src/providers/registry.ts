import type { Currency } from '../money/currencies.ts'
import { Secret } from '../platform/secret.ts'
import type { Connector } from './contract.ts'
import { createFlutterwave } from './flutterwave/connector.ts'
import type { ZarContact } from './flutterwave/payouts.ts'
import { sandboxKeysOf } from './flutterwave/sandbox-keys.ts'
import { createHouse } from './house/connector.ts'
import { createPawapay, type PawapayOperator } from './pawapay/connector.ts'
import type { SignatureForm, Signer } from './pawapay/signatures.ts'
import type { Connectors } from './routing.ts'
import { withFaults } from './sandbox/fault-injection.ts'
import type { Simulator, SimulatorSettings } from './sandbox/simulator.ts'

/** Every possible provider. Routes may name only these. */
export const providerIds = ['flutterwave', 'house', 'pawapay'] as const

/** What people call each provider. */
export const providerNames: Readonly<Record<(typeof providerIds)[number], string>> = {
  flutterwave: 'Flutterwave',
  house: 'House',
  pawapay: 'pawaPay',
}

/** How to reach the providers. A provider without settings does not exist. */
export interface ProviderSettings extends SimulatorSettings {
  readonly pawapayUrl: string | undefined
  readonly pawapayToken: Secret | undefined
  readonly pawapaySigner: Signer | undefined
  readonly pawapaySignatures: SignatureForm
  readonly pawapayCallbacks: 'signed' | 'unsigned'
  readonly flutterwaveUrl: string | undefined
  readonly flutterwaveSecretKey: Secret | undefined
  readonly flutterwaveEncryptionKey: Secret | undefined
  readonly flutterwaveWebhookHash: Secret | undefined
  readonly pawapayRates: RequestRates
  readonly flutterwaveRates: RequestRates
  /** The rate limits of every provider in the simulator. */
  readonly sandboxRates: RequestRates
  readonly flutterwaveZarContact: ZarContact | undefined
}

type RequestRates = Pick<Connector, 'requestsPerSecond' | 'operationsPerSecond'>

/** The reference data that connectors need: the operators, and each provider's codes for operators and banks. */
export interface ProviderData {
  readonly operators: ReadonlyMap<string, { readonly country: string; readonly currency: Currency }>
  readonly providerCodes: readonly { readonly provider: string; readonly id: string; readonly code: string }[]
  readonly banks: ReadonlyMap<number, ProviderBank>
}

interface ProviderBank {
  readonly country: string
  readonly code: string
  readonly flutterwave: string | null
  readonly marks: 'unconfirmed' | null
}

/** The connectors of both environments. Sandbox connectors use the simulator, and only live ones reach real providers. */
export function openConnectors(
  settings: ProviderSettings,
  data: ProviderData,
  simulator: Simulator | undefined,
): Connectors & { close(): Promise<void> } {
  const operators = pawapayOperators(data)
  const banks = [...data.banks.values()]
  const simulated = sandboxConnectors(settings, { operators, bankCodes: bankCodesOf(banks) })
  const sandbox = simulator ? simulated.map((connector) => withFaults(connector, simulator)) : simulated
  const confirmed = bankCodesOf(banks.filter(({ marks }) => marks === null))
  const live = liveConnectors(settings, { operators, bankCodes: confirmed })
  return {
    sandbox: byId(sandbox),
    live: byId(live),
    close: async () => {
      await Promise.all([...sandbox, ...live].map((connector) => connector.close()))
    },
  }
}

/** The providers' codes for our operators and banks. */
interface ProviderNames {
  readonly operators: ReadonlyMap<string, PawapayOperator>
  readonly bankCodes: ReadonlyMap<string, string>
}

function sandboxConnectors(settings: ProviderSettings, names: ProviderNames) {
  const { simulatorUrl: url, simulatorToken: token, sandboxRates: rates } = settings
  if (url === undefined || token === undefined) return []
  const { operators, bankCodes } = names
  const { encryptionKey, webhookHash } = sandboxKeysOf(token.reveal())
  return [
    createPawapay({ baseUrl: `${url}/pawapay`, token, operators, ...rates }),
    createHouse({ baseUrl: `${url}/house`, token, secret: token, ...rates }),
    createFlutterwave({
      baseUrl: `${url}/flutterwave/v3`,
      secretKey: token,
      encryptionKey: new Secret(encryptionKey),
      webhookHash: new Secret(webhookHash),
      bankCodes,
      zarContact: { email: 'payee@example.com', phone: '27820000000', address: 'Cape Town' },
      ...rates,
    }),
  ]
}

function liveConnectors(settings: ProviderSettings, { operators, bankCodes }: ProviderNames): Connector[] {
  const { pawapayUrl, pawapayToken: token, pawapaySigner: signing, pawapaySignatures: signatureForm } = settings
  const areCallbacksSigned = settings.pawapayCallbacks === 'signed'
  const { flutterwaveUrl, flutterwaveSecretKey: secretKey } = settings
  const { flutterwaveEncryptionKey: encryptionKey, flutterwaveWebhookHash: webhookHash } = settings
  const { pawapayRates, flutterwaveRates, flutterwaveZarContact: zarContact } = settings
  const baseUrl = `${flutterwaveUrl}/v3`
  const pawapay = pawapayUrl !== undefined && token !== undefined
  const flutterwave = flutterwaveUrl !== undefined && secretKey && encryptionKey && webhookHash
  return [
    ...(pawapay
      ? [
          createPawapay({
            baseUrl: pawapayUrl,
            token,
            operators,
            ...pawapayRates,
            signatureForm,
            areCallbacksSigned,
            ...(signing && { signing }),
          }),
        ]
      : []),
    ...(flutterwave
      ? [
          createFlutterwave({
            baseUrl,
            secretKey,
            encryptionKey,
            webhookHash,
            bankCodes,
            ...(zarContact && { zarContact }),
            ...flutterwaveRates,
          }),
        ]
      : []),
  ]
}

function pawapayOperators({ operators, providerCodes }: ProviderData): ProviderNames['operators'] {
  const codes = providerCodes.filter(({ provider }) => provider === 'pawapay')
  return new Map(
    codes.flatMap(({ id, code }) => {
      const operator = operators.get(id)
      return operator ? [[id, { code, country: operator.country, currency: operator.currency }]] : []
    }),
  )
}

function bankCodesOf(banks: readonly ProviderBank[]): ProviderNames['bankCodes'] {
  return new Map(
    banks.flatMap(({ country, code, flutterwave }) =>
      flutterwave === null ? [] : [[`${country}:${code}`, flutterwave]],
    ),
  )
}

function byId(connectors: readonly Connector[]): ReadonlyMap<string, Connector> {
  return new Map(connectors.map((connector) => [connector.id, connector]))
}
