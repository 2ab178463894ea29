import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Payout } from './index.ts'

const sum = { amount: 100, externalReference: 'salary-1' }
const kenya = { ...sum, currency: 'KES', country: 'KE' }

const accepted: Payout[] = [
  { ...sum, externalAccountId: 'ea_1' },
  { ...kenya, destination: 'MoMo', payoutMethod: { accountName: 'Amina', accountNumber: '+254703456789' } },
  { ...kenya, destination: 'Bank Account', payoutMethod: { accountName: 'A', accountNumber: '1', code: '01' } },
  { ...kenya, destination: 'Paybill', payoutMethod: { accountName: 'A', accountNumber: '1', businessNumber: '4' } },
  {
    ...kenya,
    currency: 'a currency of later',
    destination: 'Till',
    payoutMethod: { accountName: 'A', accountNumber: '1' },
  },
]

const refused: Payout[] = [
  // @ts-expect-error A payout needs an external account or a destination.
  { ...kenya },
  // @ts-expect-error A destination needs its payout method.
  { ...kenya, destination: 'MoMo' },
  // @ts-expect-error Mobile money needs the phone number.
  { ...kenya, destination: 'MoMo', payoutMethod: { accountName: 'Amina' } },
  // @ts-expect-error A bank account needs the code of its bank.
  { ...kenya, destination: 'Bank Account', payoutMethod: { accountName: 'A', accountNumber: '1' } },
  // @ts-expect-error A paybill needs the number of its business.
  { ...kenya, destination: 'Paybill', payoutMethod: { accountName: 'A', accountNumber: '1' } },
  // @ts-expect-error Mobile money is spelt MoMo.
  { ...kenya, destination: 'momo', payoutMethod: { accountName: 'A', accountNumber: '1' } },
]

test('the type of a payout accepts each complete form, and the compiler refuses each incomplete one', () => {
  assert.equal(accepted.length, 5)
  assert.equal(refused.length, 6)
})
