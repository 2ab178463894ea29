import type { Operator } from '@malipo/server/operate'
import type { Command } from 'commander'
import type { CommandContext } from './command-context.ts'
import { floatTable } from './floats.ts'
import { guide } from './guide.ts'
import { type Environment, environment } from './options.ts'
import type { Formatter } from './table.ts'
import { duration, minute } from './time.ts'

export function addProviderCommands(program: Command, context: CommandContext): void {
  const providers = program.command('providers').description('Show, pause and resume providers.')

  guide(
    providers
      .command('status', { isDefault: true })
      .description('Show the state of every provider and our float there (default command).'),
    {
      note: 'Lists providers that have had payments. A configured provider without payments is not listed.',
      examples: ['malipo providers status', 'malipo providers status --json'],
    },
  ).action(async () => {
    const status = await context.operate((operator) => operator.providers.status())
    context.print(status, (format) => screen(format, status))
  })

  for (const [verb, description, done] of [
    ['pause', 'Stop all calls to a provider: queued payments wait, cards and bank transfers are refused.', 'Paused'],
    ['resume', 'Resume calls to a provider at once.', 'Resumed'],
  ] as const) {
    guide(
      providers
        .command(verb)
        .description(description)
        .argument('<provider>', 'such as pawapay')
        .addOption(environment('the environment').makeOptionMandatory())
        .requiredOption('--reason <text>', 'why; kept in the audit trail'),
      {
        examples: [
          `malipo providers ${verb} pawapay --env live --reason "incident 12"`,
          `malipo providers ${verb} house --env sandbox --reason "a rehearsal"`,
        ],
      },
    ).action(async (provider: string, order: { env: Environment; reason: string }) => {
      const lane = await context.operate((operator) => operator.providers[verb](provider, order))
      const woken = verb === 'resume' ? ` ${waiting(lane.woken)}.` : ''
      context.print(lane, () => `${done} ${provider} in ${order.env}.${woken}`)
    })
  }
}

const waiting = (count: number) => (count === 1 ? '1 waiting payment continues' : `${count} waiting payments continue`)

type Status = Awaited<ReturnType<Operator['providers']['status']>>

function screen(format: Formatter, { providers, floats, isHourCut }: Status): string {
  if (providers.length === 0) return 'No provider has had a payment yet.'
  const status = format.table(providers, {
    PROVIDER: ({ provider }) => provider,
    ENVIRONMENT: ({ env }) => env,
    OPEN: ({ open }) => counts(open),
    OLDEST: ({ oldestOpenSeconds }) => (oldestOpenSeconds === undefined ? '' : duration(oldestOpenSeconds)),
    'IN DOUBT': ({ inDoubt }) => String(inDoubt),
    SUSPENSE: ({ suspenseCases }) => String(suspenseCases),
    'LAST HOUR': ({ lastHour }) => `${lastHour.successful} successful, ${lastHour.failed} failed`,
    STATE: ({ pausedAt, pauseReason, isUnhealthy }) => {
      if (pausedAt !== undefined) return `paused since ${minute(pausedAt)}: ${pauseReason}`
      return isUnhealthy ? 'does not respond' : 'running'
    },
  })
  const cut = isHourCut ? ['The last hour had more than 20,000 payments; the newest of them are counted.'] : []
  return [status, ...cut, ...(floats.length > 0 ? ['', floatTable(format, floats)] : [])].join('\n')
}

const counts = (open: Readonly<Record<string, number>>) =>
  Object.entries(open)
    .map(([state, payments]) => `${payments} ${state}`)
    .join(', ') || 'none'
