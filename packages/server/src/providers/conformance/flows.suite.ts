import assert from 'node:assert/strict'
import { inspect } from 'node:util'
import type {
  AttemptRef,
  AuthoriseOutcome,
  CardChargeAttempt,
  Connector,
  QueryOutcome,
  SubmitOutcome,
} from '../contract.ts'
import type { Bench, CardActions, CardTrial, Examples, Flow, Trial } from './bench.suite.ts'

/** The lanes a connector supports. Each has examples that run the same cases. */
export function flowsOf(bench: Bench): Flow[] {
  const { connector, unreachable, charges, cards, transfers, payouts, areTransfersSilent = false } = bench
  const paid = { operation: 'charge', endsBy: 'customer' } as const
  const timed = { endsBy: 'time', isSilent: false } as const
  const [yes, no] = [connector, unreachable]
  return [
    ...laneOf(
      { name: 'charge', operation: 'charge', ...timed, rail: 'charge.momo' },
      [yes.momoCharges, no.momoCharges],
      charges,
      bench,
    ),
    ...laneOf(
      { name: 'card charge', ...paid, isSilent: false, rail: 'charge.card' },
      [yes.cardCharges, no.cardCharges],
      cards,
      bench,
    ).map((flow) => ({ ...flow, ...cardActionsOf(bench) })),
    ...laneOf(
      { name: 'transfer charge', ...paid, isSilent: areTransfersSilent, rail: 'charge.bank-transfer' },
      [yes.transferCharges, no.transferCharges],
      transfers,
      bench,
    ),
    ...laneOf(
      { name: 'payout', operation: 'payout', ...timed, rail: 'payout' },
      [yes.payouts, no.payouts],
      payouts,
      bench,
    ),
  ]
}

type Kind = Pick<Flow, 'name' | 'operation' | 'endsBy' | 'isSilent'> & {
  /** The prefix of its capabilities. */
  readonly rail: string
}

interface Submitter<Attempt> {
  readonly notFoundWindowMs: number
  submit(attempt: Attempt, signal: AbortSignal): Promise<SubmitOutcome>
  query(attempt: AttemptRef, signal: AbortSignal): Promise<QueryOutcome>
}

function laneOf<Attempt extends AttemptRef>(
  { rail, ...kind }: Kind,
  [money, offline]: readonly (Submitter<Attempt> | undefined)[],
  examples: Examples<Attempt> | undefined,
  { connector, secrets }: Bench,
): Flow[] {
  assert.equal(money === undefined, examples === undefined, `${kind.name}: examples for what the connector can do`)
  if (!money || !offline || !examples) return []
  const { succeeds, stays, fails, refused = {}, redirects, withCode } = examples
  const on = (make: () => Attempt) => () => trialOf(money, make(), secrets)
  const each = (made: typeof fails) => Object.fromEntries(Object.entries(made).map(([code, make]) => [code, on(make)]))
  return [
    {
      ...kind,
      notFoundWindowMs: money.notFoundWindowMs,
      lost: trialOf(offline, succeeds(), secrets),
      impossible: Object.fromEntries(
        impossibleOf(connector, rail, succeeds).map(([name, attempt]) => [name, trialOf(money, attempt, secrets)]),
      ),
      examples: {
        succeeds: on(succeeds),
        stays: on(stays),
        fails: each(fails),
        refused: each(refused),
        ...(redirects && { redirects: on(redirects) }),
        ...(withCode && { withCode: { right: on(withCode.right), wrong: on(withCode.wrong) } }),
      },
    },
  ]
}

/** No provider moves such amounts. A provider that lists its countries and currencies moves money in no others. */
function impossibleOf<Attempt extends AttemptRef>(
  { capabilities }: Connector,
  rail: string,
  make: () => Attempt,
): [string, Attempt][] {
  const own = capabilities.filter(({ operation }) => operation.startsWith(rail))
  const isAnywhere = (what: 'country' | 'currency') => own.some((each) => each[what] === '*')
  return [
    ['no amount', { ...make(), amount: 0n }],
    ['a negative amount', { ...make(), amount: -100n }],
    ['an amount that is too large', { ...make(), amount: 10n ** 30n }],
    ...(isAnywhere('currency')
      ? []
      : [['a currency that is not served there', { ...make(), currency: 'MAD' }] as const]),
    ...(isAnywhere('country') ? [] : [['a country that is not served', { ...make(), country: 'GB' }] as const]),
  ].map(([name, attempt]) => [name as string, attempt as Attempt])
}

function trialOf<Attempt extends AttemptRef>(
  money: Submitter<Attempt>,
  attempt: Attempt,
  secrets: readonly string[],
): Trial {
  const discreet = discretionOf(attempt, secrets)
  return {
    ref: attempt,
    submit: async (signal = AbortSignal.timeout(10_000)) => discreet(await money.submit(attempt, signal)),
    query: async (signal = AbortSignal.timeout(10_000)) => discreet(await money.query(attempt, signal)),
  }
}

/** Checks every outcome except the sealed continuation, which may hold a card. */
function discretionOf(attempt: AttemptRef, secrets: readonly string[]) {
  const hidden = [...secrets, ...personalIn(attempt)]
  return <Outcome extends object>(outcome: Outcome): Outcome => {
    const text = inspect({ ...outcome, continuation: undefined }, { depth: 10 })
    assert.ok(!hidden.some((each) => text.includes(each)), 'no outcome shows a secret or a counterparty')
    return outcome
  }
}

/** Every phone, code, name, card and account number in an attempt. */
function personalIn({ key, country, currency, amount, ...rest }: AttemptRef): string[] {
  const values = Object.values(rest).flatMap((value) =>
    typeof value === 'object' ? Object.values(value ?? {}) : value,
  )
  return values
    .filter((value) => typeof value === 'string' && /\d{6}|\s/.test(value))
    .map((value) => String(value).replace(/^\+/, ''))
}

type CardCharges = NonNullable<Connector['cardCharges']>

function cardActionsOf({ connector, unreachable, cards, secrets }: Bench): { readonly cards?: CardActions } {
  const [money, offline] = [connector.cardCharges, unreachable.cardCharges]
  if (!cards || !money || !offline) return {}
  const kept = new Map<string, string>()
  const on = (make: () => CardChargeAttempt) => () => cardTrialOf(money, make(), secrets, kept)
  const { ends, asksPin, asksAddress, declinedAfter } = cards.steps
  return {
    cards: {
      ends: on(ends),
      asksPin: on(asksPin),
      asksAddress: on(asksAddress),
      declinedAfter: {
        pin: [on(declinedAfter.pin[0]), declinedAfter.pin[1]],
        address: [on(declinedAfter.address[0]), declinedAfter.address[1]],
      },
      values: cards.values,
      authoriseLost: ({ ref }, answer) => offline.authorise(ref, answer, kept.get(ref.key) ?? '', soon()),
    },
  }
}

const soon = () => AbortSignal.timeout(10_000)

function cardTrialOf(
  money: CardCharges,
  attempt: CardChargeAttempt,
  secrets: readonly string[],
  kept: Map<string, string>,
): CardTrial {
  const discreet = discretionOf(attempt, secrets)
  const keep = <Outcome extends AuthoriseOutcome>(outcome: Outcome): Outcome => {
    if (outcome.certainty === 'accepted' && outcome.continuation !== undefined)
      kept.set(attempt.key, outcome.continuation)
    return discreet(outcome)
  }
  const { key, country, currency, amount } = attempt
  const ref: AttemptRef = { key, country, currency, amount }
  return {
    ref,
    submit: async (signal = soon()): Promise<SubmitOutcome> => keep(await money.submit(attempt, signal)),
    query: async (signal = soon()): Promise<QueryOutcome> => discreet(await money.query(ref, signal)),
    authorise: async (answer, { signal = soon(), continuation = kept.get(key) ?? '' } = {}) => {
      const outcome = keep(await money.authorise(ref, answer, continuation, signal))
      const text = inspect({ ...outcome, continuation: undefined }, { depth: 10 })
      const isCode = answer.kind === 'otp' && answer.value.length > 4
      assert.ok(!(isCode && text.includes(answer.value)), 'no outcome shows a code')
      return outcome
    },
  }
}
