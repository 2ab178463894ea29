import type {
  Account,
  Entry,
  Failure,
  Movement,
  Operation,
  Payment,
  PaymentRef,
  Progress,
  Receipt,
  State,
} from './entries.ts'
import { isEnd, transitions } from './entries.ts'
import { type Floats, type Purse, startFloats } from './floats.ts'
import { toAmount, toUnits } from './money.ts'

export interface Change {
  readonly state: State
  readonly at: number
  /** The same in the payment's own time. */
  readonly moment: number
  readonly failure?: Failure
  readonly receipt?: string
  /** The total reversed so far, where that changes. */
  readonly returned?: string
  readonly authorizationUrl?: string
}

export interface Total {
  readonly provider: string
  readonly kind: Movement['kind']
  readonly country: string
  readonly currency: string
  readonly count: number
  readonly amount: string
}

interface Sum {
  count: number
  units: bigint
}

/** The simulator's own truth: the payments it accepted, their state, and every movement of money, in order. */
export class Books {
  readonly floats: Floats = startFloats()
  readonly #write: (entry: Entry) => void
  readonly #byRef = new Map<string, Payment>()
  readonly #byName = new Map<string, Payment>()
  readonly #byOrder: Payment[] = []
  readonly #refundsByCharge = new Map<string, Payment[]>()
  readonly #movements: Movement[] = []
  readonly #movementsByKey = new Map<string, Movement[]>()
  readonly #sums = new Map<string, Sum>()

  /** `write` persists an entry so that it survives the process. The entry is stored when `write` returns. */
  constructor(write: (entry: Entry) => void) {
    this.#write = write
  }

  find(provider: string, operation: Operation, key: string): Payment | undefined {
    return this.#byRef.get(refText({ provider, operation, key }))
  }

  /** By another name in its dialect, or by the id of one of its receipts. */
  findNamed(provider: string, name: string): Payment | undefined {
    return this.#byName.get(`${provider}/${name}`)
  }

  /** Every refund of a charge, oldest first, whatever became of it. */
  refundsOf({ provider, key }: Pick<Payment, 'provider' | 'key'>): readonly Payment[] {
    return this.#refundsByCharge.get(`${provider}/${key}`) ?? []
  }

  payments(): readonly Payment[] {
    return this.#byOrder
  }

  movements(): readonly Movement[] {
    return this.#movements
  }

  movementsOf(key: string): readonly Movement[] {
    return this.#movementsByKey.get(key) ?? []
  }

  totals(): Total[] {
    return [...this.#sums].map(([name, sum]) => totalOf(name, sum))
  }

  accept(payment: Payment): void {
    this.#enter({ entry: 'accepted', payment })
  }

  /** The only way to change a payment. Money moves together with the change, or not at all. */
  change(payment: Payment, change: Change): void {
    const allowed: readonly State[] = transitions[payment.state]
    if (!allowed.includes(change.state))
      throw new Error(`${refText(payment)} cannot go from ${payment.state} to ${change.state}`)
    const moved = movedBy(payment, change)
    const movement = moved && this.#movementOf({ ...payment, amount: moved.amount }, moved.kind, change.at)
    this.#enter({ entry: 'changed', ...refOf(payment), ...change, ...(movement && { movement }) })
  }

  /** Adds an account to a charge for incoming money. */
  open(payment: PaymentRef, account: Account): void {
    this.#enter({ entry: 'opened', ...refOf(payment), account })
  }

  /** Money arrived in an account of the charge. The charge does not change: its dialect knows when the amount is enough. */
  receive(payment: Payment, receipt: Receipt): void {
    const { id, amount, at } = receipt
    const movement = { ...this.#movementOf({ ...payment, amount }, 'collected', at), receipt: id }
    this.#enter({ entry: 'received', ...refOf(payment), receipt, movement })
  }

  /** The bank reverses a receipt, or reinstates it. */
  changeReceipt(payment: Payment, { id, amount }: Receipt, change: { at: number; isReversed: boolean }): void {
    const { at, isReversed } = change
    const kind = isReversed ? 'reversed' : 'reinstated'
    const movement = { ...this.#movementOf({ ...payment, amount }, kind, at), receipt: id }
    const reversedAt = isReversed && { reversedAt: at }
    this.#enter({ entry: 'receipt_changed', ...refOf(payment), receipt: id, ...reversedAt, movement })
  }

  /** Moves the own time of one payment. */
  forward(payment: PaymentRef, ms: number): void {
    this.#enter({ entry: 'forwarded', ...refOf(payment), ms })
  }

  progress(payment: PaymentRef, progress: Progress): void {
    this.#enter({ entry: 'progressed', ...refOf(payment), progress })
  }

  delivered(payment: PaymentRef, { state, receipt }: { readonly state: State; readonly receipt?: string }): void {
    this.#enter({ entry: 'delivered', ...refOf(payment), state, ...(receipt !== undefined && { receipt }) })
  }

  setFloat(purse: Purse, amount: string): void {
    this.#enter({ entry: 'float', ...purse, amount })
  }

  reset(): void {
    this.#enter({ entry: 'reset' })
  }

  /** Applies one journal entry without writing it again. */
  replay(entry: Entry): void {
    if (entry.entry === 'accepted') this.#add(entry.payment)
    else if (entry.entry === 'changed') this.#apply(entry)
    else if (entry.entry === 'delivered') this.#deliver(entry)
    else if (entry.entry === 'opened') this.#open(this.#get(entry), entry.account)
    else if (entry.entry === 'received') this.#receive(this.#get(entry), entry)
    else if (entry.entry === 'receipt_changed') this.#changeReceipt(this.#get(entry), entry)
    else if (entry.entry === 'forwarded') this.#forward(this.#get(entry), entry.ms)
    else if (entry.entry === 'progressed') this.#advance(this.#get(entry), entry.progress)
    else if (entry.entry === 'float') this.floats.set(entry, toUnits(entry.amount))
    else if (entry.entry === 'reset') this.#forget()
  }

  #enter(entry: Entry): void {
    this.#write(entry)
    this.replay(entry)
  }

  #get(ref: PaymentRef): Payment {
    const payment = this.#byRef.get(refText(ref))
    if (payment === undefined) throw new Error(`the journal names ${refText(ref)}, which was never accepted`)
    return payment
  }

  #add(payment: Payment): void {
    this.#byRef.set(refText(payment), payment)
    this.#byOrder.push(payment)
    for (const name of payment.names ?? []) this.#byName.set(`${payment.provider}/${name}`, payment)
    if (payment.refundOf !== undefined) {
      const charge = { provider: payment.provider, key: payment.refundOf }
      this.#refundsByCharge.set(`${charge.provider}/${charge.key}`, [...this.refundsOf(charge), payment])
    }
    if (payment.operation !== 'charge' && !isEnd(payment.state)) this.floats.reserve(payment, toUnits(payment.amount))
  }

  #apply(entry: Entry & { entry: 'changed' }): void {
    const payment = this.#get(entry)
    const before = payment.state
    payment.state = entry.state
    delete payment.deliveredState
    if (isEnd(entry.state)) Object.assign(payment, { endedAt: entry.at, endedMoment: entry.moment })
    if (entry.state === 'reversed') payment.reversals = (payment.reversals ?? 0) + 1
    if (entry.returned === undefined) delete payment.returned
    else payment.returned = entry.returned
    if (entry.authorizationUrl !== undefined) payment.authorizationUrl = entry.authorizationUrl
    if (entry.receipt !== undefined) payment.receipt = entry.receipt
    if (entry.failure === undefined) delete payment.failure
    else payment.failure = entry.failure
    if (payment.operation !== 'charge' && !isEnd(before) && isEnd(entry.state))
      this.floats.release(payment, toUnits(payment.amount))
    if (entry.movement) this.#book(entry.movement)
  }

  #open(payment: Payment, account: Account): void {
    payment.accounts = [...(payment.accounts ?? []), account]
  }

  #receive(payment: Payment, { receipt, movement }: Entry & { entry: 'received' }): void {
    payment.receipts = [...(payment.receipts ?? []), receipt]
    this.#byName.set(`${payment.provider}/${receipt.id}`, payment)
    this.#book(movement)
  }

  #changeReceipt(payment: Payment, entry: Entry & { entry: 'receipt_changed' }): void {
    const { receipt: id, reversedAt, movement } = entry
    payment.receipts = payment.receipts?.map((each) => (each.id === id ? changed(each, reversedAt) : each)) ?? []
    this.#book(movement)
  }

  #forward(payment: Payment, ms: number): void {
    payment.aheadMs = (payment.aheadMs ?? 0) + ms
  }

  #advance(payment: Payment, progress: Progress): void {
    payment.progress = { ...payment.progress, ...progress }
  }

  #deliver(entry: Entry & { entry: 'delivered' }): void {
    const payment = this.#get(entry)
    const receipt = payment.receipts?.find(({ id }) => id === entry.receipt)
    if (receipt) receipt.isDelivered = true
    else payment.deliveredState = entry.state
  }

  #movementOf(payment: Payment, kind: Movement['kind'], at: number): Movement {
    const { provider, operation, key, amount, currency, country, refundOf } = payment
    const number = this.#movements.length + 1
    const money = { number, provider, operation, key, kind, amount, currency, country }
    return { ...money, ...(refundOf !== undefined && { refundOf }), at: new Date(at).toISOString() }
  }

  #book(movement: Movement): void {
    this.#movements.push(movement)
    const ofKey = this.#movementsByKey.get(movement.key)
    if (ofKey) ofKey.push(movement)
    else this.#movementsByKey.set(movement.key, [movement])
    const units = toUnits(movement.amount)
    this.floats.add(movement, comesIn(movement) ? units : -units)
    const name = [movement.provider, movement.kind, movement.country, movement.currency].join('/')
    const sum = this.#sums.get(name) ?? { count: 0, units: 0n }
    this.#sums.set(name, { count: sum.count + 1, units: sum.units + units })
  }

  #forget(): void {
    for (const each of [this.#byRef, this.#byName, this.#refundsByCharge, this.#movementsByKey, this.#sums])
      each.clear()
    this.#byOrder.length = 0
    this.#movements.length = 0
    this.floats.clear()
  }
}

const refOf = ({ provider, operation, key }: PaymentRef): PaymentRef => ({ provider, operation, key })

const refText = ({ provider, operation, key }: PaymentRef) => `${provider}/${operation}/${key}`

/** The movement of a change, and its amount. */
function movedBy(payment: Payment, { state, returned }: Change): Pick<Movement, 'kind' | 'amount'> | undefined {
  const { operation, amount, returned: before } = payment
  if (state === 'reversed') return { kind: 'reversed', amount: more(returned ?? amount, before) }
  if (state !== 'completed') return undefined
  if (payment.state === 'reversed') return { kind: 'reinstated', amount: before ?? amount }
  return { kind: firstKinds[operation], amount }
}

/** The movement of a payment that completes. */
const firstKinds = { charge: 'collected', payout: 'paid', refund: 'refunded' } as const

const more = (all: string, before: string | undefined) =>
  before === undefined ? all : toAmount(toUnits(all) - toUnits(before))

/** Clears `isDelivered`: the callback about this change is not delivered yet. */
function changed(
  { isDelivered: _isDelivered, reversedAt: _before, ...receipt }: Receipt,
  reversedAt: number | undefined,
): Receipt {
  if (reversedAt === undefined) return receipt
  return { ...receipt, reversedAt, reversals: (receipt.reversals ?? 0) + 1 }
}

const comesIn = ({ operation, kind }: Movement) => (operation === 'charge') === (kind !== 'reversed')

function totalOf(name: string, { count, units }: Sum): Total {
  const [provider = '', kind = '', country = '', currency = ''] = name.split('/')
  return { provider, kind: kind as Movement['kind'], country, currency, count, amount: toAmount(units) }
}
