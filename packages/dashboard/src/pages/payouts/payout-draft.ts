import type { Schemas } from '../../generated/merchant-api.ts'
import { readAmount } from '../../ui/amount.ts'
import { type AccountDraft, accountBody, emptyAccount, isComplete } from '../beneficiaries/account-draft.ts'

export type Wallet = Schemas['UserProfile']['wallets'][number]

/** A payout while a person enters it. */
export interface PayoutDraft {
  /** The saved beneficiary; undefined for an account that is entered here. */
  readonly externalAccountId: string | undefined
  readonly account: AccountDraft
  readonly amount: string
  /** `KES KE`; empty for the wallet that fits the account. */
  readonly wallet: string
  readonly reference: string
  /** The person decided to pay although the names differ. */
  readonly hasDecided: boolean
}

export const emptyPayout: PayoutDraft = {
  externalAccountId: undefined,
  account: emptyAccount,
  amount: '',
  wallet: '',
  reference: '',
  hasDecided: false,
}

export const walletKey = ({ currency, country }: Pick<Wallet, 'currency' | 'country'>): string =>
  `${currency} ${country}`

/** The chosen wallet, or the one of the beneficiary's currency. */
export function walletOf({ wallet, account }: PayoutDraft, wallets: readonly Wallet[]): Wallet | undefined {
  const same = wallets.filter(({ currency }) => currency === account.currency)
  return (
    wallets.find((each) => walletKey(each) === wallet) ??
    same.find(({ country }) => country === account.country) ??
    same[0] ??
    wallets[0]
  )
}

/** What the server is asked to price: everything but the reference. Nothing until the account is complete. */
export function quoteBody(draft: PayoutDraft, wallet: Wallet | undefined) {
  const { externalAccountId, account } = draft
  const { amount } = readAmount(draft.amount, account.currency)
  if (!isComplete(account) || amount === undefined || !wallet) return undefined
  const debit = { debitCurrency: wallet.currency, debitCountry: wallet.country }
  const to = externalAccountId === undefined ? accountBody(account) : { externalAccountId }
  return { ...to, ...debit, amount: Number(amount) } as Schemas['QuoteOfPayoutToExternalAccount'] & { amount: number }
}

export type QuoteBody = NonNullable<ReturnType<typeof quoteBody>>
