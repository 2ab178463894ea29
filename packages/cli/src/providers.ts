import type { Operator } from '@malipo/server/operate'
import type { Command } from 'commander'
import type { CommandContext } from './command-context.ts'
import { guide } from './guide.ts'
import { type Environment, environment } from './options.ts'
import type { Paper } from './table.ts'
import { duration, minute } from './time.ts'

export function addProviderCommands(program: Command, context: CommandContext): void {
  const providers = program.command('providers').description('who moves the money for us')

  guide(
    providers
      .command('status', { isDefault: true })
      .description('how every provider is doing, and our money there; the same as providers alone'),
    {
      note: 'Which providers are configured only the processes know; these are the ones with a past.',
      examples: ['malipo providers status', 'malipo providers status --json'],
    },
  ).action(async () => {
    const status = await context.operate((operator) => operator.providers.status())
    context.say(status, (paper) => screen(paper, status))
  })

  for (const [verb, description, said] of [
    ['pause', 'send nothing to a provider and ask nothing of it; payments are still accepted and wait', 'Paused'],
    ['resume', 'let its payments go on, at once', 'Resumed'],
  ] as const) {
    guide(
      providers
        .command(verb)
        .description(description)
        .argument('<provider>', 'such as pawapay')
        .addOption(environment('where').makeOptionMandatory())
        .requiredOption('--reason <text>', 'why; kept in the audit trail'),
      {
        examples: [
          `malipo providers ${verb} pawapay --env live --reason "incident 12"`,
          `malipo providers ${verb} house --env sandbox --reason "a rehearsal"`,
        ],
      },
    ).action(async (provider: string, order: { env: Environment; reason: string }) => {
      const lane = await context.operate((operator) => operator.providers[verb](provider, order))
      const woken = verb === 'resume' ? ` ${lane.woken} waiting payments go on.` : ''
      context.say(lane, () => `${said} ${provider} in ${order.env}.${woken}`)
    })
  }
}

type Status = Awaited<ReturnType<Operator['providers']['status']>>

function screen({ table }: Paper, { providers, floats, isHourCut }: Status): string {
  if (providers.length === 0) return 'No provider has had anything to do yet.'
  const status = table(providers, {
    PROVIDER: ({ provider }) => provider,
    WHERE: ({ env }) => env,
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
  const float = table(floats, {
    FLOAT: ({ provider }) => provider,
    WHERE: ({ env }) => env,
    COUNTRY: ({ country }) => country,
    AMOUNT: ({ amount, currency }) => `${amount} ${currency}`,
  })
  const cut = isHourCut ? ['The last hour had more than 20,000 payments; the newest of them are counted.'] : []
  return [status, ...cut, ...(floats.length > 0 ? ['', float] : [])].join('\n')
}

const counts = (open: Readonly<Record<string, number>>) =>
  Object.entries(open)
    .map(([state, payments]) => `${payments} ${state}`)
    .join(', ') || 'none'
