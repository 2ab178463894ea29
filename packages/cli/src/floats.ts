import type { Operator } from '@malipo/server/operate'
import type { Command } from 'commander'
import type { CommandContext } from './command-context.ts'
import { guide } from './guide.ts'
import { country, currency, type Environment, environment } from './options.ts'
import { type Formatter, right } from './table.ts'

interface MarkOptions {
  readonly provider: string
  readonly env: Environment
  readonly country: string
  readonly currency: string
  readonly amount: string
  readonly reason: string
}

export function addFloatCommands(floats: Command, context: CommandContext): void {
  guide(
    floats
      .command('list', { isDefault: true })
      .description('List our balances at providers and their low-water marks (default command).'),
    { examples: ['malipo floats list', 'malipo floats list --json'] },
  ).action(async () => {
    const found = await context.operate((operator) => operator.floats.list())
    context.print(found, (format) => (found.length === 0 ? 'No floats.' : floatTable(format, found)))
  })

  guide(
    floats
      .command('mark')
      .description('Set the amount below which a float must be topped up.')
      .requiredOption('--provider <name>', 'the provider')
      .addOption(environment('the environment').makeOptionMandatory())
      .requiredOption('--currency <code>', 'currency, such as KES', currency)
      .requiredOption('--country <code>', 'country, such as KE', country)
      .requiredOption('--amount <decimal>', 'the mark in major units, such as 500000.00; 0 removes it')
      .requiredOption('--reason <text>', 'why; kept in the audit trail'),
    {
      note: 'Moves no money. Workers report a float below its mark as the metric malipo_float_below_mark.',
      examples: [
        'malipo floats mark --provider pawapay --env live --currency KES --country KE --amount 500000.00 --reason "two days of payouts"',
        'malipo floats mark --provider pawapay --env live --currency KES --country KE --amount 0 --reason "no longer used"',
      ],
    },
  ).action(async (options: MarkOptions) => {
    const float = await context.operate((operator) => operator.floats.mark(options))
    const { provider, amount, mark, isLow } = float
    const set = mark === undefined ? 'no mark' : `the mark ${mark} ${float.currency}`
    const warning = isLow ? '\nIt is below the mark: top it up at the provider.' : ''
    context.print(float, () => `The float at ${provider} has ${set}; it holds ${amount} ${float.currency}.${warning}`)
  })
}

type Float = Awaited<ReturnType<Operator['floats']['list']>>[number]

export const floatTable = ({ table }: Formatter, floats: readonly Float[]) =>
  table(floats, {
    FLOAT: ({ provider }) => provider,
    ENVIRONMENT: ({ env }) => env,
    COUNTRY: ({ country: place }) => place,
    AMOUNT: right(({ amount, currency: code }) => `${amount} ${code}`),
    MARK: right(({ mark = '' }) => mark),
    WARNING: ({ isLow }) => (isLow ? 'below its mark: top it up' : ''),
  })
