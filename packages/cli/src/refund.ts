import { type Command, Option } from 'commander'
import type { CliEnvironment } from './cli-environment.ts'
import type { CommandContext } from './command-context.ts'
import { guide } from './guide.ts'
import { amount, span } from './options.ts'
import { followUp, newReference, type PaymentOptions, requireLiveFlag } from './payment-options.ts'

interface RefundOptions extends Pick<PaymentOptions, 'reference' | 'scenario' | 'wait' | 'timeout' | 'live'> {
  readonly amount?: string
  readonly reason?: string
}

export function addRefundCommand(program: Command, context: CommandContext, cli: CliEnvironment): void {
  guide(
    program
      .command('refund')
      .description('Send back all or a part of a charge.')
      .argument('<charge>', 'txn_…, or your reference of the charge')
      .option('--amount <decimal>', "in the charge's currency; default: all that is left", amount)
      .option('--reason <text>', 'why, in your words')
      .option('--reference <text>', 'your unique reference of the refund; default: generated')
      .option('--scenario <name>', 'sandbox only: a scenario from malipo faults list')
      .option('--wait', 'wait for the final status; exit with 1 if the refund failed')
      .addOption(new Option('--timeout <time>', 'longest time to wait').argParser(span).default(120, '2m'))
      .option('--live', 'confirm that real money moves; required with a live key pair'),
    {
      note: `The wallet that was credited pays. In the sandbox an amount that ends in 89 fails, and one that ends in 29 stays pending.`,
      examples: [
        'malipo refund order-1042 --amount 300 --reason "out of stock" --wait',
        'malipo refund order-1042 --json',
      ],
    },
  ).action(async (charge: string, options: RefundOptions) => {
    const { reference = newReference('refund'), reason, scenario } = options
    const { malipo, accepted } = await context.call(async (malipo, access) => {
      requireLiveFlag(access, options)
      const refund = {
        externalReference: reference,
        ...(options.amount !== undefined && { amount: options.amount }),
        ...(reason !== undefined && { reason }),
      }
      return { malipo, accepted: await malipo.refunds.create(charge, refund, { scenario }) }
    })
    const title = `The refund of ${accepted.amount} ${accepted.currency}`
    await followUp(context, cli, malipo, { ...accepted, title }, options)
  })
}
