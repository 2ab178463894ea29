import assert from 'node:assert/strict'
import { formatMinor } from '../../money/money.ts'
import type { Receipt, SubmitOutcome, VirtualAccount } from '../contract.ts'
import {
  accepted,
  amountTold,
  type Bench,
  type Case,
  callbacksFor,
  found,
  type Lane,
  movedNothing,
  newsOf,
  stillOpen,
  strike,
  succeeded,
  type Trial,
  unknown,
} from './bench.suite.ts'

/** Accounts that customers pay into: too little, too much, twice, late, or not at all. */
export const transferCases: readonly Case[] = [
  {
    guarantee: 'a charge opens an account with a bank and an end',
    run: async ({ examples }) => {
      const { accountNumber, bankName, expiresAt } = accountIn(await examples.succeeds().submit())

      assert.match(accountNumber, /^\d{6,20}$/)
      assert.ok(bankName.length > 0)
      assert.ok(new Date(expiresAt).toISOString() === expiresAt && Date.parse(expiresAt) > Date.now())
    },
  },
  {
    guarantee: 'parts of the amount are told one by one, each under an id of its own that stays',
    run: async (lane, bench) => {
      const { trial, pay } = await opened(lane, bench)
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
    guarantee: 'too much, or the same sum twice, is told in full',
    run: async (lane, bench) => {
      const over = await opened(lane, bench)
      const twice = await opened(lane, bench)

      await over.pay(over.trial.ref.amount + 5_000n)
      assert.equal(amountTold(found(await over.trial.query())), over.trial.ref.amount + 5_000n)
      for (let time = 0; time < 2; time += 1) await twice.pay(twice.trial.ref.amount)
      assert.equal(amountTold(found(await twice.trial.query())), twice.trial.ref.amount * 2n)
    },
  },
  {
    guarantee: 'more payments than fit on a page are all told',
    run: async (lane, bench) => {
      const { trial, pay } = await opened(lane, bench)
      for (let part = 0; part < 23; part += 1) await pay(100n)

      assert.equal((await receiptsOf(trial)).length, 23)
      assert.equal(amountTold(found(await trial.query())), 2_300n)
    },
  },
  {
    guarantee: 'money that comes after the account’s end is told all the same',
    run: async (lane, bench) => {
      const { trial, pay } = await opened(lane, bench)
      await bench.control.advance(48 * 3_600_000)
      await stillOpen(lane, trial)

      await pay(trial.ref.amount)
      succeeded(found(await trial.query()), trial.ref)
    },
  },
  {
    guarantee: 'a customer who pays too little at first is told as having paid that',
    run: async (lane, bench) => {
      const trial = lane.examples.succeeds()
      await strike(bench, lane, trial, { mode: 'bank_under_payment' })
      accepted(await trial.submit())

      await bench.control.act(trial.ref.key, 'approve')
      assert.ok(amountTold(found(await trial.query())) < trial.ref.amount)
      await bench.control.act(trial.ref.key, 'approve')
      succeeded(found(await trial.query()), trial.ref)
    },
  },
  {
    guarantee: 'money into an account whose number got lost counts, and so does money into one opened again',
    run: async (lane, bench) => {
      const trial = lane.examples.succeeds()
      await strike(bench, lane, trial, { mode: 'drop_after_processing' })
      unknown(await trial.submit())
      const { accountNumber } = accountIn(await trial.submit())
      const { amount } = trial.ref

      await bench.control.pay(trial.ref.key, formatMinor(amount, trial.ref.currency), accountNumber)
      succeeded(found(await trial.query()), trial.ref)
      accountIn(await trial.submit())
      await bench.control.pay(trial.ref.key, formatMinor(amount, trial.ref.currency))
      assert.equal(amountTold(found(await trial.query())), amount * 2n)
    },
  },
  {
    guarantee: 'a customer who declines has failed the charge, and nothing moved',
    run: async (lane, bench) => {
      const { trial } = await opened(lane, bench)

      await bench.control.act(trial.ref.key, 'decline')
      assert.equal(found(await trial.query()).state, 'failed')
      await movedNothing(bench, trial)
    },
  },
  {
    guarantee: 'each payment has a callback of its own, which tells of it by the id that asking tells',
    run: async (lane, bench) => {
      const { trial, pay } = await opened(lane, bench)
      await pay(trial.ref.amount / 2n)
      await pay(trial.ref.amount - trial.ref.amount / 2n)

      const news = await Promise.all((await callbacksFor(bench, trial, 2)).map((each) => newsOf(bench, each)))
      const told = news.flatMap(({ said }) => (said.state === 'received' ? said.receipts : []))
      const ids = (await receiptsOf(trial)).map(({ id }) => id)
      assert.deepEqual([...new Set(told.map(({ id }) => id))].sort(), ids.toSorted())
    },
  },
  {
    guarantee: 'a callback said twice tells of the same receipt twice',
    run: async (lane, bench) => {
      const trial = lane.examples.succeeds()
      await strike(bench, lane, trial, { mode: 'callback_duplicate' })
      accepted(await trial.submit())
      await bench.control.act(trial.ref.key, 'approve')

      const [one, other] = await Promise.all(
        (await callbacksFor(bench, trial, 2)).map((request) => newsOf(bench, request)),
      )
      assert.deepEqual(one, other)
      assert.deepEqual(one?.said, found(await trial.query()))
    },
  },
]

function accountIn(outcome: SubmitOutcome): VirtualAccount {
  const said = accepted(outcome)
  assert.ok(said.state === 'waiting' && said.action.kind === 'pay_to_account')
  return said.action.account
}

async function opened(lane: Lane, bench: Bench): Promise<{ trial: Trial; pay(amount: bigint): Promise<void> }> {
  const trial = lane.examples.succeeds()
  accountIn(await trial.submit())
  const { key, currency } = trial.ref
  return { trial, pay: (amount) => bench.control.pay(key, formatMinor(amount, currency)) }
}

async function receiptsOf(trial: Trial): Promise<readonly Receipt[]> {
  const said = found(await trial.query())
  assert.ok(said.state === 'received')
  return said.receipts
}

const amounts = (receipts: readonly Receipt[]) => receipts.map(({ amount }) => amount)
