import type { WebhookRecord } from '@malipo/sdk'
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { CliEnvironment } from './cli-environment.ts'
import { CliError } from './cli-error.ts'
import type { CommandContext } from './command-context.ts'
import { guide } from './guide.ts'
import { day, whole } from './options.ts'
import { contents, many, type SecretOptions, secretsOf, secretVariable, withSecret } from './secret-option.ts'
import { type Formatter, right } from './table.ts'
import { second } from './time.ts'
import { diagnose } from './webhook-diagnosis.ts'
import { addWebhookSettings } from './webhook-settings.ts'

export function addWebhookCommands(program: Command, context: CommandContext, cli: CliEnvironment): void {
  const webhooks = program.command('webhooks').description('List, resend and verify webhooks, and set their URL.')
  addList(webhooks, context)

  guide(
    webhooks.command('get').description('Show one webhook and the last response to it.').argument('<webhook>', 'wh_…'),
    {
      examples: ['malipo webhooks get wh_0193…', 'malipo webhooks get wh_0193… --json'],
    },
  ).action(async (id: string) => {
    const found = await context.call((malipo) => malipo.webhooks.get(id))
    context.print(found, (format) => screen(format, found))
  })

  guide(
    webhooks
      .command('resend')
      .description('Send a webhook again now, with the same id and body.')
      .argument('<webhook>', 'wh_…'),
    { examples: ['malipo webhooks resend wh_0193…', 'malipo webhooks resend wh_0193… --json'] },
  ).action(async (id: string) => {
    const { message } = await context.call((malipo) => malipo.webhooks.resend(id))
    context.print({ id, message }, () => message)
  })

  addWebhookSettings(webhooks, context)
  addVerify(webhooks, context, cli)
}

interface ListOptions {
  readonly status?: 'CREATED' | 'FAILED' | 'SUCCESS'
  readonly reference?: string
  readonly from?: string
  readonly to?: string
  readonly limit: number
}

function addList(webhooks: Command, context: CommandContext): void {
  guide(
    webhooks
      .command('list', { isDefault: true })
      .description('List webhooks, newest first (default command).')
      .addOption(
        new Option('--status <status>', 'only webhooks with this status').choices(['CREATED', 'FAILED', 'SUCCESS']),
      )
      .option('--reference <id>', 'only webhooks of this transaction: txn_…, or your reference')
      .option('--from <day>', 'first day, such as 2026-11-15, in UTC', day)
      .option('--to <day>', 'last day, included', day)
      .option('--limit <count>', 'at most this many', whole(1, 200), 20),
    { examples: ['malipo webhooks --status FAILED', 'malipo webhooks list --reference order-1042 --json'] },
  ).action(async ({ status, reference, from, to, limit }: ListOptions) => {
    const filter = {
      ...(status && { status }),
      ...(reference && { reference }),
      ...(from && { startDate: from }),
      ...(to && { endDate: to }),
    }
    const found = await context.call((malipo) => malipo.webhooks.list(filter).toArray(limit))
    const none =
      Object.keys(filter).length > 0
        ? 'No webhooks match.'
        : 'No webhooks yet. Set a URL: malipo webhooks url URL. Events are in the feed: malipo events'
    context.print(found, (format) => (found.length === 0 ? none : listing(format, found)))
  })
}

const listing = ({ table, status }: Formatter, found: readonly WebhookRecord[]) =>
  table(found, {
    CREATED: ({ createdAt }) => second(createdAt),
    WEBHOOK: ({ id }) => id,
    EVENT: ({ event }) => event,
    REFERENCE: ({ data }) => data.externalReference,
    STATUS: (each) => status(each.status),
    RESPONSE: ({ response }) => response.status || response.error || '',
    ATTEMPTS: right(({ attempts }) => String(attempts)),
  })

function screen({ status }: Formatter, found: WebhookRecord): string {
  const { id, event, data, response, webhookUrl, attempts, createdAt, nextAttemptAt } = found
  const reply =
    response.status === '' ? (response.error ?? 'none yet') : `${response.status} in ${response.durationMs} ms`
  const lines: [string, string | undefined][] = [
    ['event', `${event}, ${data.status}`],
    ['of', `${data.externalReference}, ${data.transactionId}`],
    ['created', second(createdAt)],
    ['sent to', webhookUrl],
    ['attempts', String(attempts)],
    ['response', reply],
    ['body', response.body || undefined],
    ['next', nextAttemptAt && second(nextAttemptAt)],
  ]
  const shown = lines.flatMap(([name, value]) => (value === undefined ? [] : [`${name.padEnd(10)} ${value}`]))
  return [`${id}: ${status(found.status)}`, '', ...shown].join('\n')
}

interface VerifyOptions extends SecretOptions {
  readonly header: readonly [name: string, value: string][]
  readonly bodyFile: string
  readonly tolerance: number
}

function addVerify(webhooks: Command, context: CommandContext, cli: CliEnvironment): void {
  guide(
    withSecret(webhooks.command('verify'))
      .description('Verify the signature of a webhook and say why it fails; exits with 5 then.')
      .requiredOption(
        '--header <line>',
        "a header as received, such as 'webhook-id: wh_…'; give all three",
        many(header),
      )
      .requiredOption('--body-file <file>', 'the body, byte for byte as received; /dev/stdin reads standard input')
      .option('--tolerance <seconds>', 'greatest age in seconds', whole(0, 10 ** 9), 300),
    {
      note: `The secret comes from ${secretVariable} or a file, since arguments stay in the shell's history. Nothing is sent anywhere.`,
      examples: [
        "malipo webhooks verify --secret-file secret.txt --body-file body.json --header 'webhook-id: wh_0193…' --header 'webhook-timestamp: 1763210000…' --header 'webhook-signature: v1,K5oZ…'",
        "malipo webhooks verify --body-file body.json --tolerance 86400 --header 'webhook-id: wh_0193…' --header 'webhook-timestamp: 1763210000…' --header 'webhook-signature: v1,K5oZ…'",
      ],
    },
  ).action(async (options: VerifyOptions, command: Command) => {
    const body = await contents(options.bodyFile, command)
    const secrets = await secretsOf(options, cli, command)
    const headers = Object.fromEntries(options.header)
    const result = diagnose({ headers, body, secrets, toleranceSeconds: options.tolerance })
    context.print(result, () => (result.ok ? 'ok: the signature matches.' : `not ok: ${result.why}`))
    if (!result.ok) throw new CliError('checkFailed', 'Verification failed: do not trust this webhook.')
  })
}

function header(line: string): [string, string] {
  const [, name, value] = /^\s*([^\s:]+)\s*:(.*)$/s.exec(line) ?? []
  if (name === undefined || value === undefined) throw new InvalidArgumentError("It must be 'name: value'.")
  return [name.toLowerCase(), value.trim()]
}
