import assert from 'node:assert/strict'
import { formatMinor } from '../../money/money.ts'
import type { Receipt, SubmitOutcome, VirtualAccount } from '../contract.ts'
import {
  accepted,
  amountReported,
  type Bench,
  type Case,
  callbacksFor,
  type Flow,
  found,
  movedNothing,
  observationsOf,
  stillOpen,
  strike,
  succeeded,
  type Trial,
  unknown,
} from './bench.suite.ts'

/** Accounts that customers pay into: too little, too much, twice, late, or not at all. */
export const transferCases: readonly Case[] = [
  {
    guarantee: 'a transfer charge opens an account with a bank and an expiry',
    run: async ({ examples }) => {
      const { accountNumber, bankName, expiresAt } = accountIn(await examples.succeeds().submit())

      assert.match(accountNumber, /^\d{6,20}$/)
      assert.ok(bankName.length > 0)
      assert.ok(new Date(expiresAt).toISOString() === expiresAt && Date.parse(expiresAt) > Date.now())
    },
  },
  {
    guarantee: 'partial payments are reported one by one, each with its own stable id',
    run: async (flow, bench) => {
      const { trial, pay } = await opened(flow, bench)
      const { amount } = trial.ref

      await pay(amount / 3n)
      const first = await receiptsOf(trial)
      assert.deepEqual(amounts(first), [amount / 3n])
      await pay(amount - amount / 3n)
      const both = await receiptsOf(trial)
      succeeded(found(await trial.query()), trial.ref)
      assert.ok(both.some(({ id }) => id === first[0]?.id))
      assert.deepEqual(await receiptsOf(trial), both)
    },
  },
  {
    guarantee: 'an overpayment, or the same amount paid twice, is reported in full',
    run: async (flow, bench) => {
      const over = await opened(flow, bench)
      const twice = await opened(flow, bench)

      await over.pay(over.trial.ref.amount + 5_000n)
      assert.equal(amountReported(found(await over.trial.query())), over.trial.ref.amount + 5_000n)
      for (let time = 0; time < 2; time += 1) await twice.pay(twice.trial.ref.amount)
      assert.equal(amountReported(found(await twice.trial.query())), twice.trial.ref.amount * 2n)
    },
  },
  {
    guarantee: 'all payments are reported when they exceed one page',
    run: async (flow, bench) => {
      const { trial, pay } = await opened(flow, bench)
      for (let part = 0; part < 23; part += 1) await pay(100n)

      assert.equal((await receiptsOf(trial)).length, 23)
      assert.equal(amountReported(found(await trial.query())), 2_300n)
    },
  },
  {
    guarantee: 'money that arrives after the account expires is still reported',
    run: async (flow, bench) => {
      const { trial, pay } = await opened(flow, bench)
      await bench.control.advance(48 * 3_600_000)
      await stillOpen(flow, trial)

      await pay(trial.ref.amount)
      succeeded(found(await trial.query()), trial.ref)
    },
  },
  {
    guarantee: 'a customer’s first underpayment is reported with the amount paid',
    run: async (flow, bench) => {
      const trial = flow.examples.succeeds()
      await strike(bench, flow, trial, { mode: 'bank_under_payment' })
      accepted(await trial.submit())

      await bench.control.act(trial.ref.key, 'approve')
      assert.ok(amountReported(found(await trial.query())) < trial.ref.amount)
      await bench.control.act(trial.ref.key, 'approve')
      succeeded(found(await trial.query()), trial.ref)
    },
  },
  {
    guarantee: 'money counts when the first account number was lost and when an account is reopened',
    run: async (flow, bench) => {
      const trial = flow.examples.succeeds()
      await strike(bench, flow, trial, { mode: 'drop_after_processing' })
      unknown(await trial.submit())
      const { accountNumber } = accountIn(await trial.submit())
      const { amount } = trial.ref

      await bench.control.pay(trial.ref.key, formatMinor(amount, trial.ref.currency), accountNumber)
      succeeded(found(await trial.query()), trial.ref)
      accountIn(await trial.submit())
      await bench.control.pay(trial.ref.key, formatMinor(amount, trial.ref.currency))
      assert.equal(amountReported(found(await trial.query())), amount * 2n)
    },
  },
  {
    guarantee: 'a charge fails when the customer declines, and no money moves',
    run: async (flow, bench) => {
      const { trial } = await opened(flow, bench)

      await bench.control.act(trial.ref.key, 'decline')
      assert.equal(found(await trial.query()).state, 'failed')
      await movedNothing(bench, trial)
    },
  },
  {
    guarantee: 'each payment has its own callback, with the id that a query reports',
    run: async (flow, bench) => {
      const { trial, pay } = await opened(flow, bench)
      await pay(trial.ref.amount / 2n)
      await pay(trial.ref.amount - trial.ref.amount / 2n)

      const observations = await Promise.all(
        (await callbacksFor(bench, trial, 2)).map((each) => observationsOf(bench, each)),
      )
      const reported = observations.flatMap(({ providerStatus }) =>
        providerStatus.state === 'received' ? providerStatus.receipts : [],
      )
      const ids = (await receiptsOf(trial)).map(({ id }) => id)
      assert.deepEqual([...new Set(reported.map(({ id }) => id))].sort(), ids.toSorted())
    },
  },
  {
    guarantee: 'a callback delivered twice reports the same receipt twice',
    run: async (flow, bench) => {
      const trial = flow.examples.succeeds()
      await strike(bench, flow, trial, { mode: 'callback_duplicate' })
      accepted(await trial.submit())
      await bench.control.act(trial.ref.key, 'approve')

      const [one, other] = await Promise.all(
        (await callbacksFor(bench, trial, 2)).map((request) => observationsOf(bench, request)),
      )
      assert.deepEqual(one, other)
      assert.deepEqual(one?.providerStatus, found(await trial.query()))
    },
  },
]

function accountIn(outcome: SubmitOutcome): VirtualAccount {
  const providerStatus = accepted(outcome)
  assert.ok(providerStatus.state === 'waiting' && providerStatus.action.kind === 'pay_to_account')
  return providerStatus.action.account
}

async function opened(flow: Flow, bench: Bench): Promise<{ trial: Trial; pay(amount: bigint): Promise<void> }> {
  const trial = flow.examples.succeeds()
  accountIn(await trial.submit())
  const { key, currency } = trial.ref
  return { trial, pay: (amount) => bench.control.pay(key, formatMinor(amount, currency)) }
}

async function receiptsOf(trial: Trial): Promise<readonly Receipt[]> {
  const providerStatus = found(await trial.query())
  assert.ok(providerStatus.state === 'received')
  return providerStatus.receipts
}

const amounts = (receipts: readonly Receipt[]) => receipts.map(({ amount }) => amount)
