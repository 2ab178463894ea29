import type { Operator } from '@malipo/server/operate'
import type { Command } from 'commander'
import type { CliEnvironment } from './cli-environment.ts'
import { CliError } from './cli-error.ts'
import type { CommandContext } from './command-context.ts'
import { addFloatCommands } from './floats.ts'
import { guide } from './guide.ts'
import { addWalletShow } from './merchant-overview.ts'
import { type Environment, environment } from './options.ts'
import { createProgressLine } from './progress.ts'
import { duration } from './time.ts'

interface FundOptions {
  readonly env: Environment
  readonly currency: string
  readonly country: string
  readonly amount: string
  readonly evidence: string
  readonly reason: string
}

/** The options of every manual posting: amount, wallet and evidence. */
function withFunding(command: Command): Command {
  return command
    .addOption(environment('the environment').makeOptionMandatory())
    .requiredOption('--currency <code>', 'currency, such as KES')
    .requiredOption('--country <code>', 'country, such as KE')
    .requiredOption('--amount <decimal>', 'amount in major units, such as 1500.00')
    .requiredOption(
      '--evidence <text>',
      'proof of the money, such as a bank statement line; used once, kept in the audit trail',
    )
    .requiredOption('--reason <text>', 'why; kept in the audit trail')
}

export function addLedgerCommands(program: Command, context: CommandContext, cli: CliEnvironment): void {
  const wallets = program.command('wallets').description('Show and fund the wallets of merchants.')
  addWalletShow(wallets, context)
  guide(
    withFunding(wallets.command('fund'))
      .description("Credit a merchant's wallet from treasury.")
      .argument('<merchant>', 'the merchant, mer_…'),
    {
      examples: [
        'malipo wallets fund mer_0193… --env live --currency KES --country KE --amount 250000.00 --evidence "bank line 88-1" --reason "top-up"',
        'malipo wallets fund mer_0193… --env sandbox --currency XOF --country CI --amount 100000 --evidence "demonstration 12" --reason "a demonstration"',
      ],
    },
  ).action(async (merchant: string, options: FundOptions) => {
    const posted = await context.operate((operator) => operator.wallets.fund(merchant, options))
    context.print(posted, () => `Credited ${posted.amount} ${posted.currency} by ${posted.transactionId}.`)
  })

  const floats = program.command('floats').description('Show, mark and adjust our balances at providers.')
  addFloatCommands(floats, context)
  guide(
    withFunding(floats.command('adjust'))
      .description('Adjust a float to the balance that the provider reports; a negative amount lowers it.')
      .requiredOption('--provider <name>', 'the provider'),
    {
      examples: [
        'malipo floats adjust --provider pawapay --env live --currency KES --country KE --amount 900000.00 --evidence "statement 2026-11-15, line 3" --reason "top-up"',
        'malipo floats adjust --provider pawapay --env live --currency UGX --country UG --amount=-1200 --evidence "statement 2026-11-15, line 4" --reason "fee not reported"',
      ],
    },
  ).action(async (options: FundOptions & { provider: string }) => {
    const posted = await context.operate((operator) => operator.floats.adjust(options))
    context.print(posted, () => `Adjusted the float by ${options.amount} ${posted.currency}, ${posted.transactionId}.`)
  })

  addReading(program.command('ledger').description('Check and show the ledger.'), context, cli)
}

type CheckProgress = Parameters<NonNullable<Parameters<Operator['ledger']['check']>[0]['onPiece']>>[0]

type Case = Awaited<ReturnType<Operator['ledger']['check']>>['cases'][number]

const lineOf = ({ id, env, amount, currency, provider, meaning, ageSeconds }: Case) =>
  `  ${id}, open for ${duration(ageSeconds)}: ${amount} ${currency} at ${provider} in ${env}: ${meaning}`

function progressOf({ transfers, expected, secondsLeft }: CheckProgress): string {
  const percent = Math.floor((transfers / Math.max(expected, 1)) * 100)
  return `${percent} % of ${expected} transfers checked, about ${duration(Math.ceil(secondsLeft))} left`
}

function addReading(ledger: Command, context: CommandContext, cli: CliEnvironment): void {
  guide(
    ledger
      .command('check')
      .description('Check books and audit trail since the last checkpoint; exits with 5 at a difference.')
      .option('--full', 'check from the first entry; on a busy database use a restored backup')
      .option('--resume', 'with --full: continue the full check that was interrupted')
      .option('--archive <folder>', 'also read archived months, from their files in this folder'),
    {
      examples: [
        'malipo ledger check',
        'malipo ledger check --full',
        'malipo ledger check --full --archive /var/backups/malipo-archive',
        'malipo ledger check --full --resume',
      ],
    },
  ).action(async ({ full, resume, archive }: { full?: true; resume?: true; archive?: string }) => {
    if (resume && !full) throw new CliError('usage', '--resume continues a full check: use --full --resume.')
    const progress = createProgressLine(cli)
    const found = await context
      .maintain((installation) =>
        installation.ledger.check({
          ...{ isFull: full === true, isResumed: resume === true },
          ...(archive !== undefined && { archive }),
          onPiece: (done) => progress.say(progressOf(done)),
        }),
      )
      .finally(progress.end)
    const { batches, transfers, accounts, seals, auditEntries, suspense, cases } = found
    const agreement = `The books agree: ${transfers} transfers in ${batches} batches, ${accounts} accounts, ${auditEntries} audit entries, ${seals} seals checked.`
    const sums = suspense.map((sum) => `In suspense: ${sum}.`)
    context.print(found, () => [agreement, ...sums, ...cases.map(lineOf)].join('\n'))
  })

  guide(
    ledger
      .command('show')
      .description('Show the ledger entries of one transaction.')
      .argument('<transaction>', 'txn_…'),
    {
      examples: ['malipo ledger show txn_0193…', 'malipo ledger show txn_0193… --json'],
    },
  ).action(async (transaction: string) => {
    const drawing = await context.operate((operator) => operator.ledger.show(transaction))
    context.print({ transaction, drawing }, () => drawing)
  })
}
