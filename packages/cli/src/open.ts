import { Argument, type Command } from 'commander'
import type { Desk } from './desk.ts'
import { guide } from './guide.ts'
import type { Surroundings } from './surroundings.ts'
import { codeOf, Trouble } from './trouble.ts'

/** What a Malipo serves to people, by the word that opens it. */
const pages = {
  docs: { path: '/docs', what: 'the API reference' },
  openapi: { path: '/openapi.json', what: 'the API for programs' },
  health: { path: '/health/ready', what: 'whether it is ready' },
  dashboard: { path: '/dashboard', what: 'the dashboard' },
} as const

const answerMs = 5000

export function addOpenCommand(program: Command, desk: Desk, around: Surroundings): void {
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
    const address = `${desk.url()}${pages[page].path}`
    await look(address, pages[page].what)
    desk.say({ page, address }, () => address)
    around.browse?.(address)
  })
}

/** A page that is not there is told here, and not by an empty browser. A Malipo that is not ready still has its pages. */
async function look(address: string, what: string): Promise<void> {
  const { origin } = new URL(address)
  const reply = await fetch(address, { method: 'GET', signal: AbortSignal.timeout(answerMs) }).catch((error: Error) => {
    throw new Trouble('unreachable', `Malipo is not reached at ${origin}: ${codeOf(error)}`)
  })
  await reply.body?.cancel()
  if (reply.status === 404) throw new Trouble('refused', `The Malipo at ${origin} does not serve ${what}.`)
}
