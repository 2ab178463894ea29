import type { Call, Reply } from '../dialect.ts'
import { type Account, isEnd, type Payment } from '../entries.ts'
import { findFault, type Subject } from '../faults.ts'
import { accept, type Draft } from '../life.ts'
import { toFixed, toUnits } from '../money.ts'
import { accountNumberOf } from '../numbers.ts'
import { pick } from './charges.ts'
import { bankTransferForm, countryOf, type Fields, findAmountProblem, findProblem, isFields } from './read.ts'
import { closed, refuse, repeatedCharge, respond } from './words.ts'

const lifeSecondsUsual = 3600

/** Opens an account for one charge. The provider does not refuse a known reference: it opens another account. */
export async function openAccount(call: Call): Promise<Reply> {
  const { core, json } = call
  const problem = findProblem(json, bankTransferForm) ?? findAmountProblem(json as Fields)
  if (problem !== undefined) return refuse(400, problem)
  const body = json as Fields
  const account = accountFor(call, body)
  const known = core.books.find('flutterwave', 'charge', String(body['tx_ref']).toLowerCase())
  if (known && (known.waitsFor !== 'money' || isEnd(known.state))) return refuse(400, repeatedCharge)
  if (known) {
    core.books.open(known, account)
    return present(known, account)
  }
  const subjects = accountSubjects(call)
  const faults = core.faults.draw('payment', { provider: 'flutterwave', operation: 'charge', subjects })
  if (findFault(faults, 'operator_closed') || findFault(faults, 'operator_delayed')) return refuse(400, closed)
  return present(await accept(core, { ...draftOf(call, body, account), faults }), account)
}

export function accountSubjects({ json }: Call): Subject[] {
  if (!isFields(json)) return []
  const key = String(json['tx_ref']).toLowerCase()
  return [{ key, amount: String(json['amount']), operator: 'bank_transfer' }]
}

function accountFor({ core }: Call, body: Fields): Account {
  const expiresAt = core.clock.now() + Number(body['expires'] ?? lifeSecondsUsual) * 1000
  return { number: accountNumberOf(core.numbers.next()), bankName: 'Mock Bank', expiresAt }
}

function draftOf({ core }: Call, body: Fields, account: Account): Omit<Draft, 'faults'> {
  const id = core.numbers.next()
  return {
    provider: 'flutterwave',
    operation: 'charge',
    key: String(body['tx_ref']).toLowerCase(),
    operator: 'bank_transfer',
    country: countryOf(String(body['currency'])),
    currency: String(body['currency']),
    amount: String(body['amount']),
    account: account.number,
    fingerprint: '',
    details: {
      id,
      kind: 'bank_transfer',
      reference: String(body['tx_ref']),
      email: String(body['email']),
      ...pick(body, { fullname: 'fullname', phone: 'phone_number', ip: 'client_ip' }),
      ...pick(body, { fingerprint: 'device_fingerprint', narration: 'narration' }),
    },
    plannedOutcome: { kind: 'completes' },
    waitsFor: 'money',
    names: [String(id)],
    accounts: [account],
  }
}

function present({ amount }: Payment, { number, bankName, expiresAt }: Account): Reply {
  const authorization = {
    transfer_reference: `MockFLWRef-${number}`,
    transfer_account: number,
    transfer_bank: bankName,
    account_expiration: expiresAt,
    transfer_note: 'Mock note',
    transfer_amount: toFixed(toUnits(amount), 2),
    mode: 'banktransfer',
  }
  return respond('Charge initiated', { meta: { authorization } })
}
