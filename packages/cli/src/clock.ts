import type { Command } from 'commander'
import type { CommandContext } from './command-context.ts'
import { guide } from './guide.ts'
import { span } from './options.ts'
import { duration } from './time.ts'

export function addClockCommand(program: Command, context: CommandContext): void {
  guide(
    program
      .command('clock')
      .description('time, in the sandbox')
      .command('advance')
      .description('pull what is due to you later forward: expiries, looks at providers, webhooks to be tried again')
      .argument('<time>', 'by how much, such as 90s, 15m, 3h or 2d', span),
    {
      note: 'Only your own sandbox work is touched. Times already in the books stay as they are.',
      examples: ['malipo clock advance 3h', 'malipo clock advance 15m --json'],
    },
  ).action(async (seconds: number) => {
    const fastForwarded = await context.call((malipo) => malipo.sandbox.clock.advance(seconds))
    const { seconds: _, ...counts } = fastForwarded
    const reported = Object.entries(counts).map(([what, count]) => `${count} ${what}`)
    context.say(fastForwarded, () => `${duration(seconds)} nearer: ${reported.join(', ')}.`)
  })
}
