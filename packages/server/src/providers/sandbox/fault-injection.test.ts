import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Connector, PayoutAttempt, SubmitOutcome } from '../contract.ts'
import type { RefundAttempt } from '../refund-contract.ts'
import { withFaults } from './fault-injection.ts'
import type { FaultOrder, Simulator } from './simulator.ts'

const attempt: PayoutAttempt = {
  key: '019a0000-0000-4000-8000-000000000001',
  country: 'KE',
  currency: 'KES',
  amount: 100n,
  to: { kind: 'till', tillNumber: '1', accountName: 'Duka' },
}
const taken: SubmitOutcome = { certainty: 'accepted', providerStatus: { state: 'submitted' } }

/** A connector that records its input, and a simulator that accepts the faults or not. */
function stage(consents: boolean) {
  const [sent, simulated]: [unknown[], unknown[]] = [[], []]
  const payouts = {
    notFoundWindowMs: 0,
    submit: async (given: PayoutAttempt) => {
      sent.push(given)
      return taken
    },
    query: async () => ({ found: 'no' }) as const,
  }
  const connector = { id: 'house', payouts } as unknown as Connector
  const simulator = {
    withFaults: async ({ key, operation, owner, faults }: FaultOrder, work: () => Promise<unknown>) => {
      simulated.push([key, operation, owner, faults.map((fault) => (fault as { mode: string }).mode)])
      return consents ? work() : undefined
    },
  } as unknown as Simulator
  const submit = withFaults(connector, simulator).payouts?.submit
  assert(submit)
  return { sent, simulated, submit: (given: PayoutAttempt) => submit(given, new AbortController().signal) }
}

test('the simulator gets the faults of a scenario, and the connector never sees them', async () => {
  const { sent, simulated, submit } = stage(true)

  assert.deepEqual(await submit({ ...attempt, scenario: 'lost-answer', owner: 'amina' }), taken)

  assert.deepEqual(sent, [attempt])
  assert.deepEqual(simulated, [[attempt.key, 'payout', 'amina', ['drop_after_processing', 'callback_never']]])
})

test('an attempt without faults at its provider goes straight to the provider', async () => {
  const { sent, simulated, submit } = stage(false)

  const silent = ['duplicate-webhook', 'late-success', 'charge-reversed'] as const // Two of them are for charges.
  for (const given of [attempt, ...silent.map((scenario) => ({ ...attempt, scenario }))])
    assert.deepEqual(await submit(given), taken)

  assert.deepEqual([sent, simulated], [Array(4).fill(attempt), []])
})

test('an attempt whose faults cannot be set is definitely not submitted', async () => {
  const { sent, submit } = stage(false)

  const outcome = await submit({ ...attempt, scenario: 'expiry', owner: 'amina' })

  assert.deepEqual([outcome.certainty, sent], ['definitely_not_submitted', []])
})

test('a refund gets the faults that every payment has, and none of those for charges or payouts', async () => {
  const simulated: unknown[] = []
  const refunds = { submit: async () => taken, query: async () => ({ found: 'no' }) as const }
  const simulator = {
    withFaults: async ({ operation, faults }: FaultOrder, work: () => Promise<unknown>) => {
      simulated.push([operation, faults.map((fault) => (fault as { mode: string }).mode)])
      return work()
    },
  } as unknown as Simulator
  const wrapped = withFaults({ id: 'house', refunds } as unknown as Connector, simulator).refunds
  const { to: _to, ...ref } = attempt
  const charge = { key: attempt.key, receipt: '1', method: 'momo', amount: 100n } as const
  const refund: RefundAttempt = { ...ref, charge, otherReceipts: [], isFirstSend: true }

  for (const scenario of ['lost-answer', 'expiry', 'payout-returned', 'charge-reversed'] as const)
    assert.deepEqual(
      await wrapped?.submit({ ...refund, scenario, owner: 'amina' }, new AbortController().signal),
      taken,
    )

  assert.deepEqual(simulated, [['refund', ['drop_after_processing', 'callback_never']]])
})
