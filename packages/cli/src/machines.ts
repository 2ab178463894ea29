import type { Command } from 'commander'
import type { CommandContext } from './command-context.ts'
import { guide } from './guide.ts'
import { minute } from './time.ts'

interface CreateOptions {
  readonly name: string
  readonly permission: string[]
  readonly address?: string[]
  readonly reason: string
}

export function addMachineCommands(program: Command, context: CommandContext): void {
  const machines = program.command('machines').description("Manage key pairs of the operator's own programs.")
  addCreate(machines, context)
  addList(machines, context)

  guide(
    machines
      .command('revoke')
      .description('Revoke the key pair of a machine and its tokens at once.')
      .argument('<machine>', 'machine_…')
      .requiredOption('--reason <text>', 'why; kept in the audit trail'),
    {
      examples: [
        'malipo machines revoke machine_0193… --reason "found in a repository"',
        'malipo machines revoke machine_0193… --reason "ticket 4711" --json',
      ],
    },
  ).action(async (machine: string, { reason }: { reason: string }) => {
    await context.operate((operator) => operator.machines.revoke(machine, reason))
    context.print({ machine, state: 'revoked' }, () => `Revoked ${machine}.`)
  })
}

function addCreate(machines: Command, context: CommandContext): void {
  guide(
    machines
      .command('create')
      .description('Create a key pair for a program, with permissions that you hold.')
      .requiredOption('--name <name>', 'name of the program in the audit trail')
      .requiredOption('--permission <permission...>', 'what it may do, such as payments:read')
      .option('--address <range...>', 'allowed IP ranges; default: any')
      .requiredOption('--reason <text>', 'why; kept in the audit trail'),
    {
      note: `Another person must approve it; then you collect the API key with malipo proposals collect. The program sets MALIPO_URL,
MALIPO_OPERATOR_PUBLIC_KEY and MALIPO_OPERATOR_API_KEY. A machine proposes what needs two people, and never approves.`,
      examples: [
        'malipo machines create --name "nightly report" --permission payments:read merchants:read --reason "ticket 4711"',
        'malipo machines create --name reconciliation --permission ledger:read --address 203.0.113.0/24 --reason "ticket 4712" --json',
      ],
    },
  ).action(async ({ name, permission: permissions, address, reason }: CreateOptions) => {
    const order = { name, permissions, reason, ...(address && { addresses: address }) }
    const made = await context.operate((operator) => operator.machines.create(order))
    context.print(
      made,
      () => `Created ${made.id}. The API key is shown only once: store it with your other secrets.

  public key  ${made.publicKey}
  API key     ${made.apiKey}`,
    )
  })
}

function addList(machines: Command, context: CommandContext): void {
  guide(
    machines
      .command('list', { isDefault: true })
      .description('List machines, including revoked ones (default command).'),
    { examples: ['malipo machines', 'malipo machines list --json'] },
  ).action(async () => {
    const found = await context.operate((operator) => operator.machines.list())
    context.print(found, ({ table }) =>
      found.length === 0
        ? 'No machines.'
        : table(found, {
            MACHINE: ({ id }) => id,
            NAME: ({ name }) => name,
            'PUBLIC KEY': ({ publicKey }) => publicKey,
            STATE: ({ state }) => state,
            CREATED: ({ createdAt }) => minute(createdAt),
            'FROM ADDRESSES': ({ addresses }) => addresses.join(' ') || 'any',
            PERMISSIONS: ({ permissions }) => permissions.join(' '),
          }),
    )
  })
}
