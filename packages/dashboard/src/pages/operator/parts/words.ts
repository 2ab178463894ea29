import type { Schemas } from '../../../generated/operator-api.ts'
import { providerNames } from '../../../generated/operator-values.ts'
import { amountsGrouped } from '../../../ui/amounts-grouped.ts'
import { shortId } from '../../../ui/copy-text.tsx'

/** How long something has lasted: `26 h 3 min`, `4 min 42 s`. */
export function ageText(seconds: number): string {
  const all = Math.max(0, Math.round(seconds))
  if (all < 60) return `${all} s`
  const minutes = Math.floor(all / 60)
  if (minutes < 10) return `${minutes} min ${all % 60} s`
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  return hours < 72 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} days`
}

export const percentText = (rate: number | undefined): string =>
  rate === undefined ? '–' : `${(rate * 100).toFixed(rate === 1 ? 0 : 1)} %`

export const secondsText = (seconds: number | undefined): string => {
  if (seconds === undefined) return '–'
  if (seconds < 10) return `${seconds.toFixed(1)} s`
  return seconds < 120 ? `${Math.round(seconds)} s` : ageText(seconds)
}

export const countText = (count: number): string => count.toLocaleString('en')

/** `no_response` as words. */
export const nameText = (name: string): string => name.replaceAll('_', ' ')

export const upperFirst = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`

const methods: Readonly<Record<string, string>> = {
  momo: 'mobile money',
  bank: 'bank',
  card: 'card',
  'bank-transfer': 'bank transfer',
}

/** `pawaPay` of `pawapay`. */
export const providerText = (provider: string): string => providerNames[provider] ?? provider

export const methodText = (method: string): string => methods[method] ?? method

type AccountKind = Schemas['LedgerAccount']['kind']

/** Each kind of account: its name, and what is in it. In the order of the trial balance. */
export const accountKinds: Readonly<Record<AccountKind, { readonly word: string; readonly what: string }>> = {
  wallet: { word: 'Wallets', what: 'of merchants' },
  float: { word: 'Float', what: 'at providers' },
  treasury: { word: 'Treasury', what: 'our bank' },
  clearing: { word: 'Clearing', what: 'in transit' },
  fx_position: { word: 'FX position', what: 'net' },
  fx_income: { word: 'FX income', what: 'spread' },
  fees: { word: 'Fees', what: 'earned' },
  cost: { word: 'Cost', what: 'providers’ fees' },
  suspense: { word: 'Suspense', what: 'not assigned yet' },
  receivable: { word: 'Receivable', what: 'owed to us' },
}

export const accountKindNames = Object.keys(accountKinds) as AccountKind[]

/** An account of an entry in two lines: what it is, and of which merchant. */
export function accountLines(name: string): readonly [string, string] {
  const [what = name, of] = name.replace(/ \(mer_\w+\)$/, '').split(' of ')
  return [upperFirst(what).replace(/^Fx\b/, 'FX'), of ?? '']
}

/** A sentence of the server with the middle of its ids left out, and its amounts as on the page. */
export const shortText = (sentence: string): string =>
  amountsGrouped(sentence).replaceAll(/\b[a-z]+_[0-9a-f]{32}\b/g, shortId)

/** What an entry of each kind does. */
export const entryKinds: Readonly<Record<string, string>> = {
  hold: 'Hold',
  post: 'Hold becomes posted',
  void: 'Hold ended',
  transfer: 'Posted',
}
