import type { Core } from '../core.ts'
import type { Call, Reply } from '../dialect.ts'
import type { Payment, PlannedOutcome } from '../entries.ts'
import { findFault, type Subject } from '../faults.ts'
import { accept, type Draft } from '../life.ts'
import { toUnits } from '../money.ts'
import { failureOf, plannedOutcomeOf } from '../outcomes.ts'
import { isLagging, isUnseen } from '../views.ts'
import { presentTransfer } from './present.ts'
import { countryOf, type Fields, findAmountProblem, findProblem, isFields, transferForm } from './read.ts'
import { closed, refuse, repeatedTransfer, respond } from './words.ts'

const blacklisted = '0690000036'

export async function createTransfer(call: Call): Promise<Reply> {
  const { core, json } = call
  const problem = findTransferProblem(json)
  if (problem !== undefined) return refuse(400, problem)
  const draft = draftOf(call, json as Fields)
  if (core.books.find('flutterwave', 'payout', draft.key)) return refuse(400, repeatedTransfer)
  if (draft.account === blacklisted) return refuse(400, 'Payout was made to a blacklisted account number')
  const subjects = transferSubjects(call)
  const faults = core.faults.draw('payment', { provider: 'flutterwave', operation: 'payout', subjects })
  if (findFault(faults, 'operator_closed')) return refuse(400, closed)
  // The provider finds an empty wallet only during processing: the transfer is accepted and fails under its reference.
  const isShort = findFault(faults, 'float_empty') || core.books.floats.available(draft) < toUnits(draft.amount)
  const plannedOutcome: PlannedOutcome = isShort
    ? { kind: 'fails', failure: failureOf('FLOAT_EMPTY') }
    : draft.plannedOutcome
  const payment = await accept(core, { ...draft, plannedOutcome, faults })
  const data = presentTransfer({ ...payment, state: 'accepted' }, payment.acceptedAt)
  return respond('Transfer Queued Successfully', { data: { ...data, complete_message: '' } })
}

export function readTransfer({ core, parameters }: Call): Reply {
  const payment = core.books.findNamed('flutterwave', parameters['id'] ?? '')
  if (payment?.operation !== 'payout' || isUnseen(core, payment)) return refuse(404, 'Transfer not found')
  return respond('Transfer fetched', { data: present(core, payment) })
}

/** A list, because the provider has no other query by reference. An unknown reference gives an empty list. */
export function listTransfers({ core, query }: Call): Reply {
  const reference = query.get('reference')
  if (reference === null) return refuse(400, 'reference is required')
  const payment = core.books.find('flutterwave', 'payout', reference.toLowerCase())
  const found = payment && !isUnseen(core, payment) ? [present(core, payment)] : []
  const info = { total: found.length, current_page: 1, total_pages: found.length }
  return respond('Transfers fetched', { meta: { page_info: info }, data: found })
}

export function transferSubjects({ core, json, query, parameters }: Call): Subject[] {
  const named = parameters['id']
  const reference = query.get('reference')?.toLowerCase()
  const payment =
    named === undefined
      ? core.books.find('flutterwave', 'payout', reference ?? '')
      : core.books.findNamed('flutterwave', named)
  if (payment) return [{ key: payment.key, phone: payment.account, amount: payment.amount, operator: payment.operator }]
  if (reference !== undefined) return [{ key: reference }]
  if (!isFields(json)) return []
  const { reference: key, account_number: phone, amount, account_bank: operator } = json
  return [{ key: String(key).toLowerCase(), phone: String(phone), amount: String(amount), operator: String(operator) }]
}

function present(core: Core, payment: Payment): Record<string, unknown> {
  const { failure: _failure, ...earlier } = payment
  const read: Payment = isLagging(core, payment) ? { ...earlier, state: 'processing' } : payment
  return presentTransfer(read, core.clock.now())
}

/** Currencies of the countries where a bank needs a branch code. */
const branchCurrencies = new Set(['GHS', 'UGX', 'TZS', 'RWF', 'MWK', 'SLE', 'CDF', 'XAF', 'XOF'])
const walletCodes =
  /^(MPS|FMM|MTN|AIRTEL|AIRTELTIGO|AIRTELMW|TELECEL|VODAFONE|MOOV|ORANGE|ORANGEMONEY|WAVE|HALOPESA|TIGO|VODACOM|AMOLEMONEY)$/i

function findTransferProblem(json: unknown): string | undefined {
  const problem = findProblem(json, transferForm)
  if (problem !== undefined || !isFields(json)) return problem
  const { account_bank: bank, currency, debit_currency: debited = currency, destination_branch_code: branch } = json
  if (debited !== currency) return 'debit_currency is not enabled for this account'
  const isWallet = walletCodes.test(String(bank))
  if (!isWallet && branchCurrencies.has(String(currency)) && branch === undefined)
    return 'destination_branch_code is required'
  // South African banks are identified by name.
  if (currency === 'ZAR' && !/^[A-Z]+$/.test(String(bank))) return 'account_bank is invalid'
  return findAmountProblem(json) ?? findTooLittle(json) ?? findMetaProblem(json, isWallet)
}

/** The minimum of one transfer, where the provider has one. */
const minimums: Readonly<Record<string, number>> = { NGN: 100, UGX: 500 }

function findTooLittle({ amount, currency }: Fields): string | undefined {
  const minimum = minimums[String(currency)]
  return minimum === undefined || Number(amount) >= minimum
    ? undefined
    : `Amount should be more than ${currency} ${minimum}`
}

const recipientFields = ['first_name', 'last_name', 'email', 'mobile_number', 'recipient_address']

/** M-Pesa in Kenya and banks in Rwanda require the sender, banks in South Africa the recipient. */
function findMetaProblem({ currency, account_bank: bank, meta }: Fields, isWallet: boolean): string | undefined {
  const given: unknown = Array.isArray(meta) ? meta[0] : meta
  const missing = neededMeta(String(currency), String(bank), isWallet).find(
    (name) => !isFields(given) || typeof given[name] !== 'string' || given[name] === '',
  )
  return missing === undefined ? undefined : `meta.${missing} is required`
}

function neededMeta(currency: string, bank: string, isWallet: boolean): readonly string[] {
  if (currency === 'ZAR') return recipientFields
  if (currency === 'KES' && bank === 'MPS') return ['sender', 'sender_country', 'mobile_number']
  return currency === 'RWF' && !isWallet ? ['sender', 'sender_country', 'sender_address'] : []
}

function draftOf({ core }: Call, body: Fields): Omit<Draft, 'faults'> {
  const id = core.numbers.next()
  const reference = String(body['reference'])
  const currency = String(body['currency'])
  const account = String(body['account_number'])
  const mock = mockOf(reference)
  return {
    provider: 'flutterwave',
    operation: 'payout',
    key: reference.toLowerCase(),
    operator: String(body['account_bank']),
    country: countryOf(currency),
    currency,
    amount: String(body['amount']),
    account,
    fingerprint: '',
    details: {
      id,
      reference,
      narration: body['narration'],
      name: body['beneficiary_name'],
      ...(body['meta'] !== undefined && { meta: body['meta'] }),
    },
    plannedOutcome: mock?.plannedOutcome ?? plannedOutcomeOf('payout', account),
    waitsFor: 'time',
    names: [String(id)],
    ...(mock && { settleMs: mock.settleMs }),
  }
}

/** The provider's own test references: `_PMCK` succeeds and `_PMCK_ST_F` fails, after ten minutes or `DU_<minutes>`. */
function mockOf(reference: string): { readonly plannedOutcome: PlannedOutcome; readonly settleMs: number } | undefined {
  const found = /_PMCK(_ST_F)?(?:DU_(\d{1,4}))?$/.exec(reference)
  if (found === null) return undefined
  const [, failing, minutes = '10'] = found
  const plannedOutcome: PlannedOutcome = failing
    ? { kind: 'fails', failure: failureOf('UNSPECIFIED_FAILURE') }
    : { kind: 'completes' }
  return { plannedOutcome, settleMs: Number(minutes) * 60_000 }
}
