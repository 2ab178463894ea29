import assert from 'node:assert/strict'
import { test } from 'node:test'
import { movement, testLedger } from '../testing/ledger.ts'

test('money never moves directly from wallet to wallet, as one statement would lack the line', async (t) => {
  const ledger = await testLedger(t)
  const [one = '', two = ''] = await ledger.wallets(2, 1000n)

  const posting = ledger.poster.submit({
    wallets: [one, two],
    movements: [movement({ kind: 'transfer', debit_account: one, credit_account: two })],
  })

  await assert.rejects(posting, /a line belongs to one wallet/)
})

test('a missing wallet makes no movement', async (t) => {
  const ledger = await testLedger(t)
  const [wallet = ''] = await ledger.wallets(1, 1000n)
  const unknown = wallet.replace(/^.{8}/, '00000000')

  const posting = ledger.poster.submit({
    wallets: [unknown],
    movements: [
      movement({ kind: 'transfer', debit_account: await ledger.account('treasury'), credit_account: unknown }),
    ],
  })

  await assert.rejects(posting, /a wallet of the batch is missing/)
})
