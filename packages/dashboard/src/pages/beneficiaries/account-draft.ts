import type { Schemas } from '../../generated/merchant-api.ts'

export type Account = Schemas['ExternalAccount']
type Destination = 'MoMo' | 'Bank Account' | 'Paybill' | 'Till'

/** The account of a beneficiary while a person enters it. */
export interface AccountDraft {
  readonly country: string
  readonly currency: string
  readonly destination: Destination
  /** Operator id or bank code. */
  readonly code: string
  readonly branchCode: string
  readonly businessNumber: string
  readonly accountNumber: string
  readonly accountName: string
}

export const emptyAccount: AccountDraft = {
  country: '',
  currency: '',
  destination: 'MoMo',
  code: '',
  branchCode: '',
  businessNumber: '',
  accountNumber: '',
  accountName: '',
}

export const draftOf = ({ country, currency, destination, payoutMethod }: Account): AccountDraft => ({
  country,
  currency,
  destination: destination as Destination,
  code: payoutMethod.code,
  branchCode: payoutMethod.branchCode,
  businessNumber: payoutMethod.businessNumber ?? '',
  accountNumber: payoutMethod.accountNumber,
  accountName: payoutMethod.accountName,
})

/** People write numbers with spaces and dashes. */
export const plainNumber = (number: string): string => number.replaceAll(/[\s().-]/g, '')

/** The account as a request names it. */
export function accountBody(draft: AccountDraft) {
  const { country, currency, destination, code, branchCode, businessNumber, accountNumber, accountName } = draft
  return {
    country,
    currency,
    destination,
    payoutMethod: {
      accountName: accountName.trim(),
      accountNumber: plainNumber(accountNumber),
      ...((destination === 'MoMo' || destination === 'Bank Account') && code !== '' && { code }),
      ...(destination === 'Bank Account' && branchCode !== '' && { branchCode }),
      ...(destination === 'Paybill' && { businessNumber: plainNumber(businessNumber) }),
    },
  }
}

export function isComplete(draft: AccountDraft): boolean {
  const { country, destination, code, businessNumber, accountNumber, accountName } = draft
  const isRailNamed = destination === 'Till' || (destination === 'Paybill' ? businessNumber : code) !== ''
  return country !== '' && isRailNamed && accountNumber.trim() !== '' && accountName.trim() !== ''
}
