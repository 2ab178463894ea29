import type { Context } from '../context.ts'
import { AppError, invalid } from '../errors.ts'
import {
  type Beneficiary,
  beneficiaryOf,
  type Destination,
  type PayoutMethod,
} from '../external-accounts/beneficiary.ts'
import { find } from '../external-accounts/store.ts'
import type { Owner } from '../platform/db.ts'
import { readId } from '../platform/ids.ts'
import type { PayoutTarget } from '../providers/contract.ts'
import { currencyOf } from '../reference/momo.ts'

/** Who is paid: an external account, or the four fields that describe one. */
export interface PayeeInput {
  readonly externalAccountId?: string
  readonly currency?: string
  readonly country?: string
  readonly destination?: Destination
  readonly payoutMethod?: PayoutMethod
}

/** The beneficiary: an external account, or the one that the request describes. */
export async function beneficiaryFor(ctx: Context, owner: Owner, body: PayeeInput): Promise<Beneficiary> {
  if (body.externalAccountId !== undefined) return storedBeneficiary(ctx, owner, body.externalAccountId, body)
  const { currency, country, destination, payoutMethod } = body
  const [first, ...rest] = (['currency', 'country', 'destination', 'payoutMethod'] as const)
    .filter((field) => body[field] === undefined)
    .map((field) => ({ field, message: `${field} is required without externalAccountId` }))
  if (first) throw invalid([first, ...rest])
  if (currency === undefined || country === undefined || !destination || !payoutMethod) throw new AppError('VALIDATION')
  currencyOf(currency)
  return beneficiaryOf(
    ctx.reference,
    { country, currency, destination, payoutMethod },
    (name) => `payoutMethod.${name}`,
  )
}

async function storedBeneficiary(ctx: Context, owner: Owner, shown: string, body: PayeeInput): Promise<Beneficiary> {
  const id = readId('external account', shown)
  const account = id === undefined ? undefined : await find(ctx.db.read, ctx.vault, owner, id)
  if (!account) throw new AppError('EXTERNAL_ACCOUNT_MISSING')
  for (const field of ['currency', 'country', 'destination'] as const) {
    if (body[field] !== undefined && body[field] !== account[field])
      throw invalid([{ field, message: `${field} is ${account[field]} in that external account; omit it` }])
  }
  if (body.payoutMethod !== undefined) refuseOtherMethod(account, body.payoutMethod)
  return account
}

function refuseOtherMethod(account: Beneficiary, method: PayoutMethod): void {
  const stored: Record<keyof PayoutMethod, string> = {
    accountName: account.account_name,
    accountNumber: account.account_number,
    code: account.code,
    branchCode: account.branch_code,
    businessNumber: account.business_number,
  }
  const plain = (text: string) => text.replace(/^\+/, '')
  for (const name of Object.keys(stored) as (keyof PayoutMethod)[]) {
    const sent = method[name]
    if (sent !== undefined && plain(sent) !== plain(stored[name])) {
      const field = `payoutMethod.${name}`
      throw invalid([{ field, message: `${field} differs from the external account; omit it` }])
    }
  }
}

export function targetOf(beneficiary: Beneficiary): PayoutTarget {
  const { destination, account_name, account_number, code, branch_code, business_number } = beneficiary
  switch (destination) {
    case 'MoMo':
      return { kind: 'momo', operator: code, phone: account_number, name: account_name }
    case 'Bank Account':
      return {
        kind: 'bank',
        bankCode: code,
        branchCode: branch_code,
        accountNumber: account_number,
        accountName: account_name,
      }
    case 'Paybill':
      return {
        kind: 'paybill',
        businessNumber: business_number,
        accountNumber: account_number,
        accountName: account_name,
      }
    case 'Till':
      return { kind: 'till', tillNumber: account_number, accountName: account_name }
  }
}
