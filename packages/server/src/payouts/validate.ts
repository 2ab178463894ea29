import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import type { Beneficiary } from '../external-accounts/beneficiary.ts'
import { isCurrency } from '../money/currencies.ts'
import { numberFromMinor } from '../money/money.ts'
import { refusedFor } from '../payments/accept/replay.ts'
import { type ExceededLimit, type PayoutOrigin, previewControls } from '../payments/controls/control-batch.ts'
import { findControls } from '../payments/controls/rules.ts'
import { type Owner, sql } from '../platform/db.ts'
import { newTransactionId, showId } from '../platform/ids.ts'
import { createRateOf } from '../reference/rates.ts'
import { excess } from '../transactions/find-refundable.ts'
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
import { type TriedRefund, tryRefund } from './refund-of.ts'

/** A payout that was tried: what the real request would refuse, and its price if it has one. */
export interface Tried {
  readonly body: Partial<PayoutBody>
  readonly problems: ProblemList
  readonly beneficiary: Beneficiary | undefined
  readonly figures: Figures | undefined
  /** The quote that it executes. */
  readonly quote: string | undefined
  /** The charge that it gives back. */
  readonly refund: TriedRefund | undefined
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
  const limits = await limitsOf(ctx, owner, terms, tried)
  const wallets = await walletsOf(ctx, owner)
  const totals = new Map<string, WalletTotal>()
  const trial = {
    limits,
    wallets,
    totals,
    references: new Set<string>(),
    quotes: new Set<string>(),
    refunded: new Map<string, bigint>(),
  }
  for (const each of tried) decide(each, trial)
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
  const { figures: known, beneficiary, quote } = examined
  const { refundOf } = body ?? {}
  const refund = known && (await problems.check(() => tryRefund(ctx, owner, refundOf, terms.origin, known)))
  const figures = problems.all.length === 0 ? known : undefined
  return { body: body ?? {}, problems, beneficiary, figures, quote, refund, needsApproval: false }
}

interface Examined extends ExaminedPayout {
  readonly quote?: string | undefined
}

const nothingKnown: Examined = { beneficiary: undefined, figures: undefined }

async function examineFields(
  ctx: Context,
  owner: Owner,
  body: Partial<PayoutBody>,
  problems: ProblemList,
  terms: TrialTerms,
): Promise<Examined> {
  const { check } = problems
  const { quoteId } = body
  if (quoteId === undefined) {
    await check(() => refuseDebitAmount(body))
    return examinePayout(check, ctx, owner, body, terms)
  }
  const quoted = await check(() => quotedFigures(ctx, owner, quoteId, body, terms.origin))
  const refusal = quoted?.refusalAt(terms.at)
  if (refusal) problems.add(new AppError(refusal))
  return { beneficiary: quoted?.figures.beneficiary, figures: quoted?.figures, quote: quoted?.quote }
}

/** The fields of an invalid request that are valid by themselves, so that their problems are found as well. */
function validPart(item: unknown, problems: readonly Problem[]): Partial<PayoutBody> | undefined {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return undefined
  const invalid = new Set(problems.map(({ field }) => field.split('.')[0]))
  return Object.fromEntries(Object.entries(item).filter(([name]) => !invalid.has(name)))
}

/** References that earlier transactions have. */
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
  for (const { body, problems } of tried) {
    const id = used.get(body.externalReference ?? '')
    const details = id === undefined ? [] : [{ field: 'transactionId', message: showId('transaction', id) }]
    if (id !== undefined) problems.add(new AppError('REFERENCE_USED', { details }))
  }
}

interface TrialLimits {
  exceeded(tried: Tried): ExceededLimit | undefined
  /** Counts an acceptable payout, and returns whether it needs approval. */
  accept(tried: Tried): boolean
}

/** Limits and approvals, as the batch that accepts payouts reads them. */
async function limitsOf(
  { db, vault, config }: Context,
  owner: Owner,
  { origin, at }: TrialTerms,
  tried: readonly Tried[],
): Promise<TrialLimits> {
  const items = new Map(
    tried.flatMap((each) => (each.figures ? [[each, itemOf(owner, origin, each.figures, at, config.cell)]] : [])),
  )
  const controls = await previewControls(db.write, vault, at, await findControls(db.write, [owner]), [
    ...items.values(),
  ])
  const idOf = (each: Tried) => items.get(each)?.id ?? ''
  return {
    exceeded: (each) => controls.exceeded(idOf(each)),
    accept: (each) => controls.accept(idOf(each)).needsApproval,
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

/** What the acceptable payouts of a list used up. */
interface Trial {
  readonly limits: TrialLimits
  readonly wallets: ReadonlyMap<string, bigint>
  readonly totals: Map<string, WalletTotal>
  readonly references: Set<string>
  readonly quotes: Set<string>
  /** By the charge's id. */
  readonly refunded: Map<string, bigint>
}

/** Decides a payout after those before it, as the accepting batch does. One that is refused uses nothing up. */
function decide(tried: Tried, trial: Trial): void {
  const { figures, refund, problems } = tried
  refuseUsed(tried, trial)
  const exceeded = trial.limits.exceeded(tried)
  if (figures && exceeded) problems.add(refusedFor(walletSide(figures), { error: 'PAYOUT_LIMIT_EXCEEDED', exceeded }))
  if (refund) refuseExcess(refund, trial.refunded, problems)
  const total = figures && fundsFor(figures, trial, problems)
  if (!total || problems.all.length > 0) return
  useUp(tried, trial)
  total.spent += figures.wallet_amount + figures.fee
}

function refuseUsed({ body, quote, problems }: Tried, { references, quotes }: Trial): void {
  if (references.has(body.externalReference ?? '')) problems.add(new AppError('REFERENCE_USED'))
  if (quotes.has(quote ?? '')) problems.add(new AppError('QUOTE_USED'))
}

function useUp(tried: Tried, { limits, references, quotes, refunded }: Trial): void {
  const { body, quote, refund } = tried
  if (body.externalReference !== undefined) references.add(body.externalReference)
  if (quote !== undefined) quotes.add(quote)
  if (refund) refunded.set(refund.charge.id, (refunded.get(refund.charge.id) ?? 0n) + refund.amount)
  tried.needsApproval = limits.accept(tried)
}

const walletSide = ({ wallet, wallet_amount, fee }: Figures) => ({
  wallet_amount,
  fee,
  wallet_currency: wallet.currency,
})

function refuseExcess({ charge, amount, left }: TriedRefund, refunded: Trial['refunded'], problems: ProblemList): void {
  const before = refunded.get(charge.id) ?? 0n
  if (before + amount > left) problems.add(excess(charge, left > before ? left - before : 0n))
}

/** The wallet that pays, which may have too little left. */
function fundsFor(figures: Figures, { wallets, totals }: Trial, problems: ProblemList): WalletTotal {
  const { wallet, wallet_amount, fee } = figures
  const total = totals.get(walletKey(wallet)) ?? unspent(wallet, wallets)
  if (problems.all.length === 0) {
    total.amount += wallet_amount
    total.fee += fee
    totals.set(walletKey(wallet), total)
  }
  const available = total.available - total.spent
  if (wallet_amount + fee > available)
    problems.add(refusedFor(walletSide(figures), { error: 'INSUFFICIENT_FUNDS', available }))
  return total
}

function unspent(wallet: Figures['wallet'], wallets: Trial['wallets']): WalletTotal {
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
