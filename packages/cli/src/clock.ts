import type { Command } from 'commander'
import type { CommandContext } from './command-context.ts'
import { guide } from './guide.ts'
import { span } from './options.ts'
import { duration } from './time.ts'

export function addClockCommand(program: Command, context: CommandContext): void {
  guide(
    program
      .command('clock')
      .description('Control time in the sandbox.')
      .command('advance')
      .description('Bring expiries, provider polls and webhook retries forward.')
      .argument('<time>', 'how far, such as 90s, 15m, 3h or 2d', span),
    {
      note: 'Affects only your own sandbox payments. Recorded times do not change.',
      examples: ['malipo clock advance 3h', 'malipo clock advance 15m --json'],
    },
  ).action(async (seconds: number) => {
    const fastForwarded = await context.call((malipo) => malipo.sandbox.clock.advance(seconds))
    const { seconds: _, ...counts } = fastForwarded
    const reported = Object.entries(counts).map(([what, count]) => `${count} ${what}`)
    context.print(fastForwarded, () => `Advanced ${duration(seconds)}: ${reported.join(', ')}.`)
  })
}
