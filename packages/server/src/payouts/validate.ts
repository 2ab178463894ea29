import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import type { Beneficiary } from '../external-accounts/beneficiary.ts'
import { isCurrency } from '../money/currencies.ts'
import { numberFromMinor } from '../money/money.ts'
import { refusedFor } from '../payments/accept/replay.ts'
import { type PayoutOrigin, previewControls } from '../payments/controls/control-batch.ts'
import { findControls } from '../payments/controls/rules.ts'
import { type Owner, sql } from '../platform/db.ts'
import { newTransactionId, showId } from '../platform/ids.ts'
import { createRateOf } from '../reference/rates.ts'
import { inParts, type ReadItem } from './bulk.ts'
import { quotedFigures } from './execute-quote.ts'
import type { Figures } from './figures.ts'
import { targetOf } from './payee.ts'
import { presentFigures } from './present.ts'
import {
  type ExaminedPayout,
  examinePayout,
  operatorOf,
  type PayoutBody,
  type PricingTerms,
  refuseDebitAmount,
} from './price.ts'
import { createProblemList, type Problem, type ProblemList } from './problems.ts'
import { tryRefund } from './refund-of.ts'

/** A payout that was tried: what the real request would refuse, and its price if it has one. */
export interface Tried {
  readonly body: Partial<PayoutBody>
  readonly problems: ProblemList
  readonly beneficiary: Beneficiary | undefined
  readonly figures: Figures | undefined
  needsApproval: boolean
}

/** What a wallet would pay in all, in minor units. */
export interface WalletTotal {
  readonly currency: string
  readonly country: string
  readonly available: bigint
  /** Of all payouts that only funds could refuse. */
  amount: bigint
  fee: bigint
  /** Of the acceptable ones, fee included. */
  spent: bigint
}

/**
 * Tries payouts without making them, in order, as if each acceptable one were made: by the rules of the real request, which each
 * report what they refuse instead of throwing it. Reads without locks and writes nothing, so that what it finds may change.
 */
export async function tryPayouts(
  ctx: Context,
  owner: Owner,
  items: readonly unknown[],
  readItem: ReadItem,
  origin: PayoutOrigin,
): Promise<{ readonly tried: readonly Tried[]; readonly totals: readonly WalletTotal[] }> {
  const [clock] = await ctx.db.write.query<{ at: Date }>(sql`select record_time() as at`)
  const terms = { origin, rateOf: createRateOf(ctx, owner), at: clock?.at ?? new Date() }
  const tried = await inParts(items, (item) => examine(ctx, owner, item, readItem, terms))
  await addUsedReferences(ctx, owner, tried)
  const exceedsLimits = await limitsOf(ctx, owner, terms, tried)
  const wallets = await walletsOf(ctx, owner)
  const totals = new Map<string, WalletTotal>()
  for (const each of tried) decide(each, { exceedsLimits, wallets, totals })
  return { tried, totals: [...totals.values()] }
}

interface TrialTerms extends PricingTerms {
  /** The database's time. */
  readonly at: Date
}

/** The checks that need no other payout: its form, then the rules of its price. */
async function examine(
  ctx: Context,
  owner: Owner,
  item: unknown,
  readItem: ReadItem,
  terms: TrialTerms,
): Promise<Tried> {
  const problems = createProblemList()
  const read = await problems.check(() => readItem(item))
  const body = read ?? validPart(item, problems.all)
  const examined = body ? await examineFields(ctx, owner, body, problems, terms) : nothingKnown
  const { figures: known } = examined
  if (body && known) await problems.check(() => tryRefund(ctx, owner, body.refundOf, terms.origin, known))
  const figures = problems.all.length === 0 ? examined.figures : undefined
  return { body: body ?? {}, problems, beneficiary: examined.beneficiary, figures, needsApproval: false }
}

const nothingKnown = { beneficiary: undefined, figures: undefined }

async function examineFields(
  ctx: Context,
  owner: Owner,
  body: Partial<PayoutBody>,
  problems: ProblemList,
  terms: TrialTerms,
): Promise<ExaminedPayout> {
  const { check } = problems
  const { quoteId } = body
  if (quoteId === undefined) {
    await check(() => refuseDebitAmount(body))
    return examinePayout(check, ctx, owner, body, terms)
  }
  const quoted = await check(() => quotedFigures(ctx, owner, quoteId, body, terms.origin))
  const refusal = quoted?.refusalAt(terms.at)
  if (refusal) problems.add(new AppError(refusal))
  return { beneficiary: quoted?.figures.beneficiary, figures: quoted?.figures }
}

/** The fields of an invalid request that are valid by themselves, so that their problems are found as well. */
function validPart(item: unknown, problems: readonly Problem[]): Partial<PayoutBody> | undefined {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return undefined
  const invalid = new Set(problems.map(({ field }) => field.split('.')[0]))
  return Object.fromEntries(Object.entries(item).filter(([name]) => !invalid.has(name)))
}

/** A reference that an earlier transaction has, or an earlier payout of the list. */
async function addUsedReferences(ctx: Context, owner: Owner, tried: readonly Tried[]): Promise<void> {
  const references = tried.flatMap(({ body }) => body.externalReference ?? [])
  const rows = await ctx.db.read.query<{ reference: string; transaction_id: string }>(
    owner,
    sql`
      select reference, transaction_id
      from external_references
      where merchant_id = ${owner.merchant_id}
        and env = ${owner.env}
        and reference = any(${references}::text[])`,
  )
  const used = new Map(rows.map((row) => [row.reference, row.transaction_id]))
  const seen = new Set<string>()
  for (const { body, problems } of tried) {
    const { externalReference } = body
    if (externalReference === undefined) continue
    const id = used.get(externalReference)
    const details = id === undefined ? [] : [{ field: 'transactionId', message: showId('transaction', id) }]
    if (id !== undefined || seen.has(externalReference)) problems.add(new AppError('REFERENCE_USED', { details }))
    seen.add(externalReference)
  }
}

type ExceedsLimits = (tried: Tried) => ReturnType<Awaited<ReturnType<typeof previewControls>>['exceeded']>

/** Limits and approvals, as the batch that accepts payouts reads them. */
async function limitsOf(
  { db, vault, config }: Context,
  owner: Owner,
  { origin, at }: TrialTerms,
  tried: readonly Tried[],
): Promise<ExceedsLimits> {
  const items = new Map(
    tried.flatMap((each) => (each.figures ? [[each, itemOf(owner, origin, each.figures, at, config.cell)]] : [])),
  )
  const controls = await previewControls(db.write, vault, at, await findControls(db.write, [owner]), [
    ...items.values(),
  ])
  return (each) => {
    const id = items.get(each)?.id ?? ''
    const exceeded = controls.exceeded(id)
    // A payout that is refused anyway counts for no limit.
    if (!exceeded && each.problems.all.length === 0) each.needsApproval = controls.accept(id).needsApproval
    return exceeded
  }
}

function itemOf(owner: Owner, origin: PayoutOrigin, figures: Figures, at: Date, cell: number) {
  const { beneficiary, wallet, amount, wallet_amount } = figures
  const sides = { currency: beneficiary.currency, amount, wallet_currency: wallet.currency, wallet_amount }
  const counterparty = { role: 'payee', to: targetOf(beneficiary) } as const
  return { id: newTransactionId(at.getTime(), cell), priced: { owner, origin, counterparty, ...sides } }
}

const walletKey = ({ currency, country }: { readonly currency: string; readonly country: string }) =>
  `${currency} ${country}`

async function walletsOf({ db }: Context, owner: Owner): Promise<ReadonlyMap<string, bigint>> {
  const rows = await db.read.query<{ currency: string; country: string; available: bigint }>(
    owner,
    sql`
      select currency, country, credits_posted - debits_posted - debits_pending as available
      from wallets
      where merchant_id = ${owner.merchant_id}
        and env = ${owner.env}`,
  )
  return new Map(rows.map((row) => [walletKey(row), row.available]))
}

interface Deciding {
  readonly exceedsLimits: ExceedsLimits
  readonly wallets: ReadonlyMap<string, bigint>
  readonly totals: Map<string, WalletTotal>
}

/** Decides a payout after those before it: by its limits, then by what they leave in its wallet. */
function decide(tried: Tried, { exceedsLimits, wallets, totals }: Deciding): void {
  const { figures, problems } = tried
  if (!figures) return
  const { wallet, wallet_amount, fee } = figures
  const priced = { wallet_amount, fee, wallet_currency: wallet.currency }
  const exceeded = exceedsLimits(tried)
  if (exceeded) problems.add(refusedFor(priced, { error: 'PAYOUT_LIMIT_EXCEEDED', exceeded }))
  const total = totals.get(walletKey(wallet)) ?? unspent(wallet, wallets)
  if (problems.all.length === 0) {
    total.amount += wallet_amount
    total.fee += fee
    totals.set(walletKey(wallet), total)
  }
  const available = total.available - total.spent
  if (wallet_amount + fee > available) problems.add(refusedFor(priced, { error: 'INSUFFICIENT_FUNDS', available }))
  if (problems.all.length === 0) total.spent += wallet_amount + fee
}

function unspent(wallet: Figures['wallet'], wallets: Deciding['wallets']): WalletTotal {
  return { ...wallet, available: wallets.get(walletKey(wallet)) ?? 0n, amount: 0n, fee: 0n, spent: 0n }
}

/** A tried payout as the response shows it. */
export function presentTried(ctx: Context, { beneficiary, figures, problems, needsApproval, body }: Tried) {
  const operator = beneficiary && operatorOf(ctx, beneficiary)
  const limits = operator?.limits?.payout
  return {
    isAcceptable: problems.all.length === 0,
    problems: problems.all,
    ...(body.externalReference !== undefined && { externalReference: body.externalReference }),
    ...(figures && presentFigures(figures)),
    ...(figures && { needsApproval }),
    ...(operator && { operator: { id: operator.id, name: operator.name } }),
    ...(operator &&
      limits && {
        limits: {
          min: numberFromMinor(limits.min, operator.currency),
          max: numberFromMinor(limits.max, operator.currency),
        },
      }),
  }
}

export function presentTotal({ currency, country, available, amount, fee }: WalletTotal) {
  if (!isCurrency(currency)) throw new Error(`a wallet has the currency ${currency}`)
  const shown = (minor: bigint) => numberFromMinor(minor, currency)
  const debit = amount + fee
  return {
    currency,
    country,
    amount: shown(amount),
    fee: shown(fee),
    debitAmount: shown(debit),
    available: shown(available),
    missing: shown(debit > available ? debit - available : 0n),
  }
}
