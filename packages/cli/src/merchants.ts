import type { Command } from 'commander'
import type { Desk } from './desk.ts'
import { guide } from './guide.ts'
import { whole } from './options.ts'
import type { Paper } from './table.ts'
import { minute } from './time.ts'

interface CreateOptions {
  readonly name: string
  readonly email: string
  readonly firstName: string
  readonly lastName: string
  readonly country: string
}

export function addMerchantCommands(program: Command, desk: Desk): void {
  const merchants = program.command('merchants').description('the businesses that collect and pay out')

  guide(
    merchants
      .command('create')
      .description('create a merchant; it has no key pair yet')
      .requiredOption('--name <name>', 'the business')
      .requiredOption('--email <address>', 'where its people are reached')
      .requiredOption('--first-name <name>', 'of the person responsible')
      .requiredOption('--last-name <name>', 'of the person responsible')
      .requiredOption('--country <code>', 'home country, two letters such as KE'),
    {
      examples: [
        'malipo merchants create --name "Duka Moja" --email amina@example.com --first-name Amina --last-name Otieno --country KE',
        'malipo merchants create --name "Duka Mbili" --email baraka@example.com --first-name Baraka --last-name Mushi --country TZ --json',
      ],
    },
  ).action(async (options: CreateOptions) => {
    const made = await desk.operate((operator) => operator.merchants.create(options))
    desk.say(made, () => `Created ${made.id}, ${made.name}.\nNext: malipo keys create ${made.id} --env sandbox`)
  })

  guide(
    merchants
      .command('list', { isDefault: true })
      .description('list merchants, oldest first; the same as merchants alone')
      .option('--limit <count>', 'at most so many', whole(1, 1000), 50)
      .option('--after <merchant>', 'those created after this one'),
    { examples: ['malipo merchants list --limit 10', 'malipo merchants list --after mer_0193…'] },
  ).action(async (options: { limit: number; after?: string }) => {
    const found = await desk.operate((operator) => operator.merchants.list(options))
    desk.say(found, (paper) =>
      found.length === 0 ? 'No merchants. Create one: malipo merchants create --help' : listing(paper, found),
    )
  })

  addFreezing(merchants, desk)
}

function addFreezing(merchants: Command, desk: Desk): void {
  for (const [verb, said, description] of [
    ['freeze', 'Froze', 'stop sending money out for a merchant; its requests are still accepted'],
    ['unfreeze', 'Unfroze', 'let money go out again'],
  ] as const) {
    guide(
      merchants
        .command(verb)
        .description(description)
        .argument('<merchant>', 'its id, mer_…')
        .requiredOption('--reason <text>', 'why; kept in the audit trail'),
      {
        examples: [
          `malipo merchants ${verb} mer_0193… --reason "ticket 4711"`,
          `malipo --as "night shift" merchants ${verb} mer_0193… --reason "ticket 4712"`,
        ],
      },
    ).action(async (id: string, { reason }: { reason: string }) => {
      const merchant = await desk.operate((operator) => operator.merchants[verb](id, reason))
      desk.say(merchant, () => `${said} ${merchant.id}, ${merchant.name}.`)
    })
  }
}

type Listed = { id: string; name: string; country: string; state: string; createdAt: string }

const listing = ({ table }: Paper, found: readonly Listed[]) =>
  table(found, {
    MERCHANT: ({ id }) => id,
    NAME: ({ name }) => name,
    COUNTRY: ({ country }) => country,
    STATE: ({ state }) => state,
    CREATED: ({ createdAt }) => minute(createdAt),
  })
