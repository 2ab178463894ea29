import type { Operator } from '@malipo/server/operate'
import type { Command } from 'commander'
import type { CommandContext } from './command-context.ts'
import { guide } from './guide.ts'
import { type Environment, environment } from './options.ts'
import { type Formatter, right } from './table.ts'
import { second } from './time.ts'

export function addRateCommands(program: Command, context: CommandContext): void {
  const rates = program.command('rates').description('List exchange rates; confirm or reject held ones.')

  guide(
    rates
      .command('list', { isDefault: true })
      .description('List the last accepted rate of every pair (default command).')
      .addOption(environment('only rates of this environment'))
      .option('--held', 'only pairs whose newest rate jumped and awaits confirmation'),
    {
      note: `BUY and SELL include our markup. A rate that is too old is not used: payments across currencies are rejected with
FX_RATE_UNAVAILABLE.`,
      examples: ['malipo rates list --held', 'malipo rates list --env live --json'],
    },
  ).action(async ({ env, held }: { env?: Environment; held?: true }) => {
    const order = { ...(env && { env }), isHeldOnly: held === true }
    const found = await context.operate((operator) => operator.rates.list(order))
    context.print(found, (format) => (found.length === 0 ? `No rates${held ? ' held' : ''}.` : listing(format, found)))
  })

  for (const [verb, description, effect] of [
    ['confirm', 'Accept a held rate.', 'Rates near it are used from the next sample on, within a minute.'],
    ['reject', 'Reject a held rate.', 'Rates near it are not used.'],
  ] as const) {
    guide(
      rates
        .command(verb)
        .description(description)
        .argument('<number>', 'number of the held rate, from malipo rates list --held')
        .requiredOption('--reason <text>', 'why; kept in the audit trail'),
      {
        examples: [
          `malipo rates ${verb} 17 --reason "central bank, 2026-11-15"`,
          `malipo rates ${verb} 17 --reason "case 4711" --json`,
        ],
      },
    ).action(async (id: string, { reason }: { reason: string }) => {
      const rate = await context.operate((operator) => operator.rates[verb](id, reason))
      context.print(
        rate,
        () =>
          `${verb === 'confirm' ? 'Confirmed' : 'Rejected'} ${rate.pair} ${rate.buy} / ${rate.sell} in ${rate.env}. ${effect}`,
      )
    })
  }
}

type Rate = Awaited<ReturnType<Operator['rates']['list']>>[number]

const listing = ({ table }: Formatter, rates: readonly Rate[]) =>
  table(rates, {
    PAIR: ({ pair }) => pair,
    ENVIRONMENT: ({ env }) => env,
    BUY: right(({ buy }) => buy ?? ''),
    SELL: right(({ sell }) => sell ?? ''),
    PROVIDER: ({ provider }) => provider ?? '',
    AT: ({ at, isTooOld }) => `${at === undefined ? 'never' : second(at)}${isTooOld ? ', too old' : ''}`,
    HELD: ({ held }) =>
      held
        ? `${held.id}: ${held.buy} / ${held.sell}, ${held.jumpPercent} % away, ${held.provider}, ${second(held.at)}`
        : '',
  })
