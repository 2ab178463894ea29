import type { Core } from '../core.ts'
import type { Call, Reply } from '../dialect.ts'
import type { Operation } from '../entries.ts'
import { toAmount } from '../money.ts'
import { type Country, countries, countryOf, fitsCountry } from './countries.ts'
import { type Limits, type Money, type Provider, providers } from './providers.ts'
import { refuse } from './words.ts'

const operationTypes = { DEPOSIT: 'charge', PAYOUT: 'payout' } as const satisfies Record<string, Operation>
type OperationType = keyof typeof operationTypes

/** What this account may do, by country, provider and currency. */
export function activeConf(call: Call, signed: { readonly requests: boolean }): Reply {
  return forCountries(call, (country, types) => ({
    country: country.code,
    displayName: { en: country.en, fr: country.fr },
    prefix: country.prefix,
    flag: `https://static-content.pawapay.io/country_flags/${country.code.toLowerCase()}.svg`,
    providers: providersOf(country).map((provider) => ({
      provider: provider.id,
      displayName: provider.name,
      logo: `https://static-content.pawapay.io/company_logos/${provider.id.toLowerCase()}.png`,
      nameDisplayedToCustomer: 'MALIPO',
      currencies: provider.money.map((money) => ({
        currency: money.currency,
        displayName: money.currency,
        operationTypes: Object.fromEntries(types.map((type) => [type, conf(call.core, provider, money, type)])),
      })),
    })),
  }))((found) => ({
    companyName: 'Malipo Sandbox',
    signatureConfiguration: { signedRequestsOnly: signed.requests, signedCallbacks: true },
    countries: found,
  }))
}

export function availability(call: Call): Reply {
  return forCountries(call, (country, types) => ({
    country: country.code,
    providers: providersOf(country).map((provider) => ({
      provider: provider.id,
      operationTypes: types.map((operationType) => ({
        operationType,
        status: statusOf(call.core, provider, operationType),
      })),
    })),
  }))((found) => found)
}

/** Cleans a phone number and predicts its operator by the longest matching prefix. */
export function predictProvider({ json }: Call): Reply {
  const phone = typeof json === 'object' && json !== null ? (json as Record<string, unknown>)['phoneNumber'] : undefined
  if (typeof phone !== 'string' || phone === '')
    return refuse(400, 'MISSING_PARAMETER', 'The parameter phoneNumber is missing.')
  const digits = phone.replace(/\D/g, '').replace(/^00/, '')
  const country = countries.find((each) => fitsCountry(digits, each))
  const provider = country && predict(country, digits.slice(country.prefix.length))
  if (country === undefined || provider === undefined)
    return { status: 200, body: refuse(200, 'INVALID_PHONE_NUMBER', 'The phone number fits no provider.').body }
  return { status: 200, body: { country: country.code, provider: provider.id, phoneNumber: digits } }
}

export function walletBalances({ core, query }: Call): Reply {
  const asked = query.get('country')
  const pairs = new Set(
    providers.flatMap(({ country, money }) => money.map(({ currency }) => `${country}/${currency}`)),
  )
  const balances = [...pairs].flatMap((pair) => {
    const [country = '', currency = ''] = pair.split('/')
    if (asked !== null && asked !== country) return []
    const units = core.books.floats.available({ provider: 'pawapay', country, currency })
    return [{ country, balance: toAmount(units), currency, provider: '' }]
  })
  return { status: 200, body: { balances } }
}

type Builder = (country: Country, types: readonly OperationType[]) => unknown

/** Both lists take the same two filters and refuse unknown ones. */
function forCountries({ query }: Call, build: Builder): (wrap: (found: unknown[]) => unknown) => Reply {
  const country = query.get('country')
  const type = query.get('operationType')
  const types = (Object.keys(operationTypes) as OperationType[]).filter((each) => type === null || each === type)
  const chosen = countries.filter(({ code }) => country === null || code === country)
  return (wrap) => {
    if (chosen.length === 0 || types.length === 0)
      return refuse(400, 'INVALID_PARAMETER', 'The country or operationType is not known.')
    return { status: 200, body: wrap(chosen.map((each) => build(each, types))) }
  }
}

const providersOf = (country: Country) => providers.filter((provider) => provider.country === country.code)

function conf(core: Core, provider: Provider, money: Money, type: OperationType): unknown {
  const limits = type === 'DEPOSIT' ? money.deposit : money.payout
  return {
    ...(type === 'DEPOSIT' && authOf(provider)),
    minAmount: limits.min,
    maxAmount: limits.max,
    decimalsInAmount: decimalsText(limits),
    status: statusOf(core, provider, type),
    callbackUrl: core.tuning.callbackBase === '' ? '' : `${core.tuning.callbackBase}/pawapay`,
  }
}

const decimalsText = ({ decimals }: Limits) => (decimals === 0 ? 'NONE' : 'TWO_PLACES')

function authOf({ auth, pinPrompt }: Provider): object {
  if (auth === 'PREAUTH')
    return { authType: auth, authTokenInstructions: { channels: [ussd('*144*4*6#', 'Dial *144*4*6# for your code')] } }
  if (auth === 'REDIRECT_AUTH') return { authType: auth }
  return {
    authType: auth,
    pinPrompt,
    pinPromptRevivable: pinPrompt === 'MANUAL',
    pinPromptInstructions: { channels: [ussd('*000#', 'Dial the menu of your operator and approve with your PIN')] },
  }
}

const ussd = (code: string, text: string) => ({
  type: 'USSD',
  displayName: { en: 'USSD' },
  quickLink: `tel:${code.replace('#', '%23')}`,
  variables: {},
  instructions: { en: [{ text, template: text }] },
})

/** The availability under the active faults. */
function statusOf(core: Core, { id }: Provider, type: OperationType): string {
  const target = { provider: 'pawapay', operation: operationTypes[type], subjects: [{ operator: id }] }
  if (core.faults.isActive('operator_closed', target)) return 'CLOSED'
  return core.faults.isActive('operator_delayed', target) ? 'DELAYED' : 'OPERATIONAL'
}

function predict(country: Country, national: string): Provider | undefined {
  const { code } = countryOf(country.code)
  // Benin added 01 in front of its old numbers.
  const plain = code === 'BEN' && national.length === 10 ? national.slice(2) : national
  const candidates = providersOf(country).flatMap((provider) =>
    provider.prefixes
      .split(' ')
      .flatMap((prefix) => (prefix !== '' && plain.startsWith(prefix) ? [{ provider, prefix }] : [])),
  )
  return candidates.sort((one, other) => other.prefix.length - one.prefix.length)[0]?.provider
}
