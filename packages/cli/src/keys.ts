import { type Command, Option } from 'commander'
import type { Desk } from './desk.ts'
import { minute, table } from './table.ts'

interface CreateOptions {
  readonly env: 'live' | 'sandbox'
  readonly scope?: string[]
  readonly address?: string[]
}

interface Pair {
  readonly publicKey: string
  readonly apiKey: string
  readonly env: string
}

export function addKeyCommands(program: Command, desk: Desk): void {
  const keys = program.command('keys').description('the key pairs merchants call with')

  keys
    .command('create')
    .description('create a key pair; its API key is shown this once')
    .argument('<merchant>', 'whose, mer_…')
    .addOption(new Option('--env <environment>', 'where it works').choices(['sandbox', 'live']).makeOptionMandatory())
    .option('--scope <scope...>', 'what it may do; everything when left out')
    .option('--address <range...>', 'where it may be used from; anywhere when left out')
    .addHelpText(
      'after',
      '\nExamples:\n  malipo keys create mer_0193… --env sandbox\n  malipo keys create mer_0193… --env live --scope transactions:read --address 203.0.113.0/24',
    )
    .action(async (merchant: string, { env, scope, address }: CreateOptions) => {
      const order = { env, ...(scope && { scopes: scope }), ...(address && { addresses: address }) }
      const pair = await desk.operate((operator) => operator.keys.create(merchant, order))
      desk.say(pair, () => shown(pair))
    })

  keys
    .command('rotate')
    .description('give a pair a new API key; the old one and its tokens end within 5 seconds')
    .argument('<publicKey>', 'pk_…')
    .addHelpText('after', '\nTo change keys without a pause, create a second pair, use it, and revoke the first.')
    .action(async (publicKey: string) => {
      const pair = await desk.operate((operator) => operator.keys.rotate(publicKey))
      desk.say(pair, () => shown(pair))
    })

  keys
    .command('revoke')
    .description('end a pair and its tokens within 5 seconds')
    .argument('<publicKey>', 'pk_…')
    .requiredOption('--reason <text>', 'why; kept in the audit trail')
    .action(async (publicKey: string, { reason }: { reason: string }) => {
      await desk.operate((operator) => operator.keys.revoke(publicKey, reason))
      desk.say(
        { publicKey, state: 'revoked' },
        () => `Revoked ${publicKey}. Every process refuses it within 5 seconds.`,
      )
    })

  addList(keys, desk)
}

function addList(keys: Command, desk: Desk): void {
  keys
    .command('list')
    .description('list the pairs of a merchant, revoked ones too')
    .argument('<merchant>', 'whose, mer_…')
    .action(async (merchant: string) => {
      const found = await desk.operate((operator) => operator.keys.list(merchant))
      const listing = () =>
        table(found, {
          'PUBLIC KEY': ({ publicKey }) => publicKey,
          WHERE: ({ env }) => env,
          STATE: ({ state }) => state,
          'LAST TOKEN': ({ tokenIssuedAt }) => minute(tokenIssuedAt),
          'FROM ADDRESSES': ({ addresses }) => addresses.join(' ') || 'any',
          SCOPES: ({ scopes }) => scopes.join(' '),
        })
      desk.say(found, () =>
        found.length === 0 ? `No key pairs. Create one: malipo keys create ${merchant} --env sandbox` : listing(),
      )
    })
}

const shown = ({ publicKey, apiKey, env }: Pair) =>
  `A key pair for ${env}. The API key is shown this once: keep it where your other secrets are.

  public key  ${publicKey}
  API key     ${apiKey}`
