import { recordAudit, recordPersonalDataRead } from '../audit/record.ts'
import { numberOf, openCounterparty } from '../payments/model/counterparty.ts'
import type { Transaction } from '../payments/model/store.ts'
import { maskNumber, maskNumbers, mayBeNumber, numberDigitsMin } from '../people/personal-data.ts'
import { actorOf, mayOperate, mayOperateOn } from '../people/principal.ts'
import { sql } from '../platform/db.ts'
import { showId } from '../platform/ids.ts'
import { type OperatorContext, OperatorError } from './operator-context.ts'

type Payment = Pick<Transaction, 'id' | 'merchant_id' | 'env' | 'type' | 'counterparty' | 'country' | 'currency'>

/** The number of a payment's other side, as one reader sees it. */
export interface ShownNumber {
  /** Empty for an adjustment, and for a deposit from an unknown account. */
  readonly account: string
  readonly isInFull: boolean
  /** The same text without the number, which providers repeat in their messages; unchanged for readers who see it in full. */
  hide<Value>(value: Value): Value
}

/** Shows the number in full to staff with `personal-data:read` for the payment's country and currency, and masked to all others. */
export function shownNumber({ vault, principal }: OperatorContext, payment: Payment): ShownNumber {
  const number = payment.type === 'adjustment' ? '' : numberOf(openCounterparty(vault, payment))
  if (number === '') return { account: '', isInFull: false, hide: (value) => value }
  if (mayOperateOn(principal, 'personal-data:read', payment))
    return { account: number, isInFull: true, hide: (value) => value }
  return { account: maskNumber(number), isInFull: false, hide: (value) => without(number, value) }
}

function without<Value>(number: string, value: Value): Value {
  const digits = number.replaceAll(/\D/g, '')
  if (digits.length < numberDigitsMin) return value
  const hide = (_: string, inner: unknown) =>
    typeof inner === 'string' ? inner.replaceAll(digits, maskNumber(digits)) : inner
  return JSON.parse(JSON.stringify(value, hide)) as Value
}

/** Fields of any form, such as the detail of an audit entry, as this reader sees them. */
export function shownFields<Fields extends object>({ principal }: OperatorContext, fields: Fields): Fields {
  return mayOperate(principal, 'personal-data:read') ? fields : (maskNumbers(fields) as Fields)
}

/**
 * Records that the reader sees the numbers of these payments in full: one entry for a response. Call it before they are returned:
 * what is not recorded is not shown. Masked numbers are not recorded.
 */
export async function recordNumbersRead(
  { db, cell, principal, origin }: OperatorContext,
  route: string,
  shown: readonly (ShownNumber & { readonly payment: Payment })[],
): Promise<void> {
  const read = shown.filter(({ isInFull }) => isInFull).map(({ payment }) => payment)
  const [first] = read
  if (!first) return
  const ids = read.map(({ id }) => showId('transaction', id))
  const isOfOne = read.every(({ merchant_id, env }) => merchant_id === first.merchant_id && env === first.env)
  const merchants = [...new Set(read.map(({ merchant_id }) => showId('merchant', merchant_id)))]
  await recordPersonalDataRead(db.write, cell, {
    actor: actorOf(principal),
    ...(isOfOne && { merchant_id: first.merchant_id, env: first.env }),
    subject: ids.length === 1 ? (ids[0] ?? '') : `${ids.length} payments`,
    route,
    fields: ['account'],
    payments: ids,
    merchants,
    origin,
  })
}

const searchesMax = 60

/**
 * Staff who see masked numbers find a payment by the number that a caller names. Trying numbers until one is found would reveal the
 * masked digits, so each search is in the audit trail, without its text, and there are few of them in an hour.
 */
export async function recordNumberSearch(context: OperatorContext, query: string): Promise<void> {
  const { db, cell, principal, origin } = context
  if (!mayBeNumber(query) || mayOperate(principal, 'personal-data:read')) return
  await db.write.transaction(async (tx) => {
    const [row] = await tx.query<{ count: bigint }>(sql`
      select count(*)
      from audit_entries
      where actor = ${principal.id}
        and action = 'personal-data.search'
        and id >= id_at(record_time() - interval '1 hour')`)
    if ((row?.count ?? 0n) >= searchesMax)
      throw new OperatorError(
        `you searched for ${searchesMax} numbers in an hour: wait, or find the payment by its reference`,
      )
    await recordAudit(tx, cell, {
      actor: actorOf(principal),
      action: 'personal-data.search',
      subject: 'payments',
      detail: { kind: 'number' },
      origin,
    })
  })
}
