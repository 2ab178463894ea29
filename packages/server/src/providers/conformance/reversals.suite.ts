import assert from 'node:assert/strict'
import { formatMinor } from '../../money/money.ts'
import type { Receipt } from '../contract.ts'
import {
  accepted,
  amountTold,
  type Bench,
  type Case,
  callbacksFor,
  found,
  fulfil,
  type Lane,
  newsOf,
  succeeded,
  type Trial,
} from './bench.suite.ts'

const isTransfer = ({ name }: Lane) => name === 'transfer charge'

/** A payment that succeeded, and a way to have a part of it taken back. */
async function paid(lane: Lane, bench: Bench): Promise<{ trial: Trial; takeBack(part?: bigint): Promise<void> }> {
  const trial = lane.examples.succeeds()
  accepted(await trial.submit())
  await fulfil(bench, lane, trial)
  await callbacksFor(bench, trial)
  const { key, currency } = trial.ref
  const takeBack = (part?: bigint) =>
    bench.control.reverse(key, part === undefined ? {} : { amount: formatMinor(part, currency) })
  return { trial, takeBack }
}

/** A success that the provider takes back, and a chargeback that is won. */
const paymentCases: readonly Case[] = [
  {
    guarantee: 'a success taken back in parts is reported with the sum so far, by query and by callback',
    needs: (_, { showsReturned }) => showsReturned,
    run: async (lane, bench) => {
      const { trial, takeBack } = await paid(lane, bench)
      const { amount } = trial.ref

      const quarter = amount / 4n
      const steps = [[quarter, quarter] as const, [quarter, 2n * quarter] as const, [undefined, amount] as const]

      for (const [index, [part, sum]] of steps.entries()) {
        await takeBack(part)
        const request = (await callbacksFor(bench, trial, index + 2)).at(-1)
        for (const said of [found(await trial.query()), (await newsOf(bench, request)).said]) {
          assert.ok(said.state === 'reversed' && said.failure.code === 'REVERSED')
          assert.equal(said.returned, sum)
        }
      }
    },
  },
  {
    guarantee: 'a reversal without an amount is a reversal of everything',
    needs: (_, { showsReturned }) => !showsReturned,
    run: async (lane, bench) => {
      const { trial, takeBack } = await paid(lane, bench)

      await takeBack()
      const said = found(await trial.query())
      assert.ok(said.state === 'reversed' || said.state === 'failed')
      assert.ok(!('returned' in said))
    },
  },
  {
    guarantee: 'a chargeback that is won is reported as the success it was',
    run: async (lane, bench) => {
      const { trial, takeBack } = await paid(lane, bench)
      const before = found(await trial.query())
      await takeBack()
      const back = (await callbacksFor(bench, trial, 2)).at(-1)
      assert.notEqual((await newsOf(bench, back)).said.state, 'successful')

      await bench.control.reinstate(trial.ref.key)
      assert.deepEqual(found(await trial.query()), before)
      succeeded((await newsOf(bench, (await callbacksFor(bench, trial, 3)).at(-1))).said, trial.ref)
    },
  },
]

/** A transfer that the bank takes back stays among the receipts, marked as reversed. */
const transferCases: readonly Case[] = [
  {
    guarantee: 'a reversed transfer is reported with the others, and marked',
    run: async (lane, bench) => {
      const { trial, receipts } = await paidInParts(lane, bench)
      const [first] = await receipts()
      assert.ok(first)

      await bench.control.reverse(trial.ref.key, { receipt: first.id })
      assert.deepEqual(idsOf(await receipts()), { all: 2, back: [first.id] })
      assert.equal(amountTold(found(await trial.query())), trial.ref.amount - first.amount)
      await bench.control.reinstate(trial.ref.key)
      assert.deepEqual(idsOf(await receipts()), { all: 2, back: [] })
    },
  },
  {
    guarantee: 'transfers that were all reversed are all reported, and marked',
    run: async (lane, bench) => {
      const { trial, receipts } = await paidInParts(lane, bench)
      const before = await receipts()

      for (let time = 0; time < 2; time += 1) await bench.control.reverse(trial.ref.key)
      assert.deepEqual(await receipts(), before.map(taken))
      assert.equal(amountTold(found(await trial.query())), 0n)
    },
  },
  {
    guarantee: 'the callback of a reversed transfer reports it marked, under the same id',
    run: async (lane, bench) => {
      const { trial, receipts } = await paidInParts(lane, bench)
      const [newest] = (await receipts()).toSorted((one, other) => Number(other.id) - Number(one.id))
      await callbacksFor(bench, trial, 2)
      await bench.control.reverse(trial.ref.key)

      const last = (await callbacksFor(bench, trial, 3)).at(-1)
      const { said } = await newsOf(bench, last)
      assert.ok(said.state === 'received')
      assert.deepEqual(idsOf(said.receipts).back, [newest?.id])
    },
  },
  {
    guarantee: 'a transfer that arrives after the charge failed is reported as received',
    run: async (lane, bench) => {
      const trial = lane.examples.succeeds()
      accepted(await trial.submit())
      await bench.control.act(trial.ref.key, 'decline')
      assert.equal(found(await trial.query()).state, 'failed')

      await bench.control.pay(trial.ref.key, formatMinor(trial.ref.amount, trial.ref.currency))
      succeeded(found(await trial.query()), trial.ref)
    },
  },
]

async function paidInParts(lane: Lane, bench: Bench) {
  const trial = lane.examples.succeeds()
  accepted(await trial.submit())
  const { key, amount, currency } = trial.ref
  for (const part of [amount / 3n, amount - amount / 3n]) await bench.control.pay(key, formatMinor(part, currency))
  const receipts = async (): Promise<readonly Receipt[]> => {
    const said = found(await trial.query())
    assert.ok(said.state === 'received')
    return said.receipts
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
    needs: (lane: Lane, bench: Bench) => !isTransfer(lane) && (each.needs === undefined || each.needs(lane, bench)),
  })),
  ...transferCases.map((each) => ({ ...each, needs: isTransfer })),
]
