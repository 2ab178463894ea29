import type { BulkResult, Malipo } from '@malipo/sdk'
import type { Command } from 'commander'
import { checkBulk, checkScreen } from './bulk-check.ts'
import { findEarlier } from './bulk-earlier.ts'
import { type BulkLine, bulkColumns, readBulkFile } from './bulk-file.ts'
import type { CliEnvironment } from './cli-environment.ts'
import { CliError, reportError } from './cli-error.ts'
import { connectionError } from './client.ts'
import type { CommandContext } from './command-context.ts'
import { guide } from './guide.ts'
import { requireLiveFlag } from './payment-options.ts'
import { createProgress } from './progress.ts'
import { type Formatter, right } from './table.ts'

interface Options {
  readonly dryRun?: true
  readonly live?: true
}

interface Outcome {
  readonly line: number
  readonly externalReference: string
  readonly outcome: 'accepted' | 'already accepted' | 'rejected'
  readonly transactionId?: string
  readonly errorCode?: string
  readonly message: string
}

/** Payouts per request: small, so that few payouts are unclear after a failure; counts as one unit of the rate limit. */
const atOnce = 100
const referenceUsed = 'E-API-D.S-28'

export function addBulkCommand(program: Command, context: CommandContext, cli: CliEnvironment): void {
  guide(
    program
      .command('bulk')
      .description('Pay out every line of a CSV file; run it again to continue after an interruption.')
      .argument('<file>', 'CSV file with a line of column names; commas or semicolons')
      .option(
        '--dry-run',
        'check the file against rules, limits, references and wallets, print totals, and send nothing',
      )
      .option('--live', 'confirm that real money moves; required with a live key pair'),
    {
      note: `Columns, in any order:
${Object.entries(bulkColumns)
  .map(([name, about]) => `  ${name.padEnd(18)} ${about}`)
  .join('\n')}
A payout that was accepted before is recognised by its externalReference and not paid again. Exits with 1 if any payout
is rejected, or would be with --dry-run, which needs no --live. A dry run cannot know fees, rates and external accounts.`,
      examples: ['malipo bulk wages.csv --dry-run', 'malipo bulk wages.csv'],
    },
  ).action(async (file: string, options: Options) => {
    const { malipo, access } = context.enter()
    if (options.dryRun) return dryRun(context, file, cli)
    requireLiveFlag(access, options)
    const lines = await readBulkFile(file)
    const { outcomes, error } = await payAll(malipo, lines, cli)
    context.print(summary(file, lines, outcomes), (format) => screen(format, lines, outcomes))
    if (error) throw stopped(connectionError(error, access) as Error)
    const rejected = outcomes.filter(({ outcome }) => outcome === 'rejected').length
    if (rejected > 0) throw new CliError('refused', `${rejected} of ${lines.length} payouts were rejected.`)
  })
}

async function dryRun(context: CommandContext, file: string, { signal }: CliEnvironment): Promise<void> {
  const lines = await readBulkFile(file)
  const check = await context.call((malipo) => checkBulk(malipo, lines, signal))
  context.print({ file, payouts: lines.length, ...check }, (format) => checkScreen(format, file, check))
  const { length } = check.refusals
  if (length > 0) throw new CliError('refused', `${length} of ${lines.length} payouts would be rejected.`)
}

function stopped(error: Error): CliError {
  const { exit, message } = reportError(error, false)
  return new CliError(exit, `Stopped: ${message}\nRun the same command again: accepted payouts are not paid twice.`)
}

/** Pays in requests of a hundred. An error that stops it is returned with the outcomes so far. */
async function payAll(malipo: Malipo, lines: readonly BulkLine[], cli: CliEnvironment) {
  const progress = createProgress(cli, lines.length, 'payouts')
  const outcomes: Outcome[] = []
  try {
    for (let from = 0; from < lines.length; from += atOnce) {
      cli.signal?.throwIfAborted()
      progress.at(from)
      outcomes.push(...(await paySome(malipo, lines.slice(from, from + atOnce), cli.signal)))
    }
    return { outcomes, error: undefined }
  } catch (error) {
    return { outcomes, error: error as Error }
  } finally {
    progress.end()
  }
}

async function paySome(
  malipo: Malipo,
  lines: readonly BulkLine[],
  signal: AbortSignal | undefined,
): Promise<Outcome[]> {
  const results = await malipo.payouts.bulk(
    lines.map(({ payout }) => payout),
    { signal },
  )
  const outcomes: Outcome[] = []
  for (const [index, line] of lines.entries()) {
    const result = results[index]
    if (!result) throw new Error(`Malipo returned no result for line ${line.line}`)
    outcomes.push(await outcomeOf(malipo, line, result, signal))
  }
  return outcomes
}

async function outcomeOf(
  malipo: Malipo,
  bulkLine: BulkLine,
  result: BulkResult,
  signal: AbortSignal | undefined,
): Promise<Outcome> {
  const { line, payout } = bulkLine
  const { externalReference } = payout
  const { message } = result
  if (result.success)
    return { line, externalReference, outcome: 'accepted', transactionId: result.transactionId, message }
  const { errorCode } = result
  const rejected = { line, externalReference, outcome: 'rejected', errorCode, message } as const
  if (errorCode !== referenceUsed) return rejected
  const earlier = await findEarlier(malipo, bulkLine, signal)
  if (!earlier) return rejected
  const { transactionId, status } = earlier.payment
  if (!earlier.isSame) return { ...rejected, message: `${message} It belongs to another payment, ${transactionId}.` }
  const reported = `Accepted before; its status is ${status}.`
  return { line, externalReference, outcome: 'already accepted', transactionId, message: reported }
}

const count = (outcomes: readonly Outcome[], wanted: Outcome['outcome']) =>
  outcomes.filter(({ outcome }) => outcome === wanted).length

const summary = (file: string, lines: readonly BulkLine[], results: readonly Outcome[]) => ({
  file,
  payouts: lines.length,
  accepted: count(results, 'accepted'),
  alreadyAccepted: count(results, 'already accepted'),
  rejected: count(results, 'rejected'),
  notTried: lines.length - results.length,
  results,
})

function screen({ table, paint }: Formatter, lines: readonly BulkLine[], outcomes: readonly Outcome[]): string {
  const rejected = outcomes.filter(({ outcome }) => outcome === 'rejected')
  const left = lines.length - outcomes.length
  const sums = [
    `${count(outcomes, 'accepted')} accepted`,
    `${count(outcomes, 'already accepted')} already accepted`,
    rejected.length === 0 ? '0 rejected' : paint('red', `${rejected.length} rejected`),
    ...(left === 0 ? [] : [paint('yellow', `${left} not tried`)]),
  ].join(', ')
  if (rejected.length === 0) return `${sums}.`
  const listing = table(rejected, {
    LINE: right(({ line }) => String(line)),
    REFERENCE: ({ externalReference }) => externalReference,
    CODE: ({ errorCode = '' }) => errorCode,
    WHY: ({ message }) => message,
  })
  return `${sums}.\n\n${listing}`
}
