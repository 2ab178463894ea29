import type { Context } from '../context.ts'
import { AppError, type Detail } from '../errors.ts'
import { type Beneficiary, beneficiaryOf, type PayoutMethod } from '../external-accounts/beneficiary.ts'
import { minorFromNumber, numberFromMinor } from '../money/money.ts'
import { type FoundQuote, findQuote } from '../payments/accept/quotes.ts'
import type { PayoutOrigin } from '../payments/controls/control-batch.ts'
import type { Owner } from '../platform/db.ts'
import { type Figures, type KeptFigures, readFigures } from './figures.ts'
import { beneficiaryFor } from './payee.ts'
import { type PayoutInput, providerFor, refuseForbidden, walletFor } from './price.ts'

/**
 * The figures of a quoted payout, exactly as they were quoted. Whatever else the request says must be what was quoted. What may
 * have changed since is checked again: currencies, places, the provider. Whether the quote may still be used is decided by the
 * batch that accepts the payout.
 */
export async function quotedFigures(
  ctx: Context,
  owner: Owner,
  quoteId: string,
  body: PayoutInput,
  origin: PayoutOrigin,
): Promise<QuotedFigures> {
  const { id, terms, refusalAt } = await findQuote<KeptFigures>(ctx, owner, 'payout', quoteId)
  const quoted = readFigures(terms)
  const details = [
    ...(await changedAccount(ctx, owner, quoted)),
    ...otherPayee(ctx, quoted, body),
    ...otherWallet(ctx, quoted, body),
    ...otherAmounts(quoted, terms.debitAmount, body),
  ]
  if (details.length > 0) throw new AppError('QUOTE_MISMATCH', { details })
  for (const place of [quoted.beneficiary, quoted.wallet]) await refuseForbidden(ctx, owner, origin, place)
  return { figures: { ...quoted, provider: providerFor(ctx, owner, quoted.beneficiary) }, quote: id, refusalAt }
}

interface QuotedFigures extends Pick<FoundQuote<KeptFigures>, 'refusalAt'> {
  readonly figures: Figures
  readonly quote: string
}

type Quoted = Omit<Figures, 'provider'>

const differs = (field: string): Detail => ({ field, message: `${field} differs from the quote` })

/** An external account that was changed since is not the one that was quoted; one that was deleted is not paid. */
async function changedAccount(ctx: Context, owner: Owner, quoted: Quoted): Promise<Detail[]> {
  const { externalAccountId, beneficiary } = quoted
  if (externalAccountId === undefined) return []
  const current = await beneficiaryFor(ctx, owner, { externalAccountId })
  if (fields.every((field) => current[field] === beneficiary[field])) return []
  return [{ field: 'externalAccountId', message: 'the external account was changed after the quote' }]
}

const fields = [
  ...(['country', 'currency', 'destination', 'account_name'] as const),
  ...(['account_number', 'code', 'branch_code', 'business_number'] as const),
] as const satisfies readonly (keyof Beneficiary)[]

/** The request's name of each field of a beneficiary. */
const names = {
  country: 'country',
  currency: 'currency',
  destination: 'destination',
  account_name: 'payoutMethod.accountName',
  account_number: 'payoutMethod.accountNumber',
  code: 'payoutMethod.code',
  branch_code: 'payoutMethod.branchCode',
  business_number: 'payoutMethod.businessNumber',
} as const satisfies Record<keyof Beneficiary, string>

/** Compares as payouts are read: a number in any form and an alias of an operator are the same. */
function otherPayee(ctx: Context, { beneficiary, externalAccountId }: Quoted, body: PayoutInput): Detail[] {
  const { externalAccountId: named, country, currency, destination, payoutMethod } = body
  const account = named === undefined || named === externalAccountId ? [] : [differs('externalAccountId')]
  if (country === undefined && currency === undefined && !destination && !payoutMethod) return account
  const meant = {
    country: country ?? beneficiary.country,
    currency: currency ?? beneficiary.currency,
    destination: destination ?? beneficiary.destination,
    payoutMethod: { ...methodOf(beneficiary), ...payoutMethod },
  }
  const read = readPayee(ctx, meant)
  if (!read) return [...account, differs(payoutMethod ? 'payoutMethod' : 'destination')]
  return [
    ...account,
    ...fields.filter((field) => read[field] !== beneficiary[field]).map((field) => differs(names[field])),
  ]
}

function readPayee(ctx: Context, meant: Parameters<typeof beneficiaryOf>[1]): Beneficiary | undefined {
  try {
    return beneficiaryOf(ctx.reference, meant, (name) => `payoutMethod.${name}`)
  } catch (error) {
    if (error instanceof AppError) return undefined // What cannot be read was not quoted.
    throw error
  }
}

function methodOf({ account_name, account_number, code, branch_code, business_number }: Beneficiary): PayoutMethod {
  return {
    accountName: account_name,
    accountNumber: account_number,
    code,
    branchCode: branch_code,
    businessNumber: business_number,
  }
}

/** A request that names whom to pay means a wallet too: by default the one in the currency that is paid. */
function otherWallet(ctx: Context, { beneficiary, wallet }: Quoted, body: PayoutInput): Detail[] {
  const { externalAccountId, country, currency, destination, payoutMethod, debitCountry } = body
  const isNamed = [externalAccountId, country, currency, destination, payoutMethod].some((each) => each !== undefined)
  const debitCurrency = body.debitCurrency ?? (isNamed ? beneficiary.currency : wallet.currency)
  if (debitCurrency !== wallet.currency) return [differs('debitCurrency')]
  if (!isNamed && debitCountry === undefined) return []
  const meant = { debitCurrency, ...(debitCountry !== undefined && { debitCountry }) }
  return readWallet(ctx, beneficiary, meant) === wallet.country ? [] : [differs('debitCountry')]
}

function readWallet(ctx: Context, beneficiary: Beneficiary, meant: PayoutInput): string | undefined {
  try {
    return walletFor(ctx, beneficiary, meant).country
  } catch (error) {
    if (error instanceof AppError) return undefined
    throw error
  }
}

function otherAmounts(quoted: Quoted, asked: number | undefined, { amount, debitAmount }: PayoutInput): Detail[] {
  const { currency } = quoted.beneficiary
  const debited = numberFromMinor(quoted.wallet_amount + quoted.fee, quoted.wallet.currency)
  const isOtherAmount = amount !== undefined && minorFromNumber(amount, currency) !== quoted.amount
  const isOtherDebit = debitAmount !== undefined && debitAmount !== asked && debitAmount !== debited
  return [...(isOtherAmount ? [differs('amount')] : []), ...(isOtherDebit ? [differs('debitAmount')] : [])]
}
