import { Argument, type Command } from 'commander'
import type { CliEnvironment } from './cli-environment.ts'
import { CliError, codeOf } from './cli-error.ts'
import type { CommandContext } from './command-context.ts'
import { guide } from './guide.ts'

/** The pages that Malipo serves to people, by argument. */
const pages = {
  docs: { path: '/docs', what: 'the API reference' },
  openapi: { path: '/openapi.json', what: 'the OpenAPI document' },
  health: { path: '/health/ready', what: 'the readiness check' },
} as const

const timeoutMs = 5000

export function addOpenCommand(program: Command, context: CommandContext, cli: CliEnvironment): void {
  guide(
    program
      .command('open')
      .description('Print the URL of a page of Malipo and open it in the browser.')
      .addArgument(
        new Argument('[page]', 'the page').choices(Object.keys(pages)).default('docs', 'docs, the API reference'),
      ),
    { examples: ['malipo open', 'malipo open health'] },
  ).action(async (page: keyof typeof pages) => {
    const address = `${context.url()}${pages[page].path}`
    await checkPage(address, pages[page].what)
    context.print({ page, address }, () => address)
    cli.browse?.(address)
  })
}

/** Reports a missing page here, not in an empty browser. A Malipo that is not ready still serves its pages. */
async function checkPage(address: string, what: string): Promise<void> {
  const { origin } = new URL(address)
  const reply = await fetch(address, { method: 'GET', signal: AbortSignal.timeout(timeoutMs) }).catch(
    (error: Error) => {
      throw new CliError(
        'unreachable',
        `Cannot reach Malipo at ${origin}: ${codeOf(error)}. Check that it is running and that the URL is right.`,
      )
    },
  )
  await reply.body?.cancel()
  if (reply.status === 404)
    throw new CliError('refused', `The Malipo at ${origin} does not serve ${what}. Check its version.`)
}
