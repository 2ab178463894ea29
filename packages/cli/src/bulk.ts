import type { BulkResult, Malipo, TransactionDetails } from '@malipo/sdk'
import type { Command } from 'commander'
import { type BulkLine, bulkColumns, readBulkFile } from './bulk-file.ts'
import { CliError, reportError } from './cli-error.ts'
import { named } from './client.ts'
import type { CommandContext } from './command-context.ts'
import { guide } from './guide.ts'
import { refuseUnmeant } from './payment-options.ts'
import { createProgress } from './progress.ts'
import type { CliEnvironment } from './surroundings.ts'
import { type Paper, right } from './table.ts'

interface Options {
  readonly dryRun?: true
  readonly live?: true
}

interface Outcome {
  readonly line: number
  readonly externalReference: string
  readonly outcome: 'accepted' | 'there already' | 'refused'
  readonly transactionId?: string
  readonly errorCode?: string
  readonly message: string
}

/** Payouts per request: small, so that few payouts are unclear after a failure; counts as one unit of the rate limit. */
const atOnce = 100
const referenceUsed = 'E-API-D.S-28'

export function addBulkCommand(program: Command, context: CommandContext, around: CliEnvironment): void {
  guide(
    program
      .command('bulk')
      .summary('pay out to everybody in a CSV file')
      .description('pay out to everybody in a CSV file; run again, it goes on where it stopped')
      .argument('<file>', 'CSV with a line of column names')
      .option('--dry-run', 'only check the file')
      .option('--live', 'say that real money is meant; needed with a live key pair'),
    {
      note: `Columns, in any order:
${Object.entries(bulkColumns)
  .map(([name, about]) => `  ${name.padEnd(18)} ${about}`)
  .join('\n')}
A payout that was accepted before is recognised by its externalReference and not paid again. Exits with 1 if any is refused.`,
      examples: ['malipo bulk wages.csv --dry-run', 'malipo bulk wages.csv'],
    },
  ).action(async (file: string, options: Options) => {
    const { malipo, access } = context.enter()
    refuseUnmeant(access, options)
    const lines = await readBulkFile(file)
    if (options.dryRun)
      return context.say({ file, payouts: lines.length }, () => `${file} is well: ${lines.length} payouts.`)
    const { outcomes, trouble } = await payAll(malipo, lines, around)
    context.say(summary(file, lines, outcomes), (paper) => screen(paper, lines, outcomes))
    if (trouble) throw stopped(named(trouble, access) as Error)
    const refused = outcomes.filter(({ outcome }) => outcome === 'refused').length
    if (refused > 0) throw new CliError('refused', `${refused} of ${lines.length} payouts were refused.`)
  })
}

function stopped(error: Error): CliError {
  const { exit, message } = reportError(error, false)
  return new CliError(exit, `It stopped: ${message}\nRun the same command again: what was accepted is not paid twice.`)
}

/** Pays in requests of a hundred. An error that stops it is returned with the outcomes so far. */
async function payAll(malipo: Malipo, lines: readonly BulkLine[], around: CliEnvironment) {
  const progress = createProgress(around, lines.length, 'payouts')
  const outcomes: Outcome[] = []
  try {
    for (let from = 0; from < lines.length; from += atOnce) {
      around.signal?.throwIfAborted()
      progress.at(from)
      outcomes.push(...(await paySome(malipo, lines.slice(from, from + atOnce), around.signal)))
    }
    return { outcomes, trouble: undefined }
  } catch (error) {
    return { outcomes, trouble: error as Error }
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
    if (!result) throw new Error(`line ${line.line} got no result`)
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
  const refused = { line, externalReference, outcome: 'refused', errorCode, message } as const
  if (errorCode !== referenceUsed) return refused
  const earlier = await malipo.transactions.get(externalReference, { signal })
  if (!isSame(bulkLine, earlier))
    return { ...refused, message: `${message} It belongs to another payment, ${earlier.transactionId}.` }
  const reported = `It was accepted before and is ${earlier.status}.`
  return { line, externalReference, outcome: 'there already', transactionId: earlier.transactionId, message: reported }
}

/** Whether an earlier payment belongs to this line: same amount, and same account if the line names one. */
function isSame({ payout }: BulkLine, { type, amount, currency, beneficiary }: TransactionDetails): boolean {
  const ending = (number: string) => number.replaceAll(/\D/g, '').slice(-8)
  const { payoutMethod } = payout
  return (
    type === 'withdrew' &&
    amount === Number(payout.amount) &&
    (payout.currency ?? currency).toUpperCase() === currency &&
    (payoutMethod === undefined || ending(payoutMethod.accountNumber ?? '') === ending(beneficiary.accountNumber))
  )
}

const count = (outcomes: readonly Outcome[], wanted: Outcome['outcome']) =>
  outcomes.filter(({ outcome }) => outcome === wanted).length

const summary = (file: string, lines: readonly BulkLine[], results: readonly Outcome[]) => ({
  file,
  payouts: lines.length,
  accepted: count(results, 'accepted'),
  thereAlready: count(results, 'there already'),
  refused: count(results, 'refused'),
  notTried: lines.length - results.length,
  results,
})

function screen({ table, paint }: Paper, lines: readonly BulkLine[], outcomes: readonly Outcome[]): string {
  const refused = outcomes.filter(({ outcome }) => outcome === 'refused')
  const left = lines.length - outcomes.length
  const sums = [
    `${count(outcomes, 'accepted')} accepted`,
    `${count(outcomes, 'there already')} were there already`,
    refused.length === 0 ? '0 refused' : paint('red', `${refused.length} refused`),
    ...(left === 0 ? [] : [paint('yellow', `${left} not tried`)]),
  ].join(', ')
  if (refused.length === 0) return `${sums}.`
  const listing = table(refused, {
    LINE: right(({ line }) => String(line)),
    REFERENCE: ({ externalReference }) => externalReference,
    CODE: ({ errorCode = '' }) => errorCode,
    WHY: ({ message }) => message,
  })
  return `${sums}.\n\n${listing}`
}
