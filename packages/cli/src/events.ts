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
      .summary('what you were told, or would have been')
      .description('what you were told, or would have been, oldest first: the feed without a gap')
      .option('--after <number>', 'after this number of the feed; without it, the newest', whole(0, numberMax))
      .option('--limit <count>', 'at most so many', whole(1, 100_000), 20),
    { examples: ['malipo events', 'malipo events --after 0 --limit 100 --json'] },
  ).action(async ({ after, limit }: { after?: number; limit: number }) => {
    const found = await context.call(async (malipo) => {
      const from = after ?? Math.max(0, (await newestNumber(malipo)) - limit)
      return malipo.account.events({ after: from }).toArray(limit)
    })
    context.say(found, (paper) =>
      found.length === 0 ? 'No events.' : found.map((line) => feedLine(paper, line)).join('\n'),
    )
  })
}
