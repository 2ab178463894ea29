import type { Command } from 'commander'
import type { CommandContext } from './command-context.ts'
import { guide } from './guide.ts'
import { type Environment, environment } from './options.ts'
import { minute } from './time.ts'

interface CreateOptions {
  readonly env: Environment
  readonly scope?: string[]
  readonly address?: string[]
  readonly reason?: string
}

interface Pair {
  readonly publicKey: string
  readonly apiKey: string
  readonly env: string
}

export function addKeyCommands(program: Command, context: CommandContext): void {
  const keys = program.command('keys').description('Manage the key pairs of merchants.')
  addCreate(keys, context)

  guide(
    keys
      .command('rotate')
      .description('Replace the API key of a pair; the old key and its tokens end within 5 seconds.')
      .argument('<publicKey>', 'pk_…')
      .option('--reason <text>', 'why; kept in the audit trail; required for a live pair'),
    {
      note: `To change keys without downtime, create a second pair, use it, then revoke the first. Another person must approve a new
API key of a live pair; then you get it with malipo proposals collect.`,
      examples: ['malipo keys rotate pk_test_…', 'malipo keys rotate pk_test_… --reason "ticket 4711" --json'],
    },
  ).action(async (publicKey: string, order: { reason?: string }) => {
    const pair = await context.operate((operator) => operator.keys.rotate(publicKey, order))
    context.print(pair, () => shown(pair))
  })

  guide(
    keys
      .command('revoke')
      .description('Revoke a pair and its tokens within 5 seconds.')
      .argument('<publicKey>', 'pk_…')
      .requiredOption('--reason <text>', 'why; kept in the audit trail'),
    {
      examples: [
        'malipo keys revoke pk_test_… --reason "found in a repository"',
        'malipo keys revoke pk_test_… --reason "ticket 4711" --json',
      ],
    },
  ).action(async (publicKey: string, { reason }: { reason: string }) => {
    await context.operate((operator) => operator.keys.revoke(publicKey, reason))
    context.print(
      { publicKey, state: 'revoked' },
      () => `Revoked ${publicKey}. Every process rejects it within 5 seconds.`,
    )
  })

  addList(keys, context)
}

function addCreate(keys: Command, context: CommandContext): void {
  guide(
    keys
      .command('create')
      .description('Create a key pair; its API key is shown only once.')
      .argument('<merchant>', 'the merchant, mer_…')
      .addOption(environment('the environment of the pair').makeOptionMandatory())
      .option('--scope <scope...>', 'allowed scopes; default: all')
      .option('--address <range...>', 'allowed IP ranges; default: any')
      .option('--reason <text>', 'why; kept in the audit trail; required where another person must approve'),
    {
      note: `Another person must approve a live pair that can move money: with payouts:write, external-accounts:write or all scopes. Then
you get it with malipo proposals collect.`,
      examples: [
        'malipo keys create mer_0193… --env sandbox',
        'malipo keys create mer_0193… --env live --reason "contract 17"',
        'malipo keys create mer_0193… --env live --scope transactions:read --address 203.0.113.0/24 --reason "contract 17"',
      ],
    },
  ).action(async (merchant: string, { scope, address, ...options }: CreateOptions) => {
    const order = { ...options, ...(scope && { scopes: scope }), ...(address && { addresses: address }) }
    const pair = await context.operate((operator) => operator.keys.create(merchant, order))
    context.print(pair, () => shown(pair))
  })
}

function addList(keys: Command, context: CommandContext): void {
  guide(
    keys
      .command('list')
      .description('List the key pairs of a merchant, including revoked ones.')
      .argument('<merchant>', 'the merchant, mer_…'),
    { examples: ['malipo keys list mer_0193…', 'malipo keys list mer_0193… --json'] },
  ).action(async (merchant: string) => {
    const found = await context.operate((operator) => operator.keys.list(merchant))
    context.print(found, ({ table }) =>
      found.length === 0
        ? `No key pairs. Create one: malipo keys create ${merchant} --env sandbox`
        : table(found, {
            'PUBLIC KEY': ({ publicKey }) => publicKey,
            ENVIRONMENT: ({ env }) => env,
            STATE: ({ state }) => state,
            'LAST TOKEN': ({ tokenIssuedAt }) => minute(tokenIssuedAt),
            'FROM ADDRESSES': ({ addresses }) => addresses.join(' ') || 'any',
            SCOPES: ({ scopes }) => scopes.join(' '),
          }),
    )
  })
}

const shown = ({ publicKey, apiKey, env }: Pair) =>
  `Key pair for ${env}. The API key is shown only once: store it with your other secrets.

  public key  ${publicKey}
  API key     ${apiKey}`
