import type { LoggedRequest } from '@malipo/sdk'
import type { Command } from 'commander'
import type { CommandContext } from './command-context.ts'
import { guide } from './guide.ts'
import { day, responseStatus, whole } from './options.ts'
import { type Formatter, right } from './table.ts'
import { second } from './time.ts'

interface Options {
  readonly status?: string
  readonly path?: string
  readonly requestId?: string
  readonly from?: string
  readonly to?: string
  readonly limit: number
}

/** The merchant's own requests, as the service logged them. */
export function addRequestLogCommand(logs: Command, context: CommandContext): void {
  guide(
    logs
      .command('requests')
      .description('List your requests of at least the last 7 days and their responses, newest first.')
      .option('--status <status>', 'only responses with this status, such as 422 or 4xx', responseStatus)
      .option('--path <route>', 'only this route, such as /api/b2b/fiat/payout')
      .option('--request-id <id>', 'only the request with this id')
      .option('--from <day>', 'first day, such as 2026-11-15, in UTC', day)
      .option('--to <day>', 'last day, included', day)
      .option('--limit <count>', 'at most this many', whole(1, 10_000), 20),
    {
      note: 'With --json the masked bodies of refused requests and of payments are printed too.',
      examples: ['malipo logs requests --status 4xx', 'malipo logs requests --path /api/b2b/fiat/payout --json'],
    },
  ).action(async (_: Options, command: Command) => {
    // `malipo logs` has options of the same names and takes them, wherever they are.
    const options = command.optsWithGlobals<Options>()
    const found = await context.call((malipo) => malipo.requestLog.list(filterOf(options)).toArray(options.limit))
    context.print(found, (format) => (found.length === 0 ? 'No requests match.' : listing(format, found)))
  })
}

const filterOf = ({ status: wanted, path, requestId, from, to }: Options) => ({
  ...(wanted !== undefined && { status: wanted }),
  ...(path !== undefined && { path }),
  ...(requestId !== undefined && { requestId }),
  ...(from !== undefined && { startDate: from }),
  ...(to !== undefined && { endDate: to }),
})

const listing = ({ table }: Formatter, found: readonly LoggedRequest[]) =>
  table(found, {
    AT: ({ at }) => second(at),
    REQUEST: ({ method, path }) => `${method} ${path}`,
    STATUS: (each) => (each.errorCode === undefined ? String(each.status) : `${each.status} ${each.errorCode}`),
    MS: right(({ durationMs }) => String(durationMs)),
    'REQUEST ID': ({ requestId }) => requestId,
  })
