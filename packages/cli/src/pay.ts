import type { Payout } from '@malipo/sdk'
import { type Command, Option } from 'commander'
import type { CliEnvironment } from './cli-environment.ts'
import type { CommandContext } from './command-context.ts'
import { guide } from './guide.ts'
import { country, currency } from './options.ts'
import { followUp, newReference, type PaymentOptions, requireLiveFlag, withPayment } from './payment-options.ts'

interface PayOptions extends PaymentOptions {
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

export const destinations = ['MoMo', 'Bank Account', 'Paybill', 'Till']

export function addPayCommand(program: Command, context: CommandContext, cli: CliEnvironment): void {
  guide(
    withPayout(
      withPayment(program.command('pay')).description('Pay out to a phone, a bank account, a Paybill or a till.'),
    ),
    {
      note: `Give --external-account, or --to, --name and --country. In the sandbox the last three digits of the number choose the
outcome: 089 does not exist, 129 stays pending, most others succeed.`,
      examples: [
        'malipo pay --amount 300 --currency KES --country KE --to +254712345678 --name "Juma Ali" --reference courier-7 --wait',
        'malipo pay --amount 5000 --currency NGN --country NG --destination "Bank Account" --to 0690000031 --name "Ngozi Obi" --code 044',
      ],
    },
  ).action(async (options: PayOptions, command: Command) => {
    const { externalAccount, to, name, country: where } = options
    if (!(externalAccount || (to && name && where)))
      command.error('error: --external-account, or --to, --name and --country are required', { exitCode: 2 })
    const { malipo, accepted } = await context.call(async (malipo, access) => {
      requireLiveFlag(access, options)
      return { malipo, accepted: await malipo.payouts.create(payoutOf(options), { scenario: options.scenario }) }
    })
    const title = `The payout of ${options.amount} ${options.currency}`
    await followUp(context, cli, malipo, { ...accepted, title }, options)
  })
}

function withPayout(command: Command): Command {
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

function payoutOf(options: PayOptions): Payout {
  const {
    amount,
    currency: code,
    reference = newReference('payout'),
    externalAccount,
    debitCurrency,
    debitCountry,
  } = options
  const debit = { ...(debitCurrency && { debitCurrency }), ...(debitCountry && { debitCountry }) }
  const common = { amount, currency: code, externalReference: reference, ...debit }
  if (externalAccount) return { ...common, externalAccountId: externalAccount }
  const { to = '', name = '', country: where = '', destination, code: bank, branch, businessNumber } = options
  // The server reports what the destination lacks.
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
  } as Payout
}
