import assert from 'node:assert/strict'
import { inspect } from 'node:util'
import type { FaultOrder } from '../../dev-stack/simulator.ts'
import type { AuthoriseOutcome, CustomerAction, CustomerAnswer, FailureCode, Said } from '../contract.ts'
import {
  accepted,
  type Bench,
  type CardDesk,
  type CardTrial,
  type Case,
  callbacksFor,
  found,
  isOpen,
  type Lane,
  movedNothing,
  movedOnce,
  newsOf,
  notSubmitted,
  settle,
  strike,
  succeeded,
  unknown,
} from './bench.suite.ts'

/** The steps of a card charge: what is asked of the customer, what their answers come to, and what is lost on the way. */
const cases: readonly CardCase[] = [
  {
    guarantee: 'a card that asks for nothing is successful at once, as the provider tells when it is asked',
    run: async ({ cards }, bench) => {
      const trial = cards.ends()

      succeeded(told(await trial.submit()), trial.ref)
      succeeded(found(await trial.query()), trial.ref)
      await movedOnce(bench, trial)
    },
  },
  {
    guarantee: 'a PIN and then a code lead to success, and each is asked for by its name',
    run: async ({ cards }, bench) => {
      const trial = await askedForPin(cards)
      assert.deepEqual(await trial.query(), { found: 'no' })

      assert.equal(actionOf(told(await trial.authorise(pin(cards)))), 'otp')
      assert.ok(isOpen(found(await trial.query())))
      await movedNothing(bench, trial)
      succeeded(told(await trial.authorise(otp(cards))), trial.ref)
      succeeded(found(await trial.query()), trial.ref)
      await movedOnce(bench, trial)
    },
  },
  {
    guarantee: 'an address that is asked for leads to success',
    run: async ({ cards }, bench) => {
      const trial = cards.asksAddress()

      assert.equal(actionOf(accepted(await trial.submit())), 'address')
      succeeded(told(await trial.authorise({ kind: 'address', address: cards.values.address })), trial.ref)
      await movedOnce(bench, trial)
    },
  },
  {
    guarantee: 'the page of the customer’s bank is told with the answer and when asked, and their no ends the charge',
    run: async ({ examples }, bench) => {
      const trial = examples.succeeds()

      const said = accepted(await trial.submit())
      assert.ok(said.state === 'waiting' && said.action.kind === 'redirect' && URL.canParse(said.action.url))
      assert.deepEqual(found(await trial.query()), said)
      await bench.control.act(trial.ref.key, 'decline')
      assert.equal(failureIn(found(await trial.query())), 'CARD_DECLINED')
      await movedNothing(bench, trial)
    },
  },
  {
    guarantee: 'wrong values may be tried again, and the right one then goes through',
    run: async ({ cards }, bench) => {
      const trial = await askedForPin(cards)

      for (const value of cards.values.wrong) isWrong(await trial.authorise({ kind: 'pin', value }))
      assert.equal(actionOf(told(await trial.authorise(pin(cards)))), 'otp')
      for (const value of cards.values.wrong) isWrong(await trial.authorise({ kind: 'otp', value }))
      assert.ok(isOpen(found(await trial.query())))
      succeeded(told(await trial.authorise(otp(cards))), trial.ref)
      await movedOnce(bench, trial)
    },
  },
  {
    guarantee: 'a card that is declined after its PIN, its address or its code has failed, and no money moved',
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
    guarantee: 'nothing is continued without its own continuation, and nothing is thrown',
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
      assert.equal(actionOf(told(await trial.authorise(pin(cards)))), 'otp')
    },
  },
  {
    guarantee: 'when no connection was made an answer was not given, and may be given again',
    run: async ({ cards }) => {
      const trial = await askedForPin(cards)

      assert.equal(notSubmittedStep(await cards.authoriseLost(trial, pin(cards))), 'not_reached')
      assert.equal(actionOf(told(await trial.authorise(pin(cards)))), 'otp')
    },
  },
  ...lostSteps().map(({ name, fault, cause }) => ({
    guarantee: `${name} to a PIN or a code is unknown, and asking tells what the provider made of it`,
    run: async (lane: CardLane, bench: Bench) => {
      const { cards } = lane
      const early = await askedForPin(cards)
      const late = await askedForPin(cards)
      await late.authorise(pin(cards))
      for (const trial of [early, late]) await strike(bench, lane, trial, { ...fault, on: 'authorise' })

      assert.equal(unknownStep(await early.authorise(pin(cards))), cause)
      assert.equal(actionOf(found(await early.query())), 'otp')
      await movedNothing(bench, early)
      assert.equal(unknownStep(await late.authorise(otp(cards))), cause)
      succeeded(found(await late.query()), late.ref)
      await movedOnce(bench, late)
    },
  })),
  {
    guarantee: 'an answer cut off before it was worked on is unknown, and given again it goes through',
    run: async (lane, bench) => {
      const { cards } = lane
      const trial = await askedForPin(cards)
      await strike(bench, lane, trial, { mode: 'drop_before_processing', on: 'authorise' })

      assert.equal(unknownStep(await trial.authorise(pin(cards))), 'broken_off')
      assert.deepEqual(await trial.query(), { found: 'no' })
      assert.equal(actionOf(told(await trial.authorise(pin(cards)))), 'otp')
      await strike(bench, lane, trial, { mode: 'drop_before_processing', on: 'authorise' })
      assert.equal(unknownStep(await trial.authorise(otp(cards))), 'broken_off')
      assert.ok(isOpen(found(await trial.query())))
      succeeded(told(await trial.authorise(otp(cards))), trial.ref)
      await movedOnce(bench, trial)
    },
  },
  {
    guarantee: 'when we ask too often or our credentials ran out an answer was not given, and may be given again',
    run: async (lane, bench) => {
      const trial = await askedForPin(lane.cards)
      for (const [mode, cause] of [
        ['rate_limited', 'rate_limited'],
        ['token_expired', 'rejected'],
      ] as const) {
        await strike(bench, lane, trial, { mode, on: 'authorise' })
        assert.equal(notSubmittedStep(await trial.authorise(pin(lane.cards))), cause)
      }
      assert.equal(actionOf(told(await trial.authorise(pin(lane.cards)))), 'otp')
    },
  },
  {
    guarantee: 'success that cannot be confirmed at once is not told as success until asking tells',
    run: async (lane, bench) => {
      for (const mode of ['html_503', 'malformed_json', 'drop_after_processing', 'rate_limited'] as const) {
        const trial = lane.cards.ends()
        await strike(bench, lane, trial, { mode, on: 'query' })

        assert.deepEqual(told(await trial.submit()), { state: 'submitted' }, mode)
        succeeded(found(await trial.query()), trial.ref)
        await movedOnce(bench, trial)
      }
    },
  },
  {
    guarantee: 'success of which the provider knows nothing yet when it is asked is not told as success',
    run: async (lane, bench) => {
      const [unseen, lagging, stuck] = [lane.cards.ends(), lane.cards.ends(), lane.cards.ends()]
      await strike(bench, lane, unseen, { mode: 'not_found_window', seconds: 600 })
      await strike(bench, lane, lagging, { mode: 'status_lags_callback', delayMs: 600_000 })
      await strike(bench, lane, stuck, { mode: 'stuck_pending' })

      for (const trial of [unseen, lagging, stuck]) assert.deepEqual(told(await trial.submit()), { state: 'submitted' })
      assert.deepEqual(await unseen.query(), { found: 'no' })
      assert.ok(isOpen(found(await lagging.query())))
      await bench.control.advance(600_000)
      for (const trial of [unseen, lagging]) succeeded(found(await trial.query()), trial.ref)
      assert.ok(isOpen(found(await stuck.query())))
      await movedNothing(bench, stuck)
    },
  },
  {
    guarantee: 'a 503 after the money moved is unknown, and asking tells',
    run: async (lane, bench) => {
      const trial = lane.cards.ends()
      await strike(bench, lane, trial, { mode: 'http_status', status: 503, moment: 'after' })

      assert.equal(unknown(await trial.submit()), 'server_error')
      succeeded(found(await trial.query()), trial.ref)
      await movedOnce(bench, trial)
    },
  },
  {
    guarantee: 'a decline that turns out to be a success is told both times as it stands',
    run: async (lane, bench) => {
      const trial = lane.cards.ends()
      await strike(bench, lane, trial, { mode: 'flap', delayMs: 600_000 })

      assert.equal(failed(await trial.submit()), 'UNSPECIFIED_FAILURE')
      assert.equal(found(await trial.query()).state, 'failed')
      await bench.control.advance(600_000)
      succeeded(found(await trial.query()), trial.ref)
    },
  },
  {
    guarantee: 'a callback that comes before the answer to the last step disturbs neither',
    run: async (lane, bench) => {
      const trial = lane.cards.ends()
      await strike(bench, lane, trial, { mode: 'callback_before_response' })

      const submitted = trial.submit()
      const [request] = await callbacksFor(bench, trial)
      succeeded((await newsOf(bench, request)).said, trial.ref)
      succeeded(told(await submitted), trial.ref)
      await movedOnce(bench, trial)
    },
  },
  {
    guarantee: 'a step that is submitted again, or answered twice, moves money once',
    run: async ({ cards }, bench) => {
      const trial = await askedForPin(cards)
      assert.equal(actionOf(accepted(await trial.submit())), 'pin')
      assert.equal(actionOf(told(await trial.authorise(pin(cards)))), 'otp')

      await Promise.all(Array.from({ length: 3 }, () => trial.authorise(otp(cards))))
      await settle(bench)
      succeeded(found(await trial.query()), trial.ref)
      await movedOnce(bench, trial)
    },
  },
]

type CardLane = Lane & { readonly cards: CardDesk }

interface CardCase {
  readonly guarantee: string
  run(lane: CardLane, bench: Bench): Promise<void>
}

/** Asked of every connector that charges cards. */
export const cardCases: readonly Case[] = cases.map(({ guarantee, run }) => ({
  guarantee,
  run: async (lane, bench) => {
    const { cards } = lane
    assert.ok(cards)
    await run({ ...lane, cards }, bench)
  },
}))

function lostSteps(): readonly {
  name: string
  fault: Pick<FaultOrder, 'mode' | 'moment' | 'status'>
  cause: string
}[] {
  return [
    { name: 'a connection cut after the answer', fault: { mode: 'drop_after_processing' }, cause: 'broken_off' },
    { name: 'half an answer', fault: { mode: 'half_response' }, cause: 'broken_off' },
    { name: 'an answer that is not JSON', fault: { mode: 'malformed_json' }, cause: 'unreadable' },
    { name: 'a page of HTML with 503', fault: { mode: 'html_503', moment: 'after' }, cause: 'server_error' },
    { name: 'a 503', fault: { mode: 'http_status', moment: 'after', status: 503 }, cause: 'server_error' },
    {
      name: 'a refusal without words',
      fault: { mode: 'http_status', moment: 'after', status: 400 },
      cause: 'unreadable',
    },
  ]
}

async function askedForPin(cards: CardDesk): Promise<CardTrial> {
  const trial = cards.asksPin()
  assert.equal(actionOf(accepted(await trial.submit())), 'pin')
  return trial
}

const pin = ({ values }: CardDesk): CustomerAnswer => ({ kind: 'pin', value: values.pin })
const otp = ({ values }: CardDesk): CustomerAnswer => ({ kind: 'otp', value: values.otp })

function actionOf(said: Said): CustomerAction['kind'] | undefined {
  return said.state === 'waiting' ? said.action.kind : undefined
}

/** What a step came to, be it an end or not. */
function told(outcome: AuthoriseOutcome): Said {
  assert.ok(outcome.certainty === 'accepted', `accepted, not ${inspect(outcome)}`)
  return outcome.said
}

function failed(outcome: AuthoriseOutcome): FailureCode {
  assert.ok(outcome.certainty === 'definitely_failed', `failed, not ${inspect(outcome)}`)
  return outcome.failure.code
}

const failureIn = (said: Said) => (said.state === 'failed' ? said.failure.code : said.state)

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
