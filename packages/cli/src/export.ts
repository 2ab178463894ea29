import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Malipo } from '@malipo/sdk'
import { type Command, Option } from 'commander'
import type { CliEnvironment } from './cli-environment.ts'
import { CliError } from './cli-error.ts'
import type { CommandContext } from './command-context.ts'
import { guide } from './guide.ts'
import { country, currency, day, requireOrder } from './options.ts'
import { type FilterOptions, filterOf, withFilter } from './transaction-filter.ts'

interface OutputOptions {
  readonly format?: 'csv' | 'ndjson'
  readonly bom?: true
  readonly output?: string
}

interface StatementOptions extends OutputOptions {
  readonly currency: string
  readonly country?: string
  readonly from?: string
  readonly to?: string
}

export function addExportCommands(program: Command, context: CommandContext, cli: CliEnvironment): void {
  const exports = program.command('export').description('Export all transactions, or the lines of a wallet.')

  guide(
    withOutput(
      withFilter(
        exports
          .command('transactions')
          .description('Export transactions, newest first.')
          .argument('[text]', 'only those that malipo search finds by this text'),
      ),
    ),
    {
      examples: [
        'malipo export transactions --from 2026-11-01 --output november.csv',
        'malipo export transactions --status successful --format ndjson',
      ],
    },
  ).action(async (text: string | undefined, options: FilterOptions & OutputOptions) => {
    const order = { ...filterOf(options, text), ...formatOf(options) }
    await exported(context, cli, options, (malipo, signal) => malipo.exports.transactions(order, { signal }))
  })

  guide(
    withOutput(
      exports
        .command('statement')
        .description('Export the lines of a wallet, oldest first.')
        .requiredOption('--currency <code>', 'the currency of the wallet', currency)
        .option('--country <code>', 'the country of the wallet, if the currency has several', country)
        .option('--from <day>', 'first day, such as 2026-11-15, in UTC', day)
        .option('--to <day>', 'last day, included', day),
    ),
    {
      examples: [
        'malipo export statement --currency KES --output kes.csv',
        'malipo export statement --currency KES --format ndjson',
      ],
    },
  ).action(async (options: StatementOptions) => {
    const { currency: code, country: where, from, to } = options
    if (from !== undefined) requireOrder(from, to)
    const days = { ...(from && { startDate: from }), ...(to && { endDate: to }) }
    const order = { currency: code, ...(where && { country: where }), ...days, ...formatOf(options) }
    await exported(context, cli, options, (malipo, signal) => malipo.exports.statement(order, { signal }))
  })
}

const withOutput = (command: Command): Command =>
  command
    .addOption(new Option('--format <format>', 'CSV, or one JSON document per line').choices(['csv', 'ndjson']))
    .option('--bom', 'start CSV with a byte order mark, for spreadsheets')
    .option('--output <file>', 'write to this file instead of printing')

const formatOf = ({ format, bom }: OutputOptions) => ({ ...(format && { format }), ...(bom && { isMarked: true }) })

type Bytes = AsyncIterable<Uint8Array>

/** Passes the bytes on as they arrive. Ctrl-C ends the export. */
async function exported(
  context: CommandContext,
  cli: CliEnvironment,
  { output }: OutputOptions,
  open: (malipo: Malipo, signal: AbortSignal | undefined) => Bytes,
): Promise<void> {
  await context.call(async (malipo) => {
    const bytes = open(malipo, cli.signal)
    if (output === undefined) return printBytes(cli, bytes)
    await writeFile(resolve(cli.folder ?? '.', output), bytes)
    context.printNote(() => `Exported to ${output}.`)
  })
}

/**
 * The file gets its name when it is complete: an export that broke off leaves none. It has people's numbers, so only its owner may
 * read it.
 */
async function writeFile(file: string, bytes: Bytes): Promise<void> {
  const part = `${file}.part`
  try {
    await pipeline(bytes, createWriteStream(part, { flags: 'wx', mode: 0o600 }))
    await rename(part, file)
  } catch (error) {
    const { code } = error as { code?: string }
    if (code === 'EEXIST')
      throw new CliError('refused', `Another export writes to ${part}. If none does, delete that file.`)
    await rm(part, { force: true })
    // Errors of the file system have a path; those of the service do not.
    if (code !== undefined && 'path' in (error as object))
      throw new CliError('usage', `${file} cannot be written: ${(error as Error).message}`)
    throw error
  }
}

/** A terminal gets text; a program or file gets the bytes, no faster than it takes them. */
async function printBytes({ terminal, write, writeBytes }: CliEnvironment, bytes: Bytes): Promise<void> {
  const decoder = new TextDecoder()
  for await (const part of bytes)
    if (writeBytes && !terminal) await writeBytes(part)
    else write(decoder.decode(part, { stream: true }).replaceAll('\r\n', '\n'))
}
