import type { Payout, QuotedPayout } from '@malipo/sdk'
import type { Command } from 'commander'
import type { CliEnvironment } from './cli-environment.ts'
import type { CommandContext } from './command-context.ts'
import { guide } from './guide.ts'
import { type PayeeOptions, payeeOf, requirePayee, withPayee } from './payee-options.ts'
import { followUp, newReference, type PaymentOptions, requireLiveFlag, withPayment } from './payment-options.ts'

interface PayOptions extends PaymentOptions, Omit<PayeeOptions, 'currency'> {
  readonly quote?: string
}

export function addPayCommand(program: Command, context: CommandContext, cli: CliEnvironment): void {
  guide(
    withPayee(
      withPayment(program.command('pay')).description('Pay out to a phone, a bank account, a Paybill or a till.'),
    ).option('--quote <id>', 'qt_… of malipo quote, instead of the account: pay at this price'),
    {
      note: `Give --external-account, or --to, --name and --country. In the sandbox the last three digits of the number choose the
outcome: 089 does not exist, 129 stays pending, most others succeed.`,
      examples: [
        'malipo pay --amount 300 --currency KES --country KE --to +254712345678 --name "Juma Ali" --reference courier-7 --wait',
        'malipo pay --amount 5000 --currency NGN --country NG --destination "Bank Account" --to 0690000031 --name "Ngozi Obi" --code 044',
      ],
    },
  ).action(async (options: PayOptions, command: Command) => {
    if (!options.quote) requirePayee(options, command)
    const { malipo, accepted } = await context.call(async (malipo, access) => {
      requireLiveFlag(access, options)
      return { malipo, accepted: await malipo.payouts.create(payoutOf(options), { scenario: options.scenario }) }
    })
    const title = `The payout of ${options.amount} ${options.currency}`
    await followUp(context, cli, malipo, { ...accepted, title }, options)
  })
}

function payoutOf(options: PayOptions): Payout | QuotedPayout {
  const { amount, reference: externalReference = newReference('payout'), quote } = options
  if (quote) return { amount, externalReference, quoteId: quote }
  // The server reports what the destination lacks.
  return { amount, externalReference, ...payeeOf(options) } as Payout
}
