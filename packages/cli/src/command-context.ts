import type { Malipo } from '@malipo/sdk'
import type { Operator } from '@malipo/server/operate'
import type { Command } from 'commander'
import { CliError } from './cli-error.ts'
import { named, openMalipo } from './client.ts'
import { type Access, findAccess, findUrl } from './profiles.ts'
import type { CliEnvironment } from './surroundings.ts'
import { createPaper, type Paper } from './table.ts'

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
  say(facts: unknown, sentences: (paper: Paper) => string): void
  /** Same as `say`, for one item of a stream: JSON is one document per line. */
  tell(facts: unknown, sentence: (paper: Paper) => string): void
  /** Prints text beside the result, such as a greeting; never mixed with JSON. */
  remark(text: (paper: Paper) => string): void
  isJson(): boolean
}

export function createCommandContext(around: CliEnvironment, program: Command): CommandContext {
  const options = () => program.opts<GlobalOptions>()
  const paper = () => createPaper(around, options().color)
  const enter = () => {
    const access = findAccess(around, options().profile)
    return { malipo: openMalipo(access), access }
  }
  return {
    operate: async (work) => {
      const { openOperator } = await loadServer()
      const operator = openOperator(around.variables, options().as)
      try {
        return await untilInterrupted(around, work(operator))
      } finally {
        await operator.close().catch(() => undefined) // The work is done, and its result must still be printed.
      }
    },
    call: async (work) => {
      const { malipo, access } = enter()
      return untilInterrupted(around, work(malipo, access)).catch((error: unknown) => {
        throw named(error, access)
      })
    },
    enter,
    url: () => findUrl(around, options().profile),
    server: loadServer,
    say: (facts, sentences) =>
      around.write(`${options().json ? JSON.stringify(facts, null, 2) : sentences(paper())}\n`),
    tell: (facts, sentence) => around.write(`${options().json ? JSON.stringify(facts) : sentence(paper())}\n`),
    remark: (text) => (options().json ? around.complain : around.write)(`${text(paper())}\n`),
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
    throw new CliError('refused', 'This command needs the server beside it: npm install @malipo/server')
  }
}
