import type { Command } from 'commander'
import type { CommandContext } from './command-context.ts'
import { feedLine, newestNumber } from './feed.ts'
import { guide } from './guide.ts'
import { whole } from './options.ts'

const numberMax = 2 ** 50

export function addEventsCommand(program: Command, context: CommandContext): void {
  guide(
    program
      .command('events')
      .description('List your events, oldest first, whether or not a webhook was sent.')
      .option('--after <number>', 'only events after this feed number; default: the newest', whole(0, numberMax))
      .option('--limit <count>', 'at most this many', whole(1, 100_000), 20),
    { examples: ['malipo events', 'malipo events --after 0 --limit 100 --json'] },
  ).action(async ({ after, limit }: { after?: number; limit: number }) => {
    const found = await context.call(async (malipo) => {
      const from = after ?? Math.max(0, (await newestNumber(malipo)) - limit)
      return malipo.account.events({ after: from }).toArray(limit)
    })
    context.print(found, (format) =>
      found.length === 0 ? 'No events.' : found.map((line) => feedLine(format, line)).join('\n'),
    )
  })
}
