import type { Command } from 'commander'
import type { CommandContext } from './command-context.ts'
import { guide } from './guide.ts'
import { currency } from './options.ts'
import { right } from './table.ts'

export function addThresholdCommands(program: Command, context: CommandContext): void {
  const thresholds = program.command('thresholds').description('Set and show what one person may move alone.')

  guide(
    thresholds
      .command('list', { isDefault: true })
      .description('List the amounts below which one person may move live money (default command).'),
    {
      note: 'In a currency without a threshold two people move live money, whatever the amount.',
      examples: ['malipo thresholds', 'malipo thresholds list --json'],
    },
  ).action(async () => {
    const found = await context.operate((operator) => operator.thresholds.list())
    context.print(found, ({ table }) =>
      found.length === 0
        ? 'No thresholds: two people move live money, whatever the amount.'
        : table(found, {
            CURRENCY: (row) => row.currency,
            'ONE PERSON BELOW': right(({ amount }) => amount),
          }),
    )
  })

  guide(
    thresholds
      .command('set')
      .description('Set the amount below which one person may move live money.')
      .requiredOption('--currency <code>', 'currency, such as KES', currency)
      .requiredOption('--amount <decimal>', 'in major units, such as 5000; 0: always two people')
      .requiredOption('--reason <text>', 'why; kept in the audit trail'),
    {
      note: 'Another person must approve a new threshold.',
      examples: [
        'malipo thresholds set --currency KES --amount 5000 --reason "decision of the board, 2026-11"',
        'malipo thresholds set --currency UGX --amount 0 --reason "ticket 4711" --json',
      ],
    },
  ).action(async (order: { currency: string; amount: string; reason: string }) => {
    const { currency: code, amount } = await context.operate((operator) => operator.thresholds.set(order))
    context.print({ currency: code, amount }, () => `One person may move less than ${amount} ${code}.`)
  })
}
