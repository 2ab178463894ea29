import type { WebhookEndpoint } from '@malipo/sdk'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { CliError } from './cli-error.ts'
import type { CommandContext } from './command-context.ts'
import { guide } from './guide.ts'
import { webAddress } from './options.ts'
import type { Formatter } from './table.ts'

interface Settings {
  readonly description?: string
  readonly events?: readonly string[]
}

const events = (text: string) => (text === 'all' ? [] : text.split(',').map((name) => name.trim()))

const withSettings = (command: Command) =>
  command
    .option('--description <text>', 'for yourself, at most 200 characters')
    .option('--events <names>', 'only these events, separated by commas; all for every event', events)

/** A merchant's webhook endpoints. */
export function addEndpointCommands(program: Command, context: CommandContext): void {
  const endpoints = program.command('endpoints').description('Add, change and delete webhook endpoints.')
  addReading(endpoints, context)
  addAdding(endpoints, context)
  addSetting(endpoints, context)

  guide(
    endpoints
      .command('delete')
      .description('Remove an endpoint; its webhooks stay readable.')
      .argument('<endpoint>', 'we_…, or default'),
    { examples: ['malipo endpoints delete we_0193…', 'malipo endpoints delete we_0193… --json'] },
  ).action(async (id: string) => {
    const { message } = await context.call((malipo) => malipo.webhookEndpoints.delete(id))
    context.print({ id, message }, () => message)
  })

  guide(
    endpoints
      .command('rotate-secret')
      .description('Create a new signing secret, shown only once; the old one signs too for 24 hours.')
      .argument('<endpoint>', 'we_…, or default'),
    { examples: ['malipo endpoints rotate-secret we_0193…', 'malipo endpoints rotate-secret we_0193… --json'] },
  ).action(async (id: string) => {
    const { secret } = await context.call((malipo) => malipo.webhookEndpoints.rotateSecret(id))
    context.print({ id, secret }, () => secret)
  })
}

function addReading(endpoints: Command, context: CommandContext): void {
  guide(endpoints.command('list', { isDefault: true }).description('List your webhook endpoints (default command).'), {
    examples: ['malipo endpoints', 'malipo endpoints list --json'],
  }).action(async () => {
    const found = await context.call((malipo) => malipo.webhookEndpoints.list())
    const none = 'No webhook endpoints yet. Add one: malipo endpoints add URL'
    context.print(found, (format) => (found.length === 0 ? none : listing(format, found)))
  })

  guide(
    endpoints
      .command('get')
      .description('Show one endpoint and its health.')
      .argument('<endpoint>', 'we_…, or default'),
    { examples: ['malipo endpoints get we_0193…', 'malipo endpoints get we_0193… --json'] },
  ).action(async (id: string) => {
    const found = await context.call((malipo) => malipo.webhookEndpoints.get(id))
    context.print(found, (format) => listing(format, [found]))
  })
}

function addAdding(endpoints: Command, context: CommandContext): void {
  guide(
    withSettings(
      endpoints
        .command('add')
        .description('Add an endpoint and print its signing secret, which is shown only once.')
        .argument('<url>', 'URL of your receiver', webAddress),
    ),
    {
      examples: [
        'malipo endpoints add https://books.example/webhooks --events transaction_updated,adjustment_created',
        'malipo endpoints add https://books.example/webhooks --description books --json',
      ],
    },
  ).action(async (url: string, settings: Settings) => {
    const made = await context.call((malipo) => malipo.webhookEndpoints.create({ url, ...settingsOf(settings) }))
    context.print(made, () => `${made.id}\n${made.secret}`)
  })
}

interface SetOptions extends Settings {
  readonly url?: string
  readonly enabled?: boolean
}

function addSetting(endpoints: Command, context: CommandContext): void {
  guide(
    withSettings(
      endpoints
        .command('set')
        .description('Set the URL, the events or the state of an endpoint.')
        .argument('<endpoint>', 'we_…, or default')
        .option('--url <url>', 'URL of your receiver', webAddress)
        .addOption(new Option('--enabled <yes|no>', 'no: it gets no events').argParser(yesOrNo)),
    ),
    {
      note: 'Enabling an endpoint does not send the events from before: they are in the feed, malipo events.',
      examples: [
        'malipo endpoints set we_0193… --enabled no',
        'malipo endpoints set we_0193… --url https://books.example/hooks --events all --json',
      ],
    },
  ).action(async (id: string, { url, enabled, ...settings }: SetOptions) => {
    const change = {
      ...(url !== undefined && { url }),
      ...(enabled !== undefined && { isEnabled: enabled }),
      ...settingsOf(settings),
    }
    if (Object.keys(change).length === 0) throw new CliError('usage', 'Name what to change: see --help.')
    const changed = await context.call((malipo) => malipo.webhookEndpoints.update(id, change))
    context.print(changed, (format) => listing(format, [changed]))
  })
}

const settingsOf = ({ description, events: names }: Settings) => ({
  ...(description !== undefined && { description }),
  ...(names !== undefined && { events: [...names] }),
})

function yesOrNo(text: string): boolean {
  if (text !== 'yes' && text !== 'no') throw new InvalidArgumentError('It must be yes or no.')
  return text === 'yes'
}

const listing = ({ table }: Formatter, found: readonly WebhookEndpoint[]) =>
  table(found, {
    ENDPOINT: ({ id }) => id,
    URL: ({ url }) => url,
    EVENTS: (each) => each.events.join(', ') || 'all',
    HEALTH: ({ health }) => (health.failures > 0 ? `${health.status}: ${health.failures} failures` : health.status),
    DESCRIPTION: ({ description }) => description,
  })
