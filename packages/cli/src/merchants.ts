import type { Command } from 'commander'
import { CliError } from './cli-error.ts'
import type { CommandContext } from './command-context.ts'
import { guide } from './guide.ts'
import { addMerchantShow } from './merchant-overview.ts'
import { currency, type Environment, environment, whole } from './options.ts'
import type { Formatter } from './table.ts'
import { minute } from './time.ts'

interface CreateOptions {
  readonly name: string
  readonly email: string
  readonly firstName: string
  readonly lastName: string
  readonly country: string
}

export function addMerchantCommands(program: Command, context: CommandContext): void {
  const merchants = program.command('merchants').description('Manage merchants.')

  guide(
    merchants
      .command('create')
      .description('Create a merchant, without a key pair.')
      .requiredOption('--name <name>', 'name of the business')
      .requiredOption('--email <address>', 'contact email')
      .requiredOption('--first-name <name>', 'first name of the contact')
      .requiredOption('--last-name <name>', 'last name of the contact')
      .requiredOption('--country <code>', 'home country, such as KE'),
    {
      examples: [
        'malipo merchants create --name "Duka Moja" --email amina@example.com --first-name Amina --last-name Otieno --country KE',
        'malipo merchants create --name "Duka Mbili" --email baraka@example.com --first-name Baraka --last-name Mushi --country TZ --json',
      ],
    },
  ).action(async (options: CreateOptions) => {
    const made = await context.operate((operator) => operator.merchants.create(options))
    context.print(made, () => `Created ${made.id}, ${made.name}.\nNext: malipo keys create ${made.id} --env sandbox`)
  })

  guide(
    merchants
      .command('list', { isDefault: true })
      .description('List merchants, oldest first (default command).')
      .option('--limit <count>', 'at most this many', whole(1, 1000), 50)
      .option('--after <merchant>', 'only merchants created after this one, mer_…'),
    { examples: ['malipo merchants list --limit 10', 'malipo merchants list --after mer_0193…'] },
  ).action(async (options: { limit: number; after?: string }) => {
    const found = await context.operate((operator) => operator.merchants.list(options))
    context.print(found, (format) =>
      found.length === 0 ? 'No merchants. Create one: malipo merchants create --help' : listing(format, found),
    )
  })

  addMerchantShow(merchants, context)
  addFreezing(merchants, context)
  addCurrencies(merchants, context)
}

function addFreezing(merchants: Command, context: CommandContext): void {
  for (const [verb, done, description] of [
    ['freeze', 'Froze', 'Stop payouts of a merchant; its requests are still accepted.'],
    ['unfreeze', 'Unfroze', 'Resume payouts of a merchant.'],
  ] as const) {
    guide(
      merchants
        .command(verb)
        .description(description)
        .argument('<merchant>', 'the merchant, mer_…')
        .requiredOption('--reason <text>', 'why; kept in the audit trail'),
      {
        examples: [
          `malipo merchants ${verb} mer_0193… --reason "ticket 4711"`,
          `malipo merchants ${verb} mer_0193… --reason "ticket 4712" --json`,
        ],
      },
    ).action(async (id: string, { reason }: { reason: string }) => {
      const merchant = await context.operate((operator) => operator.merchants[verb](id, reason))
      context.print(merchant, () => `${done} ${merchant.id}, ${merchant.name}.`)
    })
  }
}

interface CurrencyOptions {
  readonly env?: Environment
  readonly enable?: readonly string[]
  readonly disable?: readonly string[]
  readonly only?: readonly string[]
  readonly reason?: string
}

function addCurrencies(merchants: Command, context: CommandContext): void {
  guide(
    merchants
      .command('currencies')
      .description('Show or change the currencies that a merchant may use; default: all.')
      .argument('<merchant>', 'the merchant, mer_…')
      .addOption(environment('the environment to change'))
      .option('--enable <codes>', 'enable these, such as KES,UGX', codes)
      .option('--disable <codes>', 'disable these', codes)
      .option('--only <codes>', 'disable all others', codes)
      .option('--reason <text>', 'why; kept in the audit trail; required for a change'),
    {
      note: 'Payments in a disabled currency are rejected with CURRENCY_NOT_ENABLED within 5 seconds. Accepted payments continue, and balances stay readable.',
      examples: [
        'malipo merchants currencies mer_0193…',
        'malipo merchants currencies mer_0193… --env sandbox --only KES,USD --reason "contract 17"',
        'malipo merchants currencies mer_0193… --env live --disable NGN --reason "licence pending" --json',
      ],
    },
  ).action(async (id: string, { env, reason, ...change }: CurrencyOptions) => {
    if (Object.keys(change).length > 0 && (env === undefined || reason === undefined))
      throw new CliError('usage', 'A change needs --env and --reason.')
    const found =
      env === undefined || reason === undefined
        ? await context.operate((operator) => operator.merchants.currencies(id))
        : [await context.operate((operator) => operator.merchants.setCurrencies(id, { ...change, env, reason }))]
    context.print(found, () => found.map(currencyLine).join('\n'))
  })
}

const codes = (text: string) => text.split(',').map((code) => currency(code.trim()))

const currencyLine = ({ env, enabled, disabled }: Currencies) =>
  disabled.length === 0
    ? `${env}: all currencies`
    : `${env}: ${enabled.join(' ') || 'none'}; disabled: ${disabled.join(' ')}`

type Currencies = { env: string; enabled: readonly string[]; disabled: readonly string[] }

type Listed = { id: string; name: string; country: string; state: string; createdAt: string }

const listing = ({ table }: Formatter, found: readonly Listed[]) =>
  table(found, {
    MERCHANT: ({ id }) => id,
    NAME: ({ name }) => name,
    COUNTRY: ({ country }) => country,
    STATE: ({ state }) => state,
    CREATED: ({ createdAt }) => minute(createdAt),
  })
