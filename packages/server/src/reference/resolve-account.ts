import type { Context } from '../context.ts'
import { AppError, invalid } from '../errors.ts'
import { type Currency, currencies } from '../money/currencies.ts'
import type { Owner } from '../platform/db.ts'
import { createWaitingLimit } from '../platform/waiting-limit.ts'
import type { NameQuery } from '../providers/contract.ts'
import type { RouteQuery } from '../providers/routing.ts'
import { bankOf } from './banks.ts'
import { currencyOf, momoAccount } from './momo.ts'

/** An account whose owner's name a merchant requests. */
export interface AccountQuestion {
  readonly method: 'momo' | 'bank'
  readonly accountNumber: string
  readonly currency: string
  readonly momoOperator?: string
  readonly momoOperatorId?: string
  readonly bankCode?: string
  readonly branchCode?: string
}

export interface AccountName {
  readonly accountId: string
  readonly accountName: string
}

const askMs = 10_000

/** Lookups per merchant that may wait for a provider at a time. */
const limited = createWaitingLimit(50)

/** Asks the provider for the owner of an account. Validates the query first, so that a typing mistake costs no call. */
export async function resolveName(
  ctx: Context,
  owner: Owner,
  question: AccountQuestion,
  withinMs = askMs,
): Promise<AccountName> {
  const currency = currencyOf(question.currency)
  const { query, routeQuery } =
    question.method === 'momo' ? momoQuery(ctx, question, currency) : bankQuery(ctx, question, currency)
  const { merchant_id, env } = owner
  const { id, names } = ctx.routing.providersOf(env, routeQuery)[0] ?? {}
  if (!names) throw new AppError('PROVIDER_NOT_FOUND', { message: 'No configured provider can look up this account.' })
  const outcome = await limited(`${merchant_id} ${env}`, () =>
    ctx.limiter.outside(env, merchant_id, names.resolve(query, AbortSignal.timeout(withinMs))),
  )
  if (outcome.found === 'yes') return { accountId: outcome.accountId, accountName: outcome.accountName }
  if (outcome.found === 'no') throw new AppError('ACCOUNT_UNKNOWN')
  ctx.log.warn({ provider: id, detail: outcome.detail }, 'name lookup failed')
  throw new AppError('PROVIDER_UNAVAILABLE')
}

function momoQuery(
  { reference }: Context,
  { accountNumber, momoOperator, momoOperatorId }: AccountQuestion,
  currency: Currency,
): { query: NameQuery; routeQuery: RouteQuery } {
  if (momoOperator !== undefined && momoOperatorId !== undefined && momoOperator !== momoOperatorId)
    throw invalid([{ field: 'momoOperatorId', message: 'momoOperatorId and momoOperator name different operators' }])
  const input = { currency, phone: accountNumber, operator: momoOperator ?? momoOperatorId ?? '' }
  const fields = { phone: 'accountNumber', operator: 'momoOperator', required: 'MOMO_OPERATOR_ID_REQUIRED' } as const
  const { phone, operator } = momoAccount(reference, input, fields)
  return {
    query: { kind: 'momo', operator: operator.id, phone: phone.e164, currency },
    routeQuery: { operation: 'resolve.momo', country: phone.country, currency, target: operator.id },
  }
}

function bankQuery(
  { reference }: Context,
  { accountNumber, bankCode, branchCode = '' }: AccountQuestion,
  currency: Currency,
): { query: NameQuery; routeQuery: RouteQuery } {
  if (bankCode === undefined) throw invalid([{ field: 'bankCode', message: 'bankCode is required for method bank' }])
  const own = currencies[currency]
  const country = 'country' in own ? own.country : ''
  const fields = { code: 'bankCode', accountNumber: 'accountNumber' }
  const bank = bankOf(reference, { country, currency, code: bankCode, accountNumber }, fields)
  return {
    query: { kind: 'bank', bankCode: bank.code, branchCode, accountNumber, currency },
    routeQuery: { operation: 'resolve.bank', country, currency, target: bank.code },
  }
}
