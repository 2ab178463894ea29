import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { type FeedEvent, type Malipo, webhooks } from '@malipo/sdk'
import type { Command } from 'commander'
import { codeOf } from './cli-error.ts'
import { named } from './client.ts'
import type { CommandContext } from './command-context.ts'
import { feedLine, newestNumber } from './feed.ts'
import { guide } from './guide.ts'
import { webAddress, whole } from './options.ts'
import type { CliEnvironment } from './surroundings.ts'
import type { Paper } from './table.ts'

interface ListenOptions {
  readonly forwardTo?: string
  readonly after?: number
}

const everyMs = 500
const forwardMs = 15_000
const numberMax = 2 ** 50

export function addListenCommand(program: Command, context: CommandContext, around: CliEnvironment): void {
  guide(
    program
      .command('listen')
      .summary('follow your events, and forward them')
      .description('follow your events as they happen, and forward them to a program on this machine')
      .option('--forward-to <url>', 'post each event there, signed with a secret made for this session', webAddress)
      .option(
        '--after <number>',
        'begin after this number of the feed; without it, with what happens from now on',
        whole(0, numberMax),
      ),
    {
      note: 'Goes on until Ctrl-C. With --json each event is a document on a line of its own, and what is said beside it goes to standard error.',
      examples: ['malipo listen --forward-to http://localhost:3000/webhooks', 'malipo listen --after 0 --json'],
    },
  ).action(async ({ forwardTo, after }: ListenOptions) => {
    const { malipo, access } = context.enter()
    const secret = `whsec_${randomBytes(32).toString('base64')}`
    try {
      const from = after ?? (await newestNumber(malipo))
      context.remark((paper) => greeting(paper, forwardTo, secret))
      await follow(malipo, from, around.signal, async (line) => {
        context.tell(line, (paper) => feedLine(paper, line))
        if (forwardTo === undefined) return
        const said = await forward(forwardTo, line, secret)
        context.remark(() => `  ${said}`)
      })
    } catch (error) {
      if (!around.signal?.aborted) throw named(error, access)
    }
  })
}

/** Passes every event after a number to `tell`, in order, as it arrives, until the signal aborts. */
async function follow(
  malipo: Malipo,
  after: number,
  signal: AbortSignal | undefined,
  tell: (line: FeedEvent) => Promise<void>,
): Promise<void> {
  let last = after
  while (!signal?.aborted) {
    const lines = await malipo.account.events({ after: last }, { signal }).toArray()
    for (const line of lines) {
      await tell(line)
      last = line.number
    }
    if (lines.length === 0) await pause(everyMs, undefined, signal && { signal }).catch(() => undefined)
  }
}

function greeting({ paint }: Paper, forwardTo: string | undefined, secret: string): string {
  if (forwardTo === undefined) return `${paint('bold', 'Listening.')} Ctrl-C ends it.`
  return `${paint('bold', 'Listening')}, and forwarding to ${forwardTo}. Ctrl-C ends it.\nThe signing secret of this session: ${secret}`
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
    return reply.ok ? `delivered: ${reply.status}` : `not taken: ${reply.status}; Malipo would try again`
  } catch (error) {
    return `not reached: ${codeOf(error as Error)}`
  }
}
