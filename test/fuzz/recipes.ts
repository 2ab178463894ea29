import type { Random } from '../support/cluster/random.ts'
import type { World } from './world.ts'

interface Recipe {
  readonly places?: Record<string, string>
  readonly query?: [string, string][]
  readonly body?: object
}

/** Makes operations succeed for which single random values rarely do. */
export function recipeFor(operation: string, world: World, random: Random): Recipe | undefined {
  const externalReference = `recipe-${world.seed}-${Math.floor(random() * 2 ** 40)}`
  const email = 'amina@example.com'
  const toMomo = {
    ...{ country: 'KE', currency: 'KES', destination: 'MoMo' },
    payoutMethod: { accountName: 'Amina', accountNumber: `+2547034${10_000 + random.below(90_000)}` },
  }
  const payout = { ...toMomo, amount: 10, externalReference }
  const recipes: Readonly<Record<string, Recipe | undefined>> = {
    postFiatDepositMomo: { body: { amount: 100, currency: 'KES', phoneNumber: '+254703456789', externalReference } },
    postFiatDepositBankTransfer: { body: { amount: 2500, currency: 'NGN', email, externalReference } },
    postFiatDepositCard: { body: cardCharge(externalReference) },
    postFiatDepositTransactionIdAuthorise: {
      places: { transactionId: random.pick(world.cards) },
      body: random.pick([
        { type: 'pin', value: '1234' },
        { type: 'otp', value: '123456' },
      ]),
    },
    postFiatPayout: { body: payout },
    postFiatPayoutsBulk: {
      body: { payouts: [1, 2, 3].map((each) => ({ ...payout, externalReference: `${externalReference}-${each}` })) },
    },
    postExternalAccounts: { body: toMomo },
    putExternalAccountsExternalAccountId: { body: toMomo },
    postUtilitiesAccountResolve: {
      body: { method: 'momo', accountNumber: '+254703456789', currency: 'KES', momoOperator: 'MPESA_KE' },
    },
    getUtilitiesRates: {
      query: [
        ['from', 'USD'],
        ['to', 'KES'],
        ['amount', '10'],
      ],
    },
    getUtilitiesBranches: { query: [['bankId', '280']] },
    getWalletsStatement: { query: [['currency', 'KES']] },
  }
  return recipes[operation]
}

/** With a card that asks for a PIN and then for a code. */
export function cardCharge(externalReference: string): object {
  return {
    ...{ amount: 1500, currency: 'KES', email: 'amina@example.com', firstName: 'Amina', lastName: 'Otieno' },
    ...{ ipAddress: '196.201.214.1', externalReference },
    cardDetails: { number: '5531886652142950', cvv: '123', expMonth: '09', expYear: '2032' },
  }
}
