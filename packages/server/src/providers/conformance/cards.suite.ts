import assert from 'node:assert/strict'
import { inspect } from 'node:util'
import type { FaultOrder } from '../../dev-stack/simulator.ts'
import type { AuthoriseOutcome, CustomerAction, CustomerAnswer, ProviderStatus } from '../contract.ts'
import type { FailureCode } from '../failure-codes.ts'
import {
  accepted,
  type Bench,
  type CardActions,
  type CardTrial,
  type Case,
  callbacksFor,
  type Flow,
  found,
  isOpen,
  movedNothing,
  movedOnce,
  notSubmitted,
  observationsOf,
  settle,
  strike,
  succeeded,
  unknown,
} from './bench.suite.ts'

/** The steps of a card charge: the questions to the customer, the outcome of each answer, and lost responses. */
const cases: readonly CardCase[] = [
  {
    guarantee: 'a card without steps succeeds at once, and a query confirms it',
    run: async ({ cards }, bench) => {
      const trial = cards.ends()

      succeeded(reported(await trial.submit()), trial.ref)
      succeeded(found(await trial.query()), trial.ref)
      await movedOnce(bench, trial)
    },
  },
  {
    guarantee: 'a PIN and then a code lead to success, and each question names its kind',
    run: async ({ cards }, bench) => {
      const trial = await askedForPin(cards)
      assert.deepEqual(await trial.query(), { found: 'no' })

      assert.equal(actionOf(reported(await trial.authorise(pin(cards)))), 'otp')
      assert.ok(isOpen(found(await trial.query())))
      await movedNothing(bench, trial)
      succeeded(reported(await trial.authorise(otp(cards))), trial.ref)
      succeeded(found(await trial.query()), trial.ref)
      await movedOnce(bench, trial)
    },
  },
  {
    guarantee: 'a requested address leads to success',
    run: async ({ cards }, bench) => {
      const trial = cards.asksAddress()

      assert.equal(actionOf(accepted(await trial.submit())), 'address')
      succeeded(reported(await trial.authorise({ kind: 'address', address: cards.values.address })), trial.ref)
      await movedOnce(bench, trial)
    },
  },
  {
    guarantee: 'submit and query both report the bank’s page, and a customer’s decline fails the charge',
    run: async ({ examples }, bench) => {
      const trial = examples.succeeds()

      const providerStatus = accepted(await trial.submit())
      assert.ok(
        providerStatus.state === 'waiting' &&
          providerStatus.action.kind === 'redirect' &&
          URL.canParse(providerStatus.action.url),
      )
      assert.deepEqual(found(await trial.query()), providerStatus)
      await bench.control.act(trial.ref.key, 'decline')
      assert.equal(failureIn(found(await trial.query())), 'CARD_DECLINED')
      await movedNothing(bench, trial)
    },
  },
  {
    guarantee: 'a customer may retry after wrong values, and the right value goes through',
    run: async ({ cards }, bench) => {
      const trial = await askedForPin(cards)

      for (const value of cards.values.wrong) isWrong(await trial.authorise({ kind: 'pin', value }))
      assert.equal(actionOf(reported(await trial.authorise(pin(cards)))), 'otp')
      for (const value of cards.values.wrong) isWrong(await trial.authorise({ kind: 'otp', value }))
      assert.ok(isOpen(found(await trial.query())))
      succeeded(reported(await trial.authorise(otp(cards))), trial.ref)
      await movedOnce(bench, trial)
    },
  },
  {
    guarantee: 'a card declined after its PIN, address or code fails, and no money moves',
    run: async ({ cards }, bench) => {
      const [pinCard, pinCode] = cards.declinedAfter.pin
      const [addressCard, addressCode] = cards.declinedAfter.address
      const byPin = pinCard()
      const byAddress = addressCard()
      for (const trial of [byPin, byAddress]) accepted(await trial.submit())
      const byCode = await askedForPin(cards)
      await byCode.authorise(pin(cards))

      const { address, emptyOtp } = cards.values
      assert.equal(failed(await byPin.authorise(pin(cards))), pinCode)
      assert.equal(failed(await byAddress.authorise({ kind: 'address', address })), addressCode)
      assert.equal(failed(await byCode.authorise({ kind: 'otp', value: emptyOtp })), 'INSUFFICIENT_BALANCE')
      for (const trial of [byPin, byAddress, byCode]) {
        assert.equal(found(await trial.query()).state, 'failed')
        await movedNothing(bench, trial)
      }
    },
  },
  {
    guarantee: 'a step without its own continuation is rejected and never throws',
    run: async ({ cards }, bench) => {
      const trial = await askedForPin(cards)
      const other = cards.asksPin()
      const submitted = await other.submit()
      const foreign = (submitted.certainty === 'accepted' && submitted.continuation) || ''

      for (const continuation of ['', 'garbage', '{}', '[]', 'null', '{"key":', foreign])
        assert.equal(notSubmittedStep(await trial.authorise(pin(cards), { continuation })), 'rejected')
      assert.equal(notSubmittedStep(await trial.authorise(otp(cards))), 'rejected')
      const address = { kind: 'address', address: cards.values.address } as const
      assert.equal(notSubmittedStep(await trial.authorise(address)), 'rejected')
      const authorised = (await bench.control.requests(trial.ref.key)).filter((each) => each.operation === 'authorise')
      assert.equal(authorised.length, 0)
      assert.equal(actionOf(reported(await trial.authorise(pin(cards)))), 'otp')
    },
  },
  {
    guarantee: 'an answer is not submitted when no connection was made, and may be sent again',
    run: async ({ cards }) => {
      const trial = await askedForPin(cards)

      assert.equal(notSubmittedStep(await cards.authoriseLost(trial, pin(cards))), 'not_reached')
      assert.equal(actionOf(reported(await trial.authorise(pin(cards)))), 'otp')
    },
  },
  ...lostSteps().map(({ name, fault, cause }) => ({
    guarantee: `${name} to a PIN or a code is unknown, and a query reports the outcome`,
    run: async (flow: CardLane, bench: Bench) => {
      const { cards } = flow
      const early = await askedForPin(cards)
      const late = await askedForPin(cards)
      await late.authorise(pin(cards))
      for (const trial of [early, late]) await strike(bench, flow, trial, { ...fault, on: 'authorise' })

      assert.equal(unknownStep(await early.authorise(pin(cards))), cause)
      assert.equal(actionOf(found(await early.query())), 'otp')
      await movedNothing(bench, early)
      assert.equal(unknownStep(await late.authorise(otp(cards))), cause)
      succeeded(found(await late.query()), late.ref)
      await movedOnce(bench, late)
    },
  })),
  {
    guarantee: 'an answer cut off before processing is unknown, and goes through when sent again',
    run: async (flow, bench) => {
      const { cards } = flow
      const trial = await askedForPin(cards)
      await strike(bench, flow, trial, { mode: 'drop_before_processing', on: 'authorise' })

      assert.equal(unknownStep(await trial.authorise(pin(cards))), 'broken_off')
      assert.deepEqual(await trial.query(), { found: 'no' })
      assert.equal(actionOf(reported(await trial.authorise(pin(cards)))), 'otp')
      await strike(bench, flow, trial, { mode: 'drop_before_processing', on: 'authorise' })
      assert.equal(unknownStep(await trial.authorise(otp(cards))), 'broken_off')
      assert.ok(isOpen(found(await trial.query())))
      succeeded(reported(await trial.authorise(otp(cards))), trial.ref)
      await movedOnce(bench, trial)
    },
  },
  {
    guarantee: 'an answer is not submitted under a rate limit or expired credentials, and may be resent',
    run: async (flow, bench) => {
      const trial = await askedForPin(flow.cards)
      for (const [mode, cause] of [
        ['rate_limited', 'rate_limited'],
        ['token_expired', 'rejected'],
      ] as const) {
        await strike(bench, flow, trial, { mode, on: 'authorise' })
        assert.equal(notSubmittedStep(await trial.authorise(pin(flow.cards))), cause)
      }
      assert.equal(actionOf(reported(await trial.authorise(pin(flow.cards)))), 'otp')
    },
  },
  {
    guarantee: 'success that a query cannot confirm at once is not reported until a query confirms it',
    run: async (flow, bench) => {
      for (const mode of ['html_503', 'malformed_json', 'drop_after_processing', 'rate_limited'] as const) {
        const trial = flow.cards.ends()
        await strike(bench, flow, trial, { mode, on: 'query' })

        assert.deepEqual(reported(await trial.submit()), { state: 'submitted' }, mode)
        succeeded(found(await trial.query()), trial.ref)
        await movedOnce(bench, trial)
      }
    },
  },
  {
    guarantee: 'success is not reported while a query does not yet show it',
    run: async (flow, bench) => {
      const [unseen, lagging, stuck] = [flow.cards.ends(), flow.cards.ends(), flow.cards.ends()]
      await strike(bench, flow, unseen, { mode: 'not_found_window', seconds: 600 })
      await strike(bench, flow, lagging, { mode: 'status_lags_callback', delayMs: 600_000 })
      await strike(bench, flow, stuck, { mode: 'stuck_pending' })

      for (const trial of [unseen, lagging, stuck])
        assert.deepEqual(reported(await trial.submit()), { state: 'submitted' })
      assert.deepEqual(await unseen.query(), { found: 'no' })
      assert.ok(isOpen(found(await lagging.query())))
      await bench.control.advance(600_000)
      for (const trial of [unseen, lagging]) succeeded(found(await trial.query()), trial.ref)
      assert.ok(isOpen(found(await stuck.query())))
      await movedNothing(bench, stuck)
    },
  },
  {
    guarantee: 'a 503 after the money moved is unknown, and a query reports the success',
    run: async (flow, bench) => {
      const trial = flow.cards.ends()
      await strike(bench, flow, trial, { mode: 'http_status', status: 503, moment: 'after' })

      assert.equal(unknown(await trial.submit()), 'server_error')
      succeeded(found(await trial.query()), trial.ref)
      await movedOnce(bench, trial)
    },
  },
  {
    guarantee: 'a decline that turns into a success is reported as it is each time',
    run: async (flow, bench) => {
      const trial = flow.cards.ends()
      await strike(bench, flow, trial, { mode: 'flap', delayMs: 600_000 })

      assert.equal(failed(await trial.submit()), 'UNSPECIFIED_FAILURE')
      assert.equal(found(await trial.query()).state, 'failed')
      await bench.control.advance(600_000)
      succeeded(found(await trial.query()), trial.ref)
    },
  },
  {
    guarantee: 'a callback before the response to the last step disturbs neither',
    run: async (flow, bench) => {
      const trial = flow.cards.ends()
      await strike(bench, flow, trial, { mode: 'callback_before_response' })

      const submitted = trial.submit()
      const [request] = await callbacksFor(bench, trial)
      succeeded((await observationsOf(bench, request)).providerStatus, trial.ref)
      succeeded(reported(await submitted), trial.ref)
      await movedOnce(bench, trial)
    },
  },
  {
    guarantee: 'a step submitted again or answered twice moves money once',
    run: async ({ cards }, bench) => {
      const trial = await askedForPin(cards)
      assert.equal(actionOf(accepted(await trial.submit())), 'pin')
      assert.equal(actionOf(reported(await trial.authorise(pin(cards)))), 'otp')

      await Promise.all(Array.from({ length: 3 }, () => trial.authorise(otp(cards))))
      await settle(bench)
      succeeded(found(await trial.query()), trial.ref)
      await movedOnce(bench, trial)
    },
  },
]

type CardLane = Flow & { readonly cards: CardActions }

interface CardCase {
  readonly guarantee: string
  run(flow: CardLane, bench: Bench): Promise<void>
}

/** Run for every connector that charges cards. */
export const cardCases: readonly Case[] = cases.map(({ guarantee, run }) => ({
  guarantee,
  run: async (flow, bench) => {
    const { cards } = flow
    assert.ok(cards)
    await run({ ...flow, cards }, bench)
  },
}))

function lostSteps(): readonly {
  name: string
  fault: Pick<FaultOrder, 'mode' | 'moment' | 'status'>
  cause: string
}[] {
  return [
    {
      name: 'a connection cut after the customer’s answer',
      fault: { mode: 'drop_after_processing' },
      cause: 'broken_off',
    },
    { name: 'half a response', fault: { mode: 'half_response' }, cause: 'broken_off' },
    { name: 'a response that is not JSON', fault: { mode: 'malformed_json' }, cause: 'unreadable' },
    { name: 'a page of HTML with 503', fault: { mode: 'html_503', moment: 'after' }, cause: 'server_error' },
    { name: 'a 503', fault: { mode: 'http_status', moment: 'after', status: 503 }, cause: 'server_error' },
    {
      name: 'a refusal without a message',
      fault: { mode: 'http_status', moment: 'after', status: 400 },
      cause: 'unreadable',
    },
  ]
}

async function askedForPin(cards: CardActions): Promise<CardTrial> {
  const trial = cards.asksPin()
  assert.equal(actionOf(accepted(await trial.submit())), 'pin')
  return trial
}

const pin = ({ values }: CardActions): CustomerAnswer => ({ kind: 'pin', value: values.pin })
const otp = ({ values }: CardActions): CustomerAnswer => ({ kind: 'otp', value: values.otp })

function actionOf(providerStatus: ProviderStatus): CustomerAction['kind'] | undefined {
  return providerStatus.state === 'waiting' ? providerStatus.action.kind : undefined
}

/** The status after a step, final or not. */
function reported(outcome: AuthoriseOutcome): ProviderStatus {
  assert.ok(outcome.certainty === 'accepted', `accepted, not ${inspect(outcome)}`)
  return outcome.providerStatus
}

function failed(outcome: AuthoriseOutcome): FailureCode {
  assert.ok(outcome.certainty === 'definitely_failed', `failed, not ${inspect(outcome)}`)
  return outcome.failure.code
}

const failureIn = (providerStatus: ProviderStatus) =>
  providerStatus.state === 'failed' ? providerStatus.failure.code : providerStatus.state

function isWrong(outcome: AuthoriseOutcome): void {
  assert.equal(outcome.certainty, 'wrong_value', inspect(outcome))
}

function unknownStep(outcome: AuthoriseOutcome): string {
  assert.ok(outcome.certainty !== 'wrong_value')
  return unknown(outcome)
}

function notSubmittedStep(outcome: AuthoriseOutcome): string {
  assert.ok(outcome.certainty !== 'wrong_value')
  return notSubmitted(outcome)
}
