import type { WebhookRecord } from '@malipo/sdk'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { CliError } from './cli-error.ts'
import type { CommandContext } from './command-context.ts'
import { guide } from './guide.ts'
import { day, whole } from './options.ts'
import { contents, many, type SecretOptions, secretsOf, secretVariable, withSecret } from './secret-option.ts'
import type { CliEnvironment } from './surroundings.ts'
import { type Paper, right } from './table.ts'
import { second } from './time.ts'
import { addWebhookSettings } from './webhook-settings.ts'

export function addWebhookCommands(program: Command, context: CommandContext, around: CliEnvironment): void {
  const webhooks = program.command('webhooks').description('what was sent to your receiver, and what it answered')
  addList(webhooks, context)

  guide(webhooks.command('get').description('one of them, with the last answer').argument('<webhook>', 'wh_…'), {
    examples: ['malipo webhooks get wh_0193…', 'malipo webhooks get wh_0193… --json'],
  }).action(async (id: string) => {
    const found = await context.call((malipo) => malipo.webhooks.get(id))
    context.say(found, (paper) => screen(paper, found))
  })

  guide(
    webhooks
      .command('resend')
      .description('send one again now, with the same id and body')
      .argument('<webhook>', 'wh_…'),
    { examples: ['malipo webhooks resend wh_0193…', 'malipo webhooks resend wh_0193… --json'] },
  ).action(async (id: string) => {
    const { message } = await context.call((malipo) => malipo.webhooks.resend(id))
    context.say({ id, message }, () => message)
  })

  addWebhookSettings(webhooks, context)
  addVerify(webhooks, context, around)
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
      .description('list them, newest first; the same as webhooks alone')
      .addOption(new Option('--status <status>', 'only those').choices(['CREATED', 'FAILED', 'SUCCESS']))
      .option('--reference <id>', 'only those of one transaction: txn_…, or your reference')
      .option('--from <day>', 'from this day on, such as 2026-11-15, in UTC', day)
      .option('--to <day>', 'up to this day, which is included', day)
      .option('--limit <count>', 'at most so many', whole(1, 200), 20),
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
        ? 'None of your webhooks is like that.'
        : 'No webhooks: they are made once malipo webhooks url is set. malipo events shows what would be told.'
    context.say(found, (paper) => (found.length === 0 ? none : listing(paper, found)))
  })
}

const listing = ({ table, status }: Paper, found: readonly WebhookRecord[]) =>
  table(found, {
    CREATED: ({ createdAt }) => second(createdAt),
    WEBHOOK: ({ id }) => id,
    EVENT: ({ event }) => event,
    REFERENCE: ({ data }) => data.externalReference,
    STATUS: (each) => status(each.status),
    ANSWER: ({ response }) => response.status || response.error || '',
    ATTEMPTS: right(({ attempts }) => String(attempts)),
  })

function screen({ status }: Paper, found: WebhookRecord): string {
  const { id, event, data, response, webhookUrl, attempts, createdAt, nextAttemptAt } = found
  const answer =
    response.status === '' ? (response.error ?? 'none yet') : `${response.status} in ${response.durationMs} ms`
  const lines: [string, string | undefined][] = [
    ['event', `${event}, ${data.status}`],
    ['of', `${data.externalReference}, ${data.transactionId}`],
    ['made', second(createdAt)],
    ['sent to', webhookUrl],
    ['attempts', String(attempts)],
    ['answer', answer],
    ['it said', response.body || undefined],
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

function addVerify(webhooks: Command, context: CommandContext, around: CliEnvironment): void {
  guide(
    withSecret(webhooks.command('verify'))
      .description("check a webhook's signature and tell why it fails; exits with 5 when it does")
      .requiredOption(
        '--header <line>',
        "a header as it came, such as 'webhook-id: wh_…'; give all three",
        many(header),
      )
      .requiredOption('--body-file <file>', 'the body, byte for byte as it came; /dev/stdin reads what is piped in')
      .option('--tolerance <seconds>', 'how old it may be', whole(0, 10 ** 9), 300),
    {
      note: `Secrets in an argument stay in the shell's history: better put one in ${secretVariable} or in a file. Nothing is sent anywhere.`,
      examples: [
        "malipo webhooks verify --secret-file secret.txt --body-file body.json --header 'webhook-id: wh_0193…' --header 'webhook-timestamp: 1763210000…' --header 'webhook-signature: v1,K5oZ…'",
        "malipo webhooks verify --body-file body.json --tolerance 86400 --header 'webhook-id: wh_0193…' --header 'webhook-timestamp: 1763210000…' --header 'webhook-signature: v1,K5oZ…'",
      ],
    },
  ).action(async (options: VerifyOptions, command: Command) => {
    const body = await contents(options.bodyFile, command)
    const secrets = await secretsOf(options, around, command)
    const { verifyWebhook } = await context.server()
    const headers = Object.fromEntries(options.header)
    const verdict = verifyWebhook({ headers, body, secrets, now: new Date(), toleranceSeconds: options.tolerance })
    context.say(verdict, () => (verdict.ok ? 'ok: the signature matches.' : `not ok: ${verdict.why}.`))
    if (!verdict.ok) throw new CliError('checkFailed', 'The webhook must not be trusted.')
  })
}

function header(line: string): [string, string] {
  const [, name, value] = /^\s*([^\s:]+)\s*:(.*)$/s.exec(line) ?? []
  if (name === undefined || value === undefined) throw new InvalidArgumentError("It must be 'name: value'.")
  return [name.toLowerCase(), value.trim()]
}
