import type { Operator } from '@malipo/server/operate'
import { type Command, Option } from 'commander'
import type { CommandContext } from './command-context.ts'
import { guide } from './guide.ts'
import { type Environment, environment, span, whole } from './options.ts'
import { type Formatter, right } from './table.ts'
import { second } from './time.ts'

export function addCallbackCommands(program: Command, context: CommandContext): void {
  const callbacks = program.command('callbacks').description('List and show what providers sent in the last 90 days.')
  addList(callbacks, context)

  guide(
    callbacks
      .command('show')
      .description('Show one callback as received; the access is written to the audit trail.')
      .argument('<callback>', 'cb_…'),
    {
      note: 'Secrets and card numbers are hidden.',
      examples: ['malipo callbacks show cb_0193…', 'malipo callbacks show cb_0193… --json'],
    },
  ).action(async (id: string) => {
    const found = await context.operate((operator) => operator.callbacks.show(id))
    context.print(found, () => screen(found))
  })
}

type Listed = Awaited<ReturnType<Operator['callbacks']['list']>>[number]

const outcomes = [
  'applied',
  'hint',
  'unknown_payment',
  'ignored',
  'failed',
  'refused',
] as const satisfies readonly Listed['outcome'][]

interface ListOptions {
  readonly payment?: string
  readonly provider?: string
  readonly env?: Environment
  readonly outcome?: (typeof outcomes)[number]
  readonly since?: number
  readonly limit: number
}

function addList(callbacks: Command, context: CommandContext): void {
  guide(
    callbacks
      .command('list', { isDefault: true })
      .description('List callbacks, newest first (default command).')
      .option('--payment <payment>', 'only callbacks of this payment: txn_…, or its key at the provider')
      .option('--provider <name>', 'only callbacks of this provider')
      .addOption(environment('only callbacks of this environment'))
      .addOption(new Option('--outcome <outcome>', 'only callbacks with this outcome').choices(outcomes))
      .option('--since <time>', 'only callbacks received in this time, such as 90s, 15m, 3h or 2d', span)
      .option('--limit <count>', 'at most this many', whole(1, 1000), 50),
    {
      examples: [
        'malipo callbacks list --payment txn_0193…',
        'malipo callbacks list --provider flutterwave --env live --outcome unknown_payment --since 2d',
      ],
    },
  ).action(async ({ since, ...options }: ListOptions) => {
    const order = { ...options, ...(since !== undefined && { withinSeconds: since }) }
    const found = await context.operate((operator) => operator.callbacks.list(order))
    context.print(found, (format) => (found.length === 0 ? 'No callbacks.' : listing(format, found)))
  })
}

const listing = ({ table }: Formatter, found: readonly Listed[]) =>
  table(found, {
    CALLBACK: ({ id }) => id,
    RECEIVED: ({ receivedAt }) => second(receivedAt),
    PROVIDER: ({ provider, env }) => `${provider} ${env}`,
    OUTCOME: ({ outcome, reason }) => (reason === undefined ? outcome : `${outcome}: ${reason}`),
    BYTES: right(({ bodyBytes }) => String(bodyBytes)),
    PAYMENT: paymentOf,
  })

/** For an unknown payment, the provider's keys are more useful than the missing transaction id. */
function paymentOf({ keys, transactionId, outcome }: Listed): string {
  return (outcome === 'unknown_payment' ? keys.join(', ') : transactionId) ?? 'none'
}

type Shown = Awaited<ReturnType<Operator['callbacks']['show']>>

function screen(found: Shown): string {
  const { id, provider, env, meaning, reason, receivedAt, address, body, encoding, isCut, bodyBytes } = found
  const cut = isCut ? `\n(the first of ${bodyBytes} bytes)` : ''
  return [
    `${id}: ${provider} ${env}, received ${second(receivedAt)} from ${address}`,
    `outcome: ${meaning}${reason === undefined ? '' : ` (${reason})`}`,
    `payment: ${paymentOf(found)}`,
    '',
    `${found.method} ${found.path}`,
    `host: ${found.host}`,
    ...Object.entries(found.headers).map(([name, value]) => `${name}: ${value}`),
    '',
    `${encoding === 'base64' ? 'base64: ' : ''}${body}${cut}`,
  ].join('\n')
}
