let references = 0

/** A payout of shillings to a phone, with a reference of its own. */
export function payoutBody(amount: number, over: object = {}) {
  references += 1
  return {
    amount,
    currency: 'KES',
    country: 'KE',
    destination: 'MoMo',
    payoutMethod: { accountName: 'Amina', accountNumber: '+254703456789' },
    externalReference: `payout-${references}`,
    ...over,
  }
}

/** The same to another number. */
export const to = (accountNumber: string) => ({ payoutMethod: { accountName: 'Amina', accountNumber } })
