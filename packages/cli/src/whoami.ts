import type { Command } from 'commander'
import type { CommandContext } from './command-context.ts'
import { guide } from './guide.ts'

export function addWhoamiCommand(program: Command, context: CommandContext): void {
  guide(program.command('whoami').description('Show the current URL, merchant and key source.'), {
    examples: ['malipo whoami', 'malipo whoami --json'],
  }).action(async () => {
    const facts = await context.call(async (malipo, { url, env, source }) => {
      const { firstName, lastName, email, publicKey, webhookUrl } = await malipo.account.me()
      return { firstName, lastName, email, env, url, publicKey, webhookUrl, source }
    })
    const { firstName, lastName, email, env, url, publicKey, webhookUrl, source } = facts
    const lines = [
      ['at', url],
      ['public key', publicKey],
      ['webhooks', webhookUrl === '' ? 'not set; events are in the feed: malipo events' : `to ${webhookUrl}`],
      ['from', source],
    ]
    context.print(facts, ({ paint }) =>
      [
        `${firstName} ${lastName}, ${email}, in ${paint(env === 'live' ? 'red' : 'green', env)}`,
        ...lines.map(([name = '', value]) => `  ${name.padEnd(11)} ${value}`),
      ].join('\n'),
    )
  })
}
