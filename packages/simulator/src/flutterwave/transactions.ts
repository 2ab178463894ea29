import type { Core } from '../core.ts'
import type { Call, Reply } from '../dialect.ts'
import { isEnd, type Payment } from '../entries.ts'
import { isLagging, isUnseen, seenReceipts } from '../views.ts'
import { isAsking } from './charges.ts'
import { presentCharge, presentReceipt, withSettlement } from './present.ts'
import { refuse, respond, unknownTransaction } from './words.ts'

const pageSize = 10
type Data = Record<string, unknown>

/** The newest transaction of a reference. */
export function verifyByReference({ core, query }: Call): Reply {
  const payment = findCharge(core, query.get('tx_ref'))
  return present(payment && transactionsOf(core, payment)[0])
}

export function verifyById({ core, parameters }: Call): Reply {
  const id = parameters['id'] ?? ''
  const payment = core.books.findNamed('flutterwave', id)
  return present(payment && transactionsOf(core, payment).find((data) => String(data['id']) === id))
}

/** Every transaction of a reference, newest first, ten per page. */
export function listTransactions({ core, query }: Call): Reply {
  const page = Number(query.get('page') ?? 1)
  if (query.get('tx_ref') === null) return refuse(400, 'tx_ref is required')
  if (!Number.isInteger(page) || page < 1) return refuse(400, 'page is invalid')
  const payment = findCharge(core, query.get('tx_ref'))
  const all = payment ? transactionsOf(core, payment) : []
  const info = { total: all.length, current_page: page, total_pages: Math.ceil(all.length / pageSize) }
  const data = all.slice((page - 1) * pageSize, page * pageSize)
  return respond('Transactions fetched', { meta: { page_info: info }, data })
}

export const findCharge = (core: Core, reference: string | null): Payment | undefined =>
  core.books.find('flutterwave', 'charge', (reference ?? '').toLowerCase())

const present = (data: Data | undefined) =>
  data ? respond('Transaction fetched successfully', { data }) : refuse(400, unknownTransaction)

/** The visible transactions, newest first. A card that still waits for its PIN has none. */
function transactionsOf(core: Core, payment: Payment): Data[] {
  if (payment.operation !== 'charge' || isUnseen(core, payment) || isAsking(payment)) return []
  const isHidden = payment.waitsFor === 'money' && (!isEnd(payment.state) || isLagging(core, payment))
  const own = isHidden ? [] : [presentCharge(asRead(core, payment))]
  return [...own, ...receiptsOf(core, payment)].map((data) => withSettlement(payment, data))
}

const receiptsOf = (core: Core, payment: Payment): Data[] =>
  seenReceipts(core, payment)
    .map((receipt) => presentReceipt(payment, receipt))
    .reverse()

/** The payment as it was before its end while a fault delays the status. */
function asRead(core: Core, payment: Payment): Payment {
  if (!isLagging(core, payment)) return payment
  const { failure: _failure, ...earlier } = payment
  return { ...earlier, state: 'processing' }
}
