import type { Malipo } from '@malipo/sdk'
import type { Operator } from '@malipo/server/operate'
import type { Command } from 'commander'
import type { CliEnvironment } from './cli-environment.ts'
import { CliError } from './cli-error.ts'
import { connectionError, openMalipo } from './client.ts'
import { type Access, findAccess, findUrl } from './profiles.ts'
import { createFormatter, type Formatter } from './table.ts'
import { jsonText } from './terminal-text.ts'

type Server = typeof import('@malipo/server/operate')

interface GlobalOptions {
  readonly as: string
  readonly json?: true
  readonly color: boolean
  readonly profile?: string
}

/** How commands reach Malipo and print their results. */
export interface CommandContext {
  /** Opens an operator connection, does the work, and always closes the connection. */
  operate<Result>(work: (operator: Operator) => Promise<Result>): Promise<Result>
  /** Calls Malipo as the merchant of the configured key pair. */
  call<Result>(work: (malipo: Malipo, access: Access) => Promise<Result>): Promise<Result>
  /** Same as `call`, for work that handles interruption itself. */
  enter(): { readonly malipo: Malipo; readonly access: Access }
  /** The URL of Malipo, for commands that need no key pair. */
  url(): string
  server(): Promise<Server>
  /** Prints the facts with --json, otherwise the sentences. */
  print(facts: unknown, sentences: (format: Formatter) => string): void
  /** Same as `print`, for one item of a stream: JSON is one document per line. */
  printItem(facts: unknown, sentence: (format: Formatter) => string): void
  /** Prints text beside the result, such as a greeting; never mixed with JSON. */
  printNote(text: (format: Formatter) => string): void
  isJson(): boolean
}

export function createCommandContext(cli: CliEnvironment, program: Command): CommandContext {
  const options = () => program.opts<GlobalOptions>()
  const format = () => createFormatter(cli, options().color)
  const enter = () => {
    const access = findAccess(cli, options().profile)
    return { malipo: openMalipo(access), access }
  }
  return {
    operate: async (work) => {
      const { openOperator } = await loadServer()
      const operator = openOperator(cli.variables, options().as)
      try {
        return await untilInterrupted(cli, work(operator))
      } finally {
        await operator.close().catch(() => undefined) // The work is done, and its result must still be printed.
      }
    },
    call: async (work) => {
      const { malipo, access } = enter()
      return untilInterrupted(cli, work(malipo, access)).catch((error: unknown) => {
        throw connectionError(error, access)
      })
    },
    enter,
    url: () => findUrl(cli, options().profile),
    server: loadServer,
    print: (facts, sentences) => cli.write(`${options().json ? jsonText(facts, 2) : sentences(format())}\n`),
    printItem: (facts, sentence) => cli.write(`${options().json ? jsonText(facts) : sentence(format())}\n`),
    printNote: (text) => (options().json ? cli.writeError : cli.write)(`${text(format())}\n`),
    isJson: () => options().json === true,
  }
}

/** Ctrl-C takes effect even if the server does not respond. */
async function untilInterrupted<Result>({ signal }: CliEnvironment, work: Promise<Result>): Promise<Result> {
  if (!signal) return work
  const end = Promise.withResolvers<never>()
  const stop = () => end.reject(new CliError('interrupted', 'Interrupted.'))
  signal.addEventListener('abort', stop)
  if (signal.aborted) stop()
  try {
    return await Promise.race([work, end.promise])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

/** Loaded on first use: help and usage errors appear at once, and a merchant's machine does not need the server. */
async function loadServer(): Promise<Server> {
  try {
    return await import('@malipo/server/operate')
  } catch (error) {
    if ((error as { code?: string }).code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new CliError(
      'refused',
      'This command works on the database of an installation. Run it in the folder of that installation: npm run malipo -- …',
    )
  }
}
