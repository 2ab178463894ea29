import { Argument, type Command } from 'commander'
import { CliError, codeOf } from './cli-error.ts'
import type { CommandContext } from './command-context.ts'
import { guide } from './guide.ts'
import type { CliEnvironment } from './surroundings.ts'

/** The pages that Malipo serves to people, by argument. */
const pages = {
  docs: { path: '/docs', what: 'the API reference' },
  openapi: { path: '/openapi.json', what: 'the API for programs' },
  health: { path: '/health/ready', what: 'whether it is ready' },
  dashboard: { path: '/dashboard', what: 'the dashboard' },
} as const

const answerMs = 5000

export function addOpenCommand(program: Command, context: CommandContext, around: CliEnvironment): void {
  guide(
    program
      .command('open')
      .summary('print, and on a desktop open, a page of Malipo')
      .description('print the address of a page that Malipo serves and, on a desktop, open it')
      .addArgument(
        new Argument('[page]', 'which one').choices(Object.keys(pages)).default('docs', 'docs, the API reference'),
      ),
    { examples: ['malipo open', 'malipo open health'] },
  ).action(async (page: keyof typeof pages) => {
    const address = `${context.url()}${pages[page].path}`
    await look(address, pages[page].what)
    context.say({ page, address }, () => address)
    around.browse?.(address)
  })
}

/** Reports a missing page here, not in an empty browser. A Malipo that is not ready still serves its pages. */
async function look(address: string, what: string): Promise<void> {
  const { origin } = new URL(address)
  const reply = await fetch(address, { method: 'GET', signal: AbortSignal.timeout(answerMs) }).catch((error: Error) => {
    throw new CliError('unreachable', `Malipo is not reached at ${origin}: ${codeOf(error)}`)
  })
  await reply.body?.cancel()
  if (reply.status === 404) throw new CliError('refused', `The Malipo at ${origin} does not serve ${what}.`)
}
