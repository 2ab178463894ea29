import type { Operator } from '@malipo/server/operate'
import { type Command, Option } from 'commander'
import type { CommandContext } from './command-context.ts'
import { guide } from './guide.ts'
import { type Environment, environment, whole } from './options.ts'
import { type Formatter, right } from './table.ts'
import { duration, second } from './time.ts'

export function addSuspenseCommands(program: Command, context: CommandContext): void {
  const suspense = program.command('suspense').description('List, show and clear suspense cases.')
  addList(suspense, context)

  guide(suspense.command('show').description('Show one case.').argument('<case>', 'case_…'), {
    examples: ['malipo suspense show case_0193…', 'malipo suspense show case_0193… --json'],
  }).action(async (id: string) => {
    const found = await context.operate((operator) => operator.suspense.show(id))
    context.print(found, () => screen(found))
  })

  addClear(suspense, context)
}

interface ListOptions {
  readonly env?: Environment
  readonly provider?: string
  readonly limit: number
}

function addList(suspense: Command, context: CommandContext): void {
  guide(
    suspense
      .command('list', { isDefault: true })
      .description('List open cases, oldest first (default command).')
      .option('--provider <name>', 'only cases of this provider')
      .addOption(environment('only cases of this environment'))
      .option('--limit <count>', 'at most this many', whole(1, 1000), 50),
    { examples: ['malipo suspense list', 'malipo suspense list --provider pawapay --env live'] },
  ).action(async (options: ListOptions) => {
    const found = await context.operate((operator) => operator.suspense.list(options))
    context.print(found, (format) => (found.length === 0 ? 'No open cases.' : listing(format, found)))
  })
}

type Case = Awaited<ReturnType<Operator['suspense']['show']>>

const listing = ({ table }: Formatter, found: readonly Case[]) =>
  table(found, {
    CASE: ({ id }) => id,
    AMOUNT: right(({ amount, currency }) => `${amount} ${currency}`),
    PROVIDER: ({ provider, env }) => `${provider} ${env}`,
    AGE: ({ ageSeconds }) => duration(ageSeconds),
    PAYMENT: ({ transactionId }) => transactionId ?? 'unknown',
    REASON: ({ meaning }) => meaning,
  })

function screen(found: Case): string {
  const { id, amount, currency, meaning, provider, env, country } = found
  const lines: [string, string | undefined][] = [
    ['at', `${provider} ${country}, ${env}`],
    ['payment', found.transactionId],
    ['merchant', found.merchantId],
    ['key there', found.providerKey],
    ['opened', second(found.openedAt)],
    ['closed', found.closedAt === undefined ? undefined : `${second(found.closedAt)}, ${found.outcome}`],
    ['cleared by', found.clearedBy],
  ]
  return [
    `${id}: ${amount} ${currency}, ${meaning}`,
    '',
    ...lines.flatMap(([name, value]) => (value === undefined ? [] : [`${name.padEnd(10)} ${value}`])),
  ].join('\n')
}

type Clearing = Parameters<Operator['suspense']['clear']>[1]

const clearings = [
  'credit-merchant',
  'debit-merchant',
  'return-to-payer',
  'write-off',
] as const satisfies readonly Clearing['kind'][]

interface ClearOptions {
  readonly kind: (typeof clearings)[number]
  readonly reason: string
  readonly evidence: string
  readonly payment?: string
}

function addClear(suspense: Command, context: CommandContext): void {
  guide(
    suspense
      .command('clear')
      .description('Clear a case: credit or debit the merchant, return the money, or write it off.')
      .argument('<case>', 'case_…')
      .addOption(new Option('--kind <kind>', 'what to do with the money').choices(clearings).makeOptionMandatory())
      .requiredOption('--reason <text>', 'why; kept in the audit trail')
      .requiredOption('--evidence <text>', 'proof, such as a statement line; kept in the audit trail')
      .option('--payment <payment>', 'the payment that the money belongs to, if the case has none'),
    {
      note: `This cannot be undone. credit-merchant and debit-merchant make an adjustment that the merchant is notified of.
return-to-payer records that you returned the money through the provider: do that first.`,
      examples: [
        'malipo suspense clear case_0193… --kind credit-merchant --evidence "statement line 88" --reason "case 4711"',
        'malipo suspense clear case_0193… --kind return-to-payer --evidence "refund RF-12" --reason "case 4712"',
      ],
    },
  ).action(async (id: string, options: ClearOptions) => {
    const cleared = await context.operate((operator) => operator.suspense.clear(id, options))
    const { amount, currency, outcome, transactionId } = cleared
    context.print(cleared, () => `Cleared ${id}: ${amount} ${currency} ${outcome.replace('_', ' ')}, ${transactionId}.`)
  })
}
