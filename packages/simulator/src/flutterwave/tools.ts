import { createHash } from 'node:crypto'
import type { Core } from '../core.ts'
import type { Call, Reply } from '../dialect.ts'
import { toAmount } from '../money.ts'
import { holderName } from '../names.ts'
import { unknownEnding } from '../outcomes.ts'
import { ratesOf } from '../rates.ts'
import { countryOf, currencies, type Fields, findProblem, resolveForm } from './read.ts'
import { refuse, respond } from './words.ts'

/** The holder of an account at a Nigerian bank. */
export function resolveAccount({ json }: Call): Reply {
  const problem = findProblem(json, resolveForm)
  if (problem !== undefined) return refuse(400, problem)
  const { account_number, account_bank } = json as Fields
  const number = String(account_number)
  if (number.endsWith(unknownEnding))
    return refuse(400, 'Sorry, that account number is invalid, please check and try again')
  const digest = createHash('sha256')
    .update(`${String(account_bank)}/${number}`)
    .digest()
  return respond('Account details fetched', { data: { account_number: number, account_name: holderName(digest) } })
}

/** The price of one unit of the destination currency in the source currency, and of the whole amount. */
export function readRate({ core, query }: Call): Reply {
  const amount = query.get('amount') ?? ''
  const [source, destination] = [query.get('source_currency') ?? '', query.get('destination_currency') ?? '']
  if (!/^\d{1,12}(\.\d{1,4})?$/.test(amount) || !/[1-9]/.test(amount)) return refuse(400, 'amount is invalid')
  const rates = ratesOf(destination, source, core.clock.now())
  if (rates === undefined) return refuse(400, 'Unable to fetch rates at the moment')
  const rate = Number(rates.sell)
  return respond('Transfer amount fetched', {
    data: {
      rate,
      source: { currency: source, amount: Number((rate * Number(amount)).toFixed(4)) },
      destination: { currency: destination, amount: Number(amount) },
    },
  })
}

export function listBalances({ core }: Call): Reply {
  return respond('Wallet balances fetched', { data: currencies.map((currency) => balanceOf(core, currency)) })
}

export function readBalance({ core, parameters }: Call): Reply {
  const currency = parameters['currency'] ?? ''
  return currencies.includes(currency)
    ? respond('Wallet balance fetched', { data: balanceOf(core, currency) })
    : refuse(400, 'currency is invalid')
}

function balanceOf({ books }: Core, currency: string) {
  const units = books.floats.available({ provider: 'flutterwave', country: countryOf(currency), currency })
  const balance = Number(toAmount(units))
  return { currency, available_balance: balance, ledger_balance: balance }
}
