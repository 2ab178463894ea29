import { type Command, Option } from 'commander'
import type { CommandContext } from './command-context.ts'
import { guide } from './guide.ts'
import { webAddress } from './options.ts'

/** The webhook URL and the signing secret. */
export function addWebhookSettings(webhooks: Command, context: CommandContext): void {
  guide(
    webhooks
      .command('url')
      .description('Show or set the webhook URL of your key pair.')
      .argument('[url]', 'URL of your receiver', webAddress)
      .addOption(new Option('--unset', 'send no webhooks; events stay in the feed')),
    { examples: ['malipo webhooks url https://shop.example/webhooks', 'malipo webhooks url --unset'] },
  ).action(async (url: string | undefined, { unset }: { unset?: true }) => {
    const wanted = unset ? '' : url
    const { webhookUrl } = await context.call(({ account }) =>
      wanted === undefined ? account.me() : account.update({ webhookUrl: wanted }),
    )
    context.print({ webhookUrl }, () => webhookUrl || 'Not set. Events are in the feed: malipo events')
  })

  guide(
    webhooks
      .command('rotate-secret')
      .description('Create a new signing secret, shown only once; the old one signs too for 24 hours.'),
    { examples: ['malipo webhooks rotate-secret', 'malipo webhooks rotate-secret --json'] },
  ).action(async () => {
    const { secret } = await context.call(({ account }) => account.rotateWebhookSecret())
    context.print({ secret }, () => secret)
  })
}
