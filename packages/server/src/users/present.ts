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
    ...sums(wallets, homeCurrencies.get(profile.home_country) ?? []),
    wallets: wallets.map(presentWallet),
    owed: wallets.flatMap(presentDebt),
  }
}

type Wallet = ProfileWallet & { readonly currency: Currency }

/** The currencies used in one country only. */
const homeCurrencies = Map.groupBy(Object.keys(currencies) as Currency[], (code): string => {
  const own = currencies[code]
  return 'country' in own ? own.country : ''
})

/** `<CUR>Wallet` for every currency: the available amount over all countries. Includes the home currency before it is used. */
function sums(wallets: readonly Wallet[], home: readonly Currency[]): Record<`${string}Wallet`, { balance: number }> {
  const totals = new Map<Currency, bigint>(home.map((code) => [code, 0n]))
  for (const { currency, available } of wallets) totals.set(currency, (totals.get(currency) ?? 0n) + BigInt(available))
  const entries = [...totals].map(([code, total]) => [`${code}Wallet`, { balance: numberFromMinor(total, code) }])
  return Object.fromEntries(entries)
}

/** What a wallet owes because a provider took back more than the balance; collected from its next credits. */
function presentDebt({ currency, country, owed }: Wallet) {
  return owed === '0' ? [] : [{ currency, country, amount: numberFromMinor(BigInt(owed), currency) }]
}

function presentWallet({ currency, country, available, pending }: Wallet) {
  const amount = (minor: bigint) => numberFromMinor(minor, currency)
  const [free, held] = [BigInt(available), BigInt(pending)]
  return { currency, country, balance: amount(free + held), available: amount(free), pending: amount(held) }
}
