import { changeCurrencies, disabledCurrencies } from '../merchants/enabled-currencies.ts'
import { type Currency, currencies, isCurrency } from '../money/currencies.ts'
import type { Environment } from '../platform/db.ts'
import { showId } from '../platform/ids.ts'
import { existing, merchantId } from './merchants.ts'
import { audited, type OperatorContext, OperatorError } from './operator-context.ts'

/** A change of a merchant's currencies. `only` disables every other currency. */
export interface CurrencyOrder {
  readonly env: Environment
  readonly enable?: readonly string[]
  readonly disable?: readonly string[]
  readonly only?: readonly string[]
  readonly reason: string
}

export interface MerchantCurrencies {
  readonly merchantId: string
  readonly env: Environment
  readonly enabled: readonly string[]
  readonly disabled: readonly string[]
}

const all = Object.keys(currencies).filter(isCurrency)

/** The currencies of a merchant, in both environments. */
export async function showCurrencies(context: OperatorContext, shownId: string): Promise<MerchantCurrencies[]> {
  const { id } = await existing(context.db.write, merchantId(shownId))
  return Promise.all([view(context, id, 'live'), view(context, id, 'sandbox')])
}

export async function setCurrencies(
  context: OperatorContext,
  shownId: string,
  order: CurrencyOrder,
): Promise<MerchantCurrencies> {
  const id = merchantId(shownId)
  const { env, reason } = order
  const change = changeOf(order)
  await audited(context, async (tx) => {
    await existing(tx, id)
    await changeCurrencies(tx, { merchant_id: id, env }, change)
    const entry = { action: 'merchant.currencies', merchant_id: id, env, subject: showId('merchant', id) }
    return { result: undefined, entry: { ...entry, detail: change, reason } }
  })
  return view(context, id, env)
}

function changeOf({ enable = [], disable = [], only = [] }: CurrencyOrder) {
  const given = [...enable, ...disable, ...only]
  const unknown = given.filter((code) => !isCurrency(code))
  if (unknown.length > 0) throw new OperatorError(`${unknown.join(', ')} is not a currency Malipo knows`)
  if (given.length === 0) throw new OperatorError('name the currencies to enable or to disable')
  if (only.length > 0 && enable.length + disable.length > 0)
    throw new OperatorError('only lists every currency that stays enabled; omit enable and disable')
  const both = enable.filter((code) => disable.includes(code))
  if (both.length > 0) throw new OperatorError(`${both.join(', ')} cannot be enabled and disabled at once`)
  if (only.length > 0) return { enable: only.filter(isCurrency), disable: all.filter((code) => !only.includes(code)) }
  return { enable: enable.filter(isCurrency), disable: disable.filter(isCurrency) }
}

async function view(context: OperatorContext, merchant_id: string, env: Environment): Promise<MerchantCurrencies> {
  const disabled = await disabledCurrencies(context.db.write, { merchant_id, env })
  const isOff = (code: Currency) => disabled.has(code)
  return {
    merchantId: showId('merchant', merchant_id),
    env,
    enabled: all.filter((code) => !isOff(code)),
    disabled: all.filter(isOff),
  }
}
