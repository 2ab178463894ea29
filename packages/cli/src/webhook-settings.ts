import { type Command, Option } from 'commander'
import type { CommandContext } from './command-context.ts'
import { guide } from './guide.ts'
import { webAddress } from './options.ts'

/** The webhook URL and the signing secret. */
export function addWebhookSettings(webhooks: Command, context: CommandContext): void {
  guide(
    webhooks
      .command('url')
      .description("tell where your key pair's webhooks go, or set it")
      .argument('[url]', 'where your receiver listens', webAddress)
      .addOption(new Option('--unset', 'send none; events are in the feed all the same')),
    { examples: ['malipo webhooks url https://shop.example/webhooks', 'malipo webhooks url --unset'] },
  ).action(async (url: string | undefined, { unset }: { unset?: true }) => {
    const wanted = unset ? '' : url
    const { webhookUrl } = await context.call(({ account }) =>
      wanted === undefined ? account.me() : account.update({ webhookUrl: wanted }),
    )
    context.say({ webhookUrl }, () => webhookUrl || 'Not set: events are only in the feed, malipo events.')
  })

  guide(
    webhooks
      .command('rotate-secret')
      .description('make a new signing secret and show it this once; for 24 hours the old one signs too'),
    { examples: ['malipo webhooks rotate-secret', 'malipo webhooks rotate-secret --json'] },
  ).action(async () => {
    const { secret } = await context.call(({ account }) => account.rotateWebhookSecret())
    context.say({ secret }, () => secret)
  })
}
