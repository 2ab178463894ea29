import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { styleText } from 'node:util'
import { type Command, InvalidArgumentError } from 'commander'
import type { Desk } from './desk.ts'
import { type Feed, type FeedLine, openFeed } from './feed.ts'
import { whole } from './options.ts'
import type { Surroundings } from './program.ts'

interface ListenOptions {
  readonly forwardTo?: string
  readonly after?: number
  readonly url?: string
}

const everyMs = 500
const forwardMs = 15_000

export function addListenCommand(program: Command, desk: Desk, around: Surroundings): void {
  program
    .command('listen')
    .description("follow a sandbox merchant's events as they happen, and forward them to a program on this machine")
    .option('--forward-to <url>', 'post each event there, signed with a secret made for this session', webAddress)
    .option(
      '--after <number>',
      'begin after this number of the feed; without it, with what happens from now on',
      whole(0, 2 ** 50),
    )
    .option('--url <url>', 'where Malipo listens; MALIPO_URL when left out', webAddress)
    .addHelpText(
      'after',
      `
The key pair comes from MALIPO_PUBLIC_KEY and MALIPO_API_KEY; npm run dev writes both where npm run malipo finds them.

Example:
  malipo listen --forward-to http://localhost:3000/webhooks`,
    )
    .action(async (options: ListenOptions) => {
      const feed = openFeed(around.variables, options.url)
      const { signWebhook } = await desk.server()
      const secret = `whsec_${randomBytes(32).toString('base64')}`
      const after = options.after ?? (await feed.newest())
      around.write(greeting(options.forwardTo, secret))
      await follow(feed, after, around.signal, async (line) => {
        desk.say(line, () => sentence(line))
        if (options.forwardTo === undefined) return
        const { number: _, ...body } = line
        const text = JSON.stringify(body)
        const headers = signWebhook({ id: line.id, at: new Date(), body: text, secrets: [secret] })
        around.write(`  ${await forward(options.forwardTo, text, headers)}\n`)
      })
    })
}

/** Hands over every line after a number, in order, as it comes, until told to stop. */
async function follow(
  feed: Feed,
  after: number,
  signal: AbortSignal | undefined,
  tell: (line: FeedLine) => Promise<void>,
): Promise<void> {
  let last = after
  while (!signal?.aborted) {
    const lines = await feed.after(last)
    for (const line of lines) {
      await tell(line)
      last = line.number
    }
    if (lines.length === 0) await pause(everyMs, undefined, signal && { signal }).catch(() => undefined)
  }
}

function greeting(forwardTo: string | undefined, secret: string): string {
  const bold = (text: string) => styleText('bold', text)
  if (forwardTo === undefined) return `${bold('Listening.')} Ctrl-C ends it.\n`
  return `${bold('Listening')}, and forwarding to ${forwardTo}. Ctrl-C ends it.\nThe signing secret of this session: ${secret}\n`
}

function sentence({ number, event, timestamp, data }: FeedLine): string {
  const { transactionId, externalReference, status, amount, currency } = data
  const time = timestamp.slice(11, 19)
  return `${time}  #${number}  ${event}  ${status}  ${amount} ${currency}  ${externalReference}  ${transactionId}`
}

async function forward(url: string, body: string, signature: Readonly<Record<string, string>>): Promise<string> {
  const headers = { 'content-type': 'application/json', ...signature }
  try {
    const reply = await fetch(url, {
      method: 'POST',
      headers,
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(forwardMs),
    })
    await reply.body?.cancel()
    return reply.ok ? `delivered: ${reply.status}` : `not taken: ${reply.status}; Malipo would try again`
  } catch (error) {
    const { message, cause } = error as Error & { cause?: { code?: string } }
    return `not reached: ${cause?.code ?? message}`
  }
}

function webAddress(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text
  throw new InvalidArgumentError('It must be a URL such as http://localhost:3000/webhooks.')
}
