import assert from 'node:assert/strict'
import { formatMinor } from '../../money/money.ts'
import type { Receipt } from '../contract.ts'
import {
  accepted,
  amountReported,
  type Bench,
  type Case,
  callbacksFor,
  type Flow,
  found,
  fulfil,
  observationsOf,
  succeeded,
  type Trial,
} from './bench.suite.ts'

const isTransfer = ({ name }: Flow) => name === 'transfer charge'

/** A successful payment, and a way to reverse a part of it. */
async function paid(flow: Flow, bench: Bench): Promise<{ trial: Trial; takeBack(part?: bigint): Promise<void> }> {
  const trial = flow.examples.succeeds()
  accepted(await trial.submit())
  await fulfil(bench, flow, trial)
  await callbacksFor(bench, trial)
  const { key, currency } = trial.ref
  const takeBack = (part?: bigint) =>
    bench.control.reverse(key, part === undefined ? {} : { amount: formatMinor(part, currency) })
  return { trial, takeBack }
}

/** A success that the provider reverses, and a chargeback that is won. */
const paymentCases: readonly Case[] = [
  {
    guarantee: 'a success reversed in parts is reported with the sum so far, by query and by callback',
    needs: (_, { showsReturned }) => showsReturned,
    run: async (flow, bench) => {
      const { trial, takeBack } = await paid(flow, bench)
      const { amount } = trial.ref

      const quarter = amount / 4n
      const steps = [[quarter, quarter] as const, [quarter, 2n * quarter] as const, [undefined, amount] as const]

      for (const [index, [part, sum]] of steps.entries()) {
        await takeBack(part)
        const request = (await callbacksFor(bench, trial, index + 2)).at(-1)
        for (const providerStatus of [
          found(await trial.query()),
          (await observationsOf(bench, request)).providerStatus,
        ]) {
          assert.ok(providerStatus.state === 'reversed' && providerStatus.failure.code === 'REVERSED')
          assert.equal(providerStatus.returned, sum)
        }
      }
    },
  },
  {
    guarantee: 'a reversal without an amount is a full reversal',
    needs: (_, { showsReturned }) => !showsReturned,
    run: async (flow, bench) => {
      const { trial, takeBack } = await paid(flow, bench)

      await takeBack()
      const providerStatus = found(await trial.query())
      assert.ok(providerStatus.state === 'reversed' || providerStatus.state === 'failed')
      assert.ok(!('returned' in providerStatus))
    },
  },
  {
    guarantee: 'a chargeback that is won is reported as the original success',
    run: async (flow, bench) => {
      const { trial, takeBack } = await paid(flow, bench)
      const before = found(await trial.query())
      await takeBack()
      const back = (await callbacksFor(bench, trial, 2)).at(-1)
      assert.notEqual((await observationsOf(bench, back)).providerStatus.state, 'successful')

      await bench.control.reinstate(trial.ref.key)
      assert.deepEqual(found(await trial.query()), before)
      succeeded((await observationsOf(bench, (await callbacksFor(bench, trial, 3)).at(-1))).providerStatus, trial.ref)
    },
  },
]

/** A transfer that the bank reverses stays among the receipts, marked as reversed. */
const transferCases: readonly Case[] = [
  {
    guarantee: 'a reversed transfer is reported with the others, marked as reversed',
    run: async (flow, bench) => {
      const { trial, receipts } = await paidInParts(flow, bench)
      const [first] = await receipts()
      assert.ok(first)

      await bench.control.reverse(trial.ref.key, { receipt: first.id })
      assert.deepEqual(idsOf(await receipts()), { all: 2, back: [first.id] })
      assert.equal(amountReported(found(await trial.query())), trial.ref.amount - first.amount)
      await bench.control.reinstate(trial.ref.key)
      assert.deepEqual(idsOf(await receipts()), { all: 2, back: [] })
    },
  },
  {
    guarantee: 'transfers that were all reversed are all reported, marked as reversed',
    run: async (flow, bench) => {
      const { trial, receipts } = await paidInParts(flow, bench)
      const before = await receipts()

      for (let time = 0; time < 2; time += 1) await bench.control.reverse(trial.ref.key)
      assert.deepEqual(await receipts(), before.map(taken))
      assert.equal(amountReported(found(await trial.query())), 0n)
    },
  },
  {
    guarantee: 'the callback of a reversed transfer reports it as reversed, under the same id',
    run: async (flow, bench) => {
      const { trial, receipts } = await paidInParts(flow, bench)
      const [newest] = (await receipts()).toSorted((one, other) => Number(other.id) - Number(one.id))
      await callbacksFor(bench, trial, 2)
      await bench.control.reverse(trial.ref.key)

      const last = (await callbacksFor(bench, trial, 3)).at(-1)
      const { providerStatus } = await observationsOf(bench, last)
      assert.ok(providerStatus.state === 'received')
      assert.deepEqual(idsOf(providerStatus.receipts).back, [newest?.id])
    },
  },
  {
    guarantee: 'a transfer that arrives after the charge failed is reported as received',
    run: async (flow, bench) => {
      const trial = flow.examples.succeeds()
      accepted(await trial.submit())
      await bench.control.act(trial.ref.key, 'decline')
      assert.equal(found(await trial.query()).state, 'failed')

      await bench.control.pay(trial.ref.key, formatMinor(trial.ref.amount, trial.ref.currency))
      succeeded(found(await trial.query()), trial.ref)
    },
  },
]

async function paidInParts(flow: Flow, bench: Bench) {
  const trial = flow.examples.succeeds()
  accepted(await trial.submit())
  const { key, amount, currency } = trial.ref
  for (const part of [amount / 3n, amount - amount / 3n]) await bench.control.pay(key, formatMinor(part, currency))
  const receipts = async (): Promise<readonly Receipt[]> => {
    const providerStatus = found(await trial.query())
    assert.ok(providerStatus.state === 'received')
    return providerStatus.receipts
  }
  return { trial, receipts }
}

const taken = (receipt: Receipt): Receipt => ({ ...receipt, isReversed: true })

const idsOf = (receipts: readonly Receipt[]) => {
  return { all: receipts.length, back: receipts.filter(({ isReversed }) => isReversed).map(({ id }) => id) }
}

/** Transfer charges have their own cases. */
export const reversalCases: readonly Case[] = [
  ...paymentCases.map((each) => ({
    ...each,
    needs: (flow: Flow, bench: Bench) => !isTransfer(flow) && (each.needs === undefined || each.needs(flow, bench)),
  })),
  ...transferCases.map((each) => ({ ...each, needs: isTransfer })),
]
