import type { Currency } from '../../money/currencies.ts'
import type { Db, Owner, Tx } from '../../platform/db.ts'
import type { Vault } from '../../platform/seal.ts'
import type { Counterparty } from '../model/counterparty.ts'
import { dayMs, timing } from '../resolve/timing.ts'
import { type ApprovalReason, type ControlledPayout, insertControlled } from './approvals.ts'
import { beneficiaryHashes, withNewBeneficiary } from './beneficiary.ts'
import { type DayCount, type DayCounts, openDayCounts, readDayCounts } from './day-counts.ts'
import type { PayoutMaker } from './maker.ts'
import {
  type CurrencyControls,
  type DayKind,
  dayKinds,
  dayLimits,
  type LimitName,
  ownerKey,
  type PayoutControls,
} from './rules.ts'

/** Who made a payout, and how. */
export interface PayoutOrigin extends PayoutMaker {
  readonly isBulk: boolean
}

/** The fields of a priced payout that its controls need. */
interface Controllable {
  readonly owner: Owner
  readonly wallet_currency: Currency
  readonly wallet_amount: bigint
  /** What the beneficiary gets. */
  readonly currency: Currency
  readonly amount: bigint
  readonly counterparty: Counterparty | null
  /** Undefined for a charge, which has no controls. A conversion pays no beneficiary, so it has none either. */
  readonly origin: PayoutOrigin | undefined
}

/** A limit that a payout exceeds, in minor units of its currency: the wallet's, or the one that is paid. */
export interface ExceededLimit {
  readonly currency: Currency
  readonly limit: LimitName
  readonly most: bigint
  readonly left: bigint
  /** When the limit counts from zero again; undefined for a limit of single payouts. */
  readonly resetsAt: Date | undefined
}

/** The controls of one batch. Payouts are decided in order, and each that is accepted counts for the next. */
export interface ControlBatch {
  exceeded(id: string): ExceededLimit | undefined
  /** Counts an accepted payout, and returns whether it needs approval. */
  accept(id: string): { readonly needsApproval: boolean }
  /** Writes the day's sums and what the controls did. */
  write(): Promise<void>
}

/** An amount of a payout that the limits of its currency count. */
interface Side {
  readonly currency: Currency
  readonly amount: bigint
  readonly limits: CurrencyControls | undefined
  /** The sums that limit it, by kind. A beneficiary has one for each secret key; the first is added to. */
  readonly counts: ReadonlyMap<DayKind, readonly DayCount[]>
}

interface Controlled {
  readonly priced: Controllable
  readonly controls: PayoutControls
  /** What the wallet pays, and what the beneficiary gets if that is in another currency: a wallet must not avoid a limit. */
  readonly sides: readonly Side[]
  readonly payout: Omit<ControlledPayout, 'approval_reasons' | 'approval_expires_at'>
}

const none: ControlBatch = {
  exceeded: () => undefined,
  accept: () => ({ needsApproval: false }),
  write: () => Promise.resolve(),
}

type Items = readonly { readonly id: string; readonly priced: Controllable }[]
type ControlsOf = ReadonlyMap<string, PayoutControls>

/**
 * Locks what the limits of these payouts count, after the wallets and before the feed counters. Costs nothing when no payout of
 * the batch has controls.
 */
export async function openControlBatch(
  tx: Tx,
  vault: Vault,
  at: Date,
  controlsOf: ControlsOf,
  items: Items,
): Promise<ControlBatch> {
  const controlled = items.flatMap(({ id, priced }) => controlledOf(vault, at, controlsOf, id, priced))
  if (controlled.length === 0) return none
  const [counts, isNew] = await Promise.all([
    openDayCounts(tx, controlled.flatMap(countsOf)),
    withNewBeneficiary(tx, vault, at, controlled.filter(mayBeNew).flatMap(payingOf)),
  ])
  return batchOf(at, controlled, counts, isNew, async (accepted) => {
    await Promise.all([counts.write(), insertControlled(tx, accepted)])
  })
}

/** The same for payouts that are only tried: locks and writes nothing. */
export async function previewControls(
  db: Db,
  vault: Vault,
  at: Date,
  controlsOf: ControlsOf,
  items: Items,
): Promise<Omit<ControlBatch, 'write'>> {
  const controlled = items.flatMap(({ id, priced }) => controlledOf(vault, at, controlsOf, id, priced))
  if (controlled.length === 0) return none
  const counts = await readDayCounts(db, controlled.flatMap(countsOf))
  const isNew = await withNewBeneficiary(db, vault, at, controlled.filter(mayBeNew).flatMap(payingOf))
  return batchOf(at, controlled, counts, isNew, () => Promise.resolve())
}

const countsOf = ({ sides }: Controlled) => sides.flatMap(({ counts }) => [...counts.values()].flat())
/** What an accepted payout adds to the sums of the day. */
const sharesOf = ({ sides }: Controlled) =>
  sides.flatMap(({ counts, amount }) =>
    [...counts.values()].flatMap(([count]) => (count === undefined ? [] : [{ count, amount }])),
  )
const mayBeNew = ({ controls }: Controlled) => controls.is_for_new_beneficiaries

function batchOf(
  at: Date,
  controlled: readonly Controlled[],
  counts: DayCounts,
  isNew: ReadonlySet<string>,
  write: (accepted: readonly ControlledPayout[]) => Promise<void>,
): ControlBatch {
  const byId = new Map(controlled.map((each) => [each.payout.transaction_id, each]))
  const accepted: ControlledPayout[] = []
  return {
    exceeded: (id) => {
      const found = byId.get(id)
      return found && exceededBy(found, counts, at)
    },
    accept: (id) => {
      const found = byId.get(id)
      if (!found) return { needsApproval: false }
      for (const { count, amount } of sharesOf(found)) counts.add(count, amount)
      const approval_reasons = reasonsOf(found, isNew.has(id))
      const needsApproval = approval_reasons.length > 0
      const approval_expires_at = needsApproval ? new Date(at.getTime() + timing.approvalMs) : null
      if (needsApproval || countsOf(found).length > 0)
        accepted.push({ ...found.payout, approval_reasons, approval_expires_at })
      return { needsApproval }
    },
    write: () => write(accepted),
  }
}

function controlledOf(
  vault: Vault,
  at: Date,
  controlsOf: ReadonlyMap<string, PayoutControls>,
  id: string,
  priced: Controllable,
): Controlled[] {
  const { owner, counterparty, origin } = priced
  const controls = controlsOf.get(ownerKey(owner))
  if (!controls || !origin || counterparty?.role !== 'payee') return []
  const { merchant_id, env } = owner
  const day = at.toISOString().slice(0, 10)
  const hashes = beneficiaryHashes(vault, counterparty.to)
  const { made_by, counted_as = made_by } = origin
  const subjects = { credential: [counted_as], merchant: [''], beneficiary: hashes }
  const sideOf = (currency: Currency, amount: bigint): Side => {
    const limits = controls.byCurrency.get(currency)
    const counted = dayKinds.filter((kind) => (limits?.[dayLimits[kind]] ?? null) !== null)
    const countsBy = (kind: DayKind) =>
      subjects[kind].map((subject) => ({ merchant_id, env, currency, day, kind, subject }))
    return { currency, amount, limits, counts: new Map(counted.map((kind) => [kind, countsBy(kind)])) }
  }
  const debited = sideOf(priced.wallet_currency, priced.wallet_amount)
  const paid = priced.currency === priced.wallet_currency ? undefined : sideOf(priced.currency, priced.amount)
  const payout = {
    transaction_id: id,
    merchant_id,
    env,
    made_by,
    counted_as,
    beneficiary: hashes[0],
    currency: debited.currency,
    amount: debited.amount,
    day,
    counted: [...debited.counts.keys()],
    paid_currency: paid?.currency ?? null,
    paid_amount: paid?.amount ?? null,
    paid_counted: [...(paid?.counts.keys() ?? [])],
  }
  return [{ priced, controls, sides: paid ? [debited, paid] : [debited], payout }]
}

const payingOf = ({ priced: { owner, counterparty }, payout }: Controlled) =>
  counterparty?.role === 'payee'
    ? [{ id: payout.transaction_id, merchant_id: owner.merchant_id, env: owner.env, to: counterparty.to }]
    : []

/** The first limit that this payout would exceed, those of the wallet's currency first. */
function exceededBy({ sides }: Controlled, sums: DayCounts, at: Date): ExceededLimit | undefined {
  for (const side of sides) {
    const exceeded = exceededOn(side, sums, at)
    if (exceeded) return exceeded
  }
  return undefined
}

function exceededOn({ currency, amount, limits, counts }: Side, sums: DayCounts, at: Date): ExceededLimit | undefined {
  if (!limits) return undefined
  const { per_payout } = limits
  if (per_payout !== null && amount > per_payout)
    return { currency, limit: 'per_payout', most: per_payout, left: per_payout, resetsAt: undefined }
  for (const [kind, of] of counts) {
    const limit = dayLimits[kind]
    const most = limits[limit] ?? 0n
    const spent = of.reduce((sum, count) => sum + sums.spent(count), 0n)
    if (spent + amount > most)
      return { currency, limit, most, left: most > spent ? most - spent : 0n, resetsAt: endOfDay(at) }
  }
  return undefined
}

const endOfDay = (at: Date) => new Date(Math.floor(at.getTime() / dayMs) * dayMs + dayMs)

function reasonsOf({ controls, priced, sides }: Controlled, isNew: boolean): ApprovalReason[] {
  const isAbove = sides.some(({ limits, amount }) => {
    const above = limits?.approval_above ?? null
    return above !== null && amount > above
  })
  const isBulk = controls.is_for_bulk && priced.origin?.isBulk === true
  return [
    ...(isAbove ? ['above_amount' as const] : []),
    ...(isNew ? ['new_beneficiary' as const] : []),
    ...(isBulk ? ['bulk' as const] : []),
  ]
}
