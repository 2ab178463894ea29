import { type Command, Option } from 'commander'
import { country, currency } from './options.ts'

export const destinations = ['MoMo', 'Bank Account', 'Paybill', 'Till']

/** Whom a payout pays, and from which wallet. */
export interface PayeeOptions {
  readonly currency?: string
  readonly to?: string
  readonly name?: string
  readonly country?: string
  readonly destination: string
  readonly code?: string
  readonly branch?: string
  readonly businessNumber?: string
  readonly externalAccount?: string
  readonly debitCurrency?: string
  readonly debitCountry?: string
}

export function withPayee(command: Command): Command {
  return command
    .option('--to <number>', 'phone or account number')
    .option('--name <name>', 'name of the account holder')
    .option('--country <code>', 'country of the account, such as KE', country)
    .addOption(new Option('--destination <kind>', 'kind of account').choices(destinations).default('MoMo'))
    .option('--code <code>', 'code of the bank, or of the operator if the number does not identify it')
    .option('--branch <code>', 'code of the bank branch, in countries that need it')
    .option('--business-number <number>', 'business number of a Paybill')
    .addOption(new Option('--external-account <id>', 'ea_…, instead of these options').conflicts(['to', 'name']))
    .option('--debit-currency <code>', 'the wallet that pays, if it has another currency', currency)
    .option('--debit-country <code>', 'country of that wallet', country)
}

export function requirePayee({ externalAccount, to, name, country: where }: PayeeOptions, command: Command): void {
  if (!(externalAccount || (to && name && where)))
    command.error('error: --external-account, or --to, --name and --country are required', { exitCode: 2 })
}

/** The same as the fields of a request. */
export function payeeOf(options: PayeeOptions) {
  const { currency: code, externalAccount, debitCurrency, debitCountry } = options
  const debit = { ...(debitCurrency && { debitCurrency }), ...(debitCountry && { debitCountry }) }
  const common = { ...(code && { currency: code }), ...debit }
  if (externalAccount) return { ...common, externalAccountId: externalAccount }
  const { to = '', name = '', country: where = '', destination, code: bank, branch, businessNumber } = options
  return {
    ...common,
    country: where,
    destination,
    payoutMethod: {
      accountName: name,
      accountNumber: to,
      ...(bank && { code: bank }),
      ...(branch && { branchCode: branch }),
      ...(businessNumber && { businessNumber }),
    },
  }
}
