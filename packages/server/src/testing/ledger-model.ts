import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { Counters } from '../ledger/accounts.ts'
import type { Movement, Refusal } from '../ledger/books.ts'
import { newTransactionId } from '../platform/ids.ts'

export type Move = Extract<Movement, { readonly amount: bigint }>
type Ending = Exclude<Movement, Move>

/** The expected ledger: all moves, all endings, and the resulting counters of every account. */
export interface Model {
  /** Accounts that may not spend more than they have. */
  readonly wallets: ReadonlyMap<string, { readonly currency: string }>
  readonly counters: Map<string, Counters>
  readonly moves: Map<string, Move>
  readonly endings: Map<string, Ending>
}

/** Undefined when everything was applied; `key_refused` when the database rejected a used number. */
export type LedgerOutcome = Refusal | 'key_refused' | undefined

/** Movements that a writer applies together or not at all. Each has its own event. */
export interface Operation {
  readonly movements: readonly Movement[]
  readonly wallets: readonly string[]
}

const isMove = (movement: Movement): movement is Move => movement.kind === 'hold' || movement.kind === 'transfer'
export const isEnding = (movement: Movement): movement is Ending => !isMove(movement)
const keyOf = ({ transaction_id, number }: Movement) => `${transaction_id} ${number}`

export function createModel(wallets: Model['wallets'], platformAccounts: readonly string[]): Model {
  const zero = () => ({ debits_pending: 0n, debits_posted: 0n, credits_pending: 0n, credits_posted: 0n })
  const accounts = [...wallets.keys(), ...platformAccounts]
  return { wallets, counters: new Map(accounts.map((id) => [id, zero()])), moves: new Map(), endings: new Map() }
}

/** A copy of the books to experiment on. */
export function copyOf({ wallets, counters, moves, endings }: Model): Model {
  const copied = new Map([...counters].map(([id, each]) => [id, { ...each }]))
  return { wallets, counters: copied, moves: new Map(moves), endings: new Map(endings) }
}

/**
 * Applies the movements if all of them are allowed, and returns the permitted results. That is one result, except for a used
 * number: the writer may know it, learn it from the database, or fail on a later movement first.
 */
function decide(model: Model, { movements }: Operation): ReadonlySet<LedgerOutcome> {
  const draft: Model = {
    wallets: model.wallets,
    counters: new Map([...model.counters].map(([id, each]) => [id, { ...each }])),
    moves: new Map(),
    endings: new Map(),
  }
  const outcomes = new Set<LedgerOutcome>()
  for (const movement of movements) {
    if (isMove(movement) && isMoved(model, draft, movement)) outcomes.add('number_used')
    const refusal = isMove(movement) ? move(draft, movement) : end(model, draft, movement)
    if (refusal !== undefined) return outcomes.add(refusal)
  }
  if (outcomes.size > 0) return outcomes.add('key_refused')
  for (const [id, each] of draft.counters) model.counters.set(id, each)
  for (const [key, each] of draft.moves) model.moves.set(key, each)
  for (const [key, each] of draft.endings) model.endings.set(key, each)
  return outcomes.add(undefined)
}

const isMoved = (model: Model, draft: Model, movement: Move) =>
  draft.moves.has(keyOf(movement)) || model.moves.has(keyOf(movement))

function move(draft: Model, movement: Move): Refusal | undefined {
  draft.moves.set(keyOf(movement), movement)
  count(draft, movement, movement.kind === 'hold' ? 'pending' : 'posted', movement.amount)
  const isOverdrawn = draft.wallets.has(movement.debit_account) && availableOf(draft, movement.debit_account) < 0n
  return isOverdrawn ? 'insufficient_funds' : undefined
}

function end(model: Model, draft: Model, ending: Ending): Refusal | undefined {
  const key = keyOf(ending)
  const hold = draft.moves.get(key) ?? model.moves.get(key)
  if (hold?.kind !== 'hold') return 'hold_missing'
  if (draft.endings.has(key) || model.endings.has(key)) return 'hold_ended'
  draft.endings.set(key, ending)
  countEnding(draft, hold, ending)
  return undefined
}

function countEnding(model: Model, hold: Move, { kind }: Ending): void {
  count(model, hold, 'pending', -hold.amount)
  if (kind === 'post') count(model, hold, 'posted', hold.amount)
}

function count({ counters }: Model, move: Move, place: 'pending' | 'posted', amount: bigint): void {
  const [debited, credited] = [counters.get(move.debit_account), counters.get(move.credit_account)]
  assert(debited && credited)
  debited[`debits_${place}`] += amount
  credited[`credits_${place}`] += amount
}

function availableOf({ counters }: Model, wallet: string): bigint {
  const found = counters.get(wallet)
  assert(found)
  return found.credits_posted - found.debits_posted - found.debits_pending
}

/** Applies the operations that two writers reported as applied, in any order: numbers are used once, holds end once. */
export function adopt(model: Model, operations: readonly Operation[]): void {
  const movements = operations.flatMap((operation) => operation.movements)
  for (const movement of movements.filter(isMove)) {
    assert(!model.moves.has(keyOf(movement)), `${keyOf(movement)} was moved twice`)
    model.moves.set(keyOf(movement), movement)
    count(model, movement, movement.kind === 'hold' ? 'pending' : 'posted', movement.amount)
  }
  for (const ending of movements.filter(isEnding)) {
    const hold = model.moves.get(keyOf(ending))
    assert.equal(hold?.kind, 'hold', `${keyOf(ending)} was ended and is not a hold`)
    assert(!model.endings.has(keyOf(ending)), `${keyOf(ending)} was ended twice`)
    model.endings.set(keyOf(ending), ending)
    countEnding(model, hold, ending)
  }
}

/** Whether the final books explain a result. The funds at the time are not known any more. */
export function isExplained(model: Model, { movements }: Operation, outcome: LedgerOutcome): boolean {
  const [moves, endings] = [movements.filter(isMove), movements.filter(isEnding)]
  const isUsed = isAmong(moves, model.moves)
  switch (outcome) {
    case 'insufficient_funds':
      return moves.some((each) => model.wallets.has(each.debit_account))
    case 'hold_missing':
      return endings.length > 0
    case 'hold_ended':
      return isAmong(endings, model.endings)
    case 'number_used':
      return isUsed
    case 'key_refused': // Without a locked wallet, only the database sees two writers end one hold.
      return (
        isUsed ||
        isAmong(
          endings.filter((each) => !isOfWallet(model, each)),
          model.endings,
        )
      )
    case undefined:
      return true
  }
}

/** Whether one of them exists already, or is listed twice. */
const isAmong = (all: readonly Movement[], known: ReadonlyMap<string, Movement>) =>
  new Set(all.map(keyOf)).size < all.length || all.some((each) => known.has(keyOf(each)))

function isOfWallet({ wallets, moves }: Model, ending: Ending): boolean {
  const hold = moves.get(keyOf(ending))
  return hold !== undefined && (wallets.has(hold.debit_account) || wallets.has(hold.credit_account))
}

/** The expected transfers, one line of text each. */
export function transfersOf({ moves, endings }: Model): Set<string> {
  const moved = [...moves.values()].map((each) => transferText({ ...each, phase: 0 }))
  const ended = [...endings].map(([key, ending]) => transferText({ ...(moves.get(key) as Move), ...ending, phase: 1 }))
  return new Set([...moved, ...ended])
}

export const transferText = (row: Omit<Move, 'kind'> & { readonly kind: string; readonly phase: number }) =>
  [
    row.transaction_id,
    row.number,
    row.phase,
    row.kind,
    row.event,
    row.debit_account,
    row.credit_account,
    row.amount,
    row.currency,
  ].join(' ')

/** An amount, described before the balance is known. */
type Size =
  | { readonly of: 'available'; readonly percent: bigint }
  | { readonly of: 'limit'; readonly over: bigint }
  | { readonly of: 'any'; readonly amount: bigint }

type Step =
  | {
      readonly does: 'move'
      readonly kind: Move['kind']
      readonly way: 'in' | 'out' | 'between'
      readonly wallet: number
      readonly accounts: readonly [number, number]
      readonly size: Size
    }
  | {
      readonly does: 'end'
      readonly kind: Ending['kind']
      readonly which: 'open' | 'ended' | 'transfer' | 'unknown'
      readonly pick: number
    }
  | { readonly does: 'repeat'; readonly age: 'new' | 'old'; readonly pick: number; readonly isAltered: boolean }

/** What fast-check generates: steps that become movements once their books are known. */
export type Intent = readonly Step[]

export interface Phase {
  readonly writers: 1 | 2
  /** How many operations are submitted at a time, which sets the batch size. */
  readonly wave: number
  readonly intents: readonly (readonly [writer: 0 | 1, Intent])[]
}

const weighted = <Value>(...all: readonly (readonly [number, fc.Arbitrary<Value>])[]) =>
  fc.oneof(...all.map(([weight, arbitrary]) => ({ weight, arbitrary })))

const size: fc.Arbitrary<Size> = weighted<Size>(
  [3, fc.record({ of: fc.constant('available'), percent: fc.bigInt(1n, 70n) })],
  [2, fc.record({ of: fc.constant('limit'), over: fc.constantFrom(-1n, 0n, 1n) })],
  [3, fc.record({ of: fc.constant('any'), amount: fc.bigInt(1n, 5_000_000n) })],
)

const step: fc.Arbitrary<Step> = weighted<Step>(
  [
    24,
    fc.record({
      does: fc.constant('move'),
      kind: fc.constantFrom('hold', 'hold', 'transfer'),
      way: fc.constantFrom('in', 'in', 'out', 'out', 'out', 'between'),
      wallet: fc.nat(1000),
      accounts: fc.tuple(fc.nat(1000), fc.nat(1000)),
      size,
    }),
  ],
  [
    16,
    fc.record({
      does: fc.constant('end'),
      kind: fc.constantFrom('post', 'void'),
      which: weighted<'open' | 'ended' | 'transfer' | 'unknown'>(
        [16, fc.constant('open')],
        [3, fc.constant('ended')],
        [1, fc.constant('transfer')],
        [1, fc.constant('unknown')],
      ),
      pick: fc.nat(100_000),
    }),
  ],
  [
    1,
    fc.record({
      does: fc.constant('repeat'),
      age: fc.constantFrom('new', 'new', 'new', 'new', 'old'),
      pick: fc.nat(100_000),
      isAltered: fc.boolean(),
    }),
  ],
)

const intent = fc.array(step, { minLength: 1, maxLength: 4, size: 'max' })

/** Phases of one or two writers on the same books. */
export const phases: fc.Arbitrary<readonly Phase[]> = fc.array(
  fc.record({
    writers: fc.constantFrom(1, 2, 2),
    wave: fc.integer({ min: 2, max: 80 }),
    intents: fc.array(fc.tuple(fc.constantFrom(0, 1), intent), {
      minLength: 1,
      maxLength: 600,
      size: 'max',
    }),
  }),
  { minLength: 1, maxLength: 5, size: 'max' },
)

export interface Planned {
  readonly operation: Operation
  /** The results that a single writer may return. */
  readonly outcomes: ReadonlySet<LedgerOutcome>
}

/** Turns intents into operations, each for the books after the previous ones, and applies them to the model. */
export function plan(model: Model, accounts: ReadonlyMap<string, readonly string[]>, intents: readonly Intent[]) {
  return intents.map((each): Planned => {
    const [transaction_id, event] = [newTransaction(), newTransaction()]
    const movements = each.map((one, number) => movementOf(model, accounts, one, { transaction_id, event, number }))
    const named = movements.filter(isMove).flatMap((made) => [made.debit_account, made.credit_account])
    const operation = { movements, wallets: named.filter((id) => model.wallets.has(id)) }
    return { operation, outcomes: decide(model, operation) }
  })
}

const newTransaction = () => newTransactionId(Date.now(), 0)

type Place = Pick<Movement, 'transaction_id' | 'number' | 'event'>

function movementOf(model: Model, accounts: ReadonlyMap<string, readonly string[]>, one: Step, place: Place): Movement {
  if (one.does === 'move') return moveOf(model, accounts, one, place)
  if (one.does === 'end') return { ...(chosen(model, one) ?? place), kind: one.kind, event: place.event }
  return repeated(model, one, place) ?? { ...place, kind: 'void' }
}

function moveOf(
  model: Model,
  accounts: ReadonlyMap<string, readonly string[]>,
  { kind, way, wallet, accounts: [first, second], size: wanted }: Extract<Step, { does: 'move' }>,
  place: Place,
): Move {
  const [id, { currency }] = at([...model.wallets], wallet)
  const known = accounts.get(currency) ?? []
  const [one, other] = [at(known, first), at(known, first + 1 + (second % (known.length - 1)))]
  const [debit_account, credit_account] = { in: [one, id], out: [id, one], between: [one, other] }[way] as [
    string,
    string,
  ]
  return { ...place, kind, debit_account, credit_account, currency, amount: amountOf(wanted, availableOf(model, id)) }
}

function amountOf(wanted: Size, available: bigint): bigint {
  const amount = {
    available: () => ('percent' in wanted ? (available * wanted.percent) / 100n : 0n),
    limit: () => ('over' in wanted ? available + wanted.over : 0n),
    any: () => ('amount' in wanted ? wanted.amount : 0n),
  }[wanted.of]()
  return amount > 0n ? amount : 1n
}

const at = <Value>(values: readonly Value[], index: number) => values[index % values.length] as Value

function chosen(
  model: Model,
  { which, pick }: Extract<Step, { does: 'end' }>,
): Pick<Place, 'transaction_id' | 'number'> | undefined {
  const fits = {
    open: (move: Move) => move.kind === 'hold' && !model.endings.has(keyOf(move)),
    ended: (move: Move) => model.endings.has(keyOf(move)),
    transfer: (move: Move) => move.kind === 'transfer',
    unknown: () => false,
  }[which]
  const fitting = [...model.moves.values()].filter(fits)
  if (fitting.length === 0) return undefined
  const { transaction_id, number } = at(fitting, pick)
  return { transaction_id, number }
}

/** The same number between the same accounts again: unchanged, or with another amount. */
function repeated(
  model: Model,
  { age, pick, isAltered }: Extract<Step, { does: 'repeat' }>,
  { event }: Place,
): Move | undefined {
  const known = [...model.moves.values()].slice(age === 'new' ? -5 : 0)
  if (known.length === 0) return undefined
  const move = at(known, pick)
  return { ...move, event, amount: isAltered ? move.amount + 1n : move.amount }
}

/** The number of operations and the seed. A shortened run only has to show whether it fails. */
export function modelSettings() {
  const { MALIPO_MODEL_SEED = '20260704', MALIPO_MODEL_OPERATIONS = '8000' } = process.env
  const operations = Number(MALIPO_MODEL_OPERATIONS)
  return { operations, seed: Number(MALIPO_MODEL_SEED), isShort: operations < 8000 }
}
