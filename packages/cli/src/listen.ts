import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { type FeedEvent, type Malipo, webhooks } from '@malipo/sdk'
import type { Command } from 'commander'
import type { CliEnvironment } from './cli-environment.ts'
import { codeOf } from './cli-error.ts'
import { connectionError } from './client.ts'
import type { CommandContext } from './command-context.ts'
import { feedLine, newestNumber } from './feed.ts'
import { guide } from './guide.ts'
import { webAddress, whole } from './options.ts'
import type { Formatter } from './table.ts'

interface ListenOptions {
  readonly forwardTo?: string
  readonly after?: number
}

const everyMs = 500
const forwardMs = 15_000
const numberMax = 2 ** 50

export function addListenCommand(program: Command, context: CommandContext, cli: CliEnvironment): void {
  guide(
    program
      .command('listen')
      .description('Print your events as they happen and forward them to a local program.')
      .option('--forward-to <url>', 'post each event to this URL, signed with a secret for this session', webAddress)
      .option('--after <number>', 'start after this feed number; default: now', whole(0, numberMax)),
    {
      note: 'Runs until Ctrl-C. With --json each event is one JSON document per line, and everything else goes to standard error.',
      examples: ['malipo listen --forward-to http://localhost:3000/webhooks', 'malipo listen --after 0 --json'],
    },
  ).action(async ({ forwardTo, after }: ListenOptions) => {
    const { malipo, access } = context.enter()
    const secret = `whsec_${randomBytes(32).toString('base64')}`
    try {
      const from = after ?? (await newestNumber(malipo))
      context.printNote((format) => greeting(format, forwardTo, secret))
      await follow(malipo, from, cli.signal, async (line) => {
        context.printItem(line, (format) => feedLine(format, line))
        if (forwardTo === undefined) return
        const result = await forward(forwardTo, line, secret)
        context.printNote(() => `  ${result}`)
      })
    } catch (error) {
      if (!cli.signal?.aborted) throw connectionError(error, access)
    }
  })
}

/** Passes every event after a number to `onEvent`, in order, as it arrives, until the signal aborts. */
async function follow(
  malipo: Malipo,
  after: number,
  signal: AbortSignal | undefined,
  onEvent: (line: FeedEvent) => Promise<void>,
): Promise<void> {
  let last = after
  while (!signal?.aborted) {
    const lines = await malipo.account.events({ after: last }, { signal }).toArray()
    for (const line of lines) {
      await onEvent(line)
      last = line.number
    }
    if (lines.length === 0) await pause(everyMs, undefined, signal && { signal }).catch(() => undefined)
  }
}

function greeting({ paint }: Formatter, forwardTo: string | undefined, secret: string): string {
  if (forwardTo === undefined) return `${paint('bold', 'Listening.')} Stop with Ctrl-C.`
  return `${paint('bold', 'Listening')} and forwarding to ${forwardTo}. Stop with Ctrl-C.\nSigning secret of this session: ${secret}`
}

async function forward(url: string, { number: _, ...event }: FeedEvent, secret: string): Promise<string> {
  const body = JSON.stringify(event)
  const headers = { 'content-type': 'application/json', ...webhooks.testHeaders(body, secret) }
  try {
    const reply = await fetch(url, {
      method: 'POST',
      headers,
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(forwardMs),
    })
    await reply.body?.cancel()
    return reply.ok ? `delivered: ${reply.status}` : `rejected: ${reply.status}; Malipo would retry`
  } catch (error) {
    return `cannot reach the receiver: ${codeOf(error as Error)}`
  }
}
