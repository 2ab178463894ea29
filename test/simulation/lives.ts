import { chargeCard } from '../../packages/server/src/charges/card.ts'
import { chargeMomo } from '../../packages/server/src/charges/momo.ts'
import { chargeByTransfer } from '../../packages/server/src/charges/transfer.ts'
import type { Context } from '../../packages/server/src/context.ts'
import { AppError } from '../../packages/server/src/errors.ts'
import type { KeyedRequest } from '../../packages/server/src/idempotency/keys.ts'
import { acceptPayout } from '../../packages/server/src/payouts/accept.ts'
import type { Owner } from '../../packages/server/src/platform/db.ts'
import { readId } from '../../packages/server/src/platform/ids.ts'
import { acceptRefund } from '../../packages/server/src/refunds/accept.ts'
import type { Random } from '../support/cluster/random.ts'

type Kind = 'payout' | 'bank payout' | 'prompt' | 'page' | 'card' | 'transfer' | 'refund'

/** One payment from its merchant's side. */
export interface Life {
  readonly place: number
  readonly kind: Kind
  readonly owner: Owner
  /** Of a refund: 0 for all that is left. */
  readonly amount: number
  /** Of a refund: the reference of its charge. */
  readonly charge?: string
  readonly reference: string
  readonly key: string | undefined
  /** Requests without a response or reset yet. */
  underWay: number
  asked: number
  /** Ids from successful responses, and refusals. */
  readonly acceptedIds: Set<string>
  readonly refusals: string[]
  isCancelled: boolean
}

const shares: readonly Kind[] = [
  ...Array<Kind>(9).fill('payout'),
  ...Array<Kind>(2).fill('bank payout'),
  ...Array<Kind>(4).fill('prompt'),
  'page',
  ...Array<Kind>(3).fill('card'),
  ...Array<Kind>(2).fill('transfer'),
]

export function planLives(random: Random, owners: readonly Owner[], count: number): Life[] {
  return Array.from({ length: count }, (_, place) => ({
    place,
    kind: random.pick(shares),
    owner: random.pick(owners),
    amount: 100 + 10 * random.below(90),
    reference: `life-${place}`,
    key: random() < 0.6 ? `key-${place}` : undefined,
    underWay: 0,
    asked: 0,
    acceptedIds: new Set<string>(),
    refusals: [],
    isCancelled: false,
  }))
}

/** A refund of a charge, whatever its state: of a part, or of all that is left. */
export function planRefund(random: Random, charge: Life, place: number): Life {
  const part = 10 * (1 + random.below(charge.amount / 10))
  return {
    place,
    kind: 'refund',
    owner: charge.owner,
    amount: random() < 0.3 ? 0 : part,
    charge: charge.reference,
    reference: `life-${place}`,
    key: random() < 0.6 ? `key-${place}` : undefined,
    underWay: 0,
    asked: 0,
    acceptedIds: new Set<string>(),
    refusals: [],
    isCancelled: false,
  }
}

/** A bulk of payouts of one merchant, and a payment of each kind that another requests while they wait. */
export function planRush(bulk: Owner, neighbour: Owner, { first, count }: { first: number; count: number }): Life[] {
  const life = (place: number, kind: Kind, owner: Owner): Life => ({
    place,
    kind,
    owner,
    amount: 100,
    reference: `life-${place}`,
    key: undefined,
    underWay: 0,
    asked: 0,
    acceptedIds: new Set<string>(),
    refusals: [],
    isCancelled: false,
  })
  return [
    ...Array.from({ length: count }, (_, place) => life(first + place, 'payout', bulk)),
    life(first + count, 'prompt', neighbour),
    life(first + count + 1, 'payout', neighbour),
  ]
}

/** Requests the payment and records the response. A retry sends the same request. */
export async function ask(ctx: Context, life: Life): Promise<void> {
  try {
    const { response } = await request(ctx, life)
    life.acceptedIds.add(idIn(response))
  } catch (error) {
    life.refusals.push(error instanceof AppError ? error.key : wordOf(error))
  }
  life.underWay -= 1
}

/** The cause behind a 500: a broken connection, or an error that must not happen. */
function wordOf(error: unknown): string {
  const { code, stack } = error as Error & { code?: string }
  return code === '08006' ? 'BROKEN' : `fault: ${stack}`
}

function idIn(answer: object): string {
  const { transactionId, data } = answer as { transactionId?: string; data?: { transactionId: string } }
  return readId('transaction', transactionId ?? data?.transactionId ?? '') ?? `no id in ${JSON.stringify(answer)}`
}

function keyedOf({ key }: Life, path: string, asked: object): KeyedRequest | undefined {
  return key === undefined ? undefined : { key, method: 'POST', path, asked }
}

function request(ctx: Context, life: Life): Promise<{ readonly response: object }> {
  const { owner, amount, reference: externalReference } = life
  const common = { amount, currency: 'KES', externalReference }
  switch (life.kind) {
    case 'payout':
    case 'bank payout': {
      const body = { ...common, country: 'KE', ...targetOf(life) }
      return acceptPayout(ctx, owner, body, keyedOf(life, '/fiat/payout', body), { origin })
    }
    case 'prompt': {
      const body = { ...common, phoneNumber: '+254712345678', momoOperatorId: 'MPESA_KE' }
      return chargeMomo(ctx, owner, body, keyedOf(life, '/fiat/deposit/momo', body))
    }
    case 'page': {
      const pages = { successRedirectUrl: 'https://shop.example/a', failureRedirectUrl: 'https://shop.example/b' }
      const payer = { currency: 'XOF', phoneNumber: '+2250712345678', momoOperatorId: 'WAVE_CI' }
      const body = { ...common, ...payer, ...pages }
      return chargeMomo(ctx, owner, body, keyedOf(life, '/fiat/deposit/momo', body))
    }
    case 'card': {
      const body = { ...common, ...cardholder }
      return chargeCard(ctx, owner, body, keyedOf(life, '/fiat/deposit/card', body))
    }
    case 'refund':
      return refund(ctx, life)
    case 'transfer': {
      const body = { ...common, email: 'amina@example.com' }
      return chargeByTransfer(ctx, owner, body, keyedOf(life, '/fiat/deposit/bank-transfer', body))
    }
  }
}

function refund(ctx: Context, life: Life): Promise<{ readonly response: object }> {
  const { owner, amount, charge = '', reference: externalReference } = life
  const body = { externalReference, ...(amount > 0 && { amount }) }
  const keyed = keyedOf(life, `/transactions/${charge}/refunds`, body)
  return acceptRefund(ctx, owner, charge, body, { maker: origin, keyed, scenario: undefined })
}

const origin = { made_by: 'cred_of_the_simulation', isBulk: false }

const cardholder = {
  email: 'amina@example.com',
  firstName: 'Amina',
  lastName: 'Otieno',
  ipAddress: '102.89.23.10',
  cardDetails: { number: '4242424242424242', cvv: '739', expMonth: '09', expYear: '2035' },
}

function targetOf({ kind }: Life) {
  return kind === 'payout'
    ? ({
        destination: 'MoMo',
        payoutMethod: { accountName: 'Juma', accountNumber: '+254712345678', code: 'MPESA_KE' },
      } as const)
    : ({
        destination: 'Bank Account',
        payoutMethod: { accountName: 'Juma', accountNumber: '1234567890', code: '01' },
      } as const)
}

/** Refusals after which a retry may succeed. */
const passing = new Set(['BROKEN', 'OVERLOADED', 'PROVIDER_UNAVAILABLE', 'IDEMPOTENCY_KEY_IN_PROGRESS'])

/**
 * A request for an account that the bank does not open stays retryable until the charge has ended. The merchant retries this
 * often, and no more: such lives are counted.
 */
const patience = 6

/** Whether the merchant knows the outcome of its request, or will never know. */
export function hasOutcome(life: Life): boolean {
  const { acceptedIds, refusals, underWay } = life
  return underWay === 0 && (acceptedIds.size > 0 || refusals.some((key) => !passing.has(key)) || isGivenUp(life))
}

export function isGivenUp({ kind, acceptedIds, refusals }: Life): boolean {
  return (
    kind === 'transfer' &&
    acceptedIds.size === 0 &&
    refusals.filter((key) => key === 'PROVIDER_UNAVAILABLE').length > patience
  )
}
