import { type Currency, currencies, isCurrency } from '../money/currencies.ts'
import { numberFromMinor } from '../money/money.ts'
import type { Profile, ProfileWallet } from './profile.ts'

export function presentProfile(profile: Profile, publicKey: string) {
  const wallets = profile.wallets.flatMap((wallet) =>
    isCurrency(wallet.currency) ? [{ ...wallet, currency: wallet.currency }] : [],
  )
  return {
    success: true as const,
    firstName: profile.first_name,
    lastName: profile.last_name,
    email: profile.email,
    publicKey,
    webhookUrl: profile.webhook_url,
    sandboxWebhookUrl: profile.sandbox_webhook_url,
    ...sums(wallets, homeCurrencies(profile.home_country)),
    wallets: wallets.map(presentWallet),
  }
}

type Wallet = ProfileWallet & { readonly currency: Currency }

const isOf = (country: string) => (entry: [string, object]) => 'country' in entry[1] && entry[1].country === country
const homeCurrencies = (country: string) =>
  Object.entries(currencies)
    .filter(isOf(country))
    .map(([code]) => code as Currency)

/** `<CUR>Wallet` of every currency: what may be spent, over all countries. The home currency is there before it is used. */
function sums(wallets: readonly Wallet[], home: readonly Currency[]): Record<`${string}Wallet`, { balance: number }> {
  const codes = new Set([...home, ...wallets.map(({ currency }) => currency)])
  return Object.fromEntries(
    [...codes].map((code) => {
      const same = wallets.filter(({ currency }) => currency === code)
      const sum = same.reduce((total, { available }) => total + BigInt(available), 0n)
      return [`${code}Wallet`, { balance: numberFromMinor(sum, code) }]
    }),
  )
}

function presentWallet({ currency, country, available, pending }: Wallet) {
  const amount = (minor: bigint) => numberFromMinor(minor, currency)
  const [free, held] = [BigInt(available), BigInt(pending)]
  return { currency, country, balance: amount(free + held), available: amount(free), pending: amount(held) }
}
