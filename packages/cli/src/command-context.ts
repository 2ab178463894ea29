import type { Malipo } from '@malipo/sdk'
import type { LocalOperator, Operator } from '@malipo/server/operate'
import type { Command } from 'commander'
import { warnBreakGlass } from './break-glass.ts'
import type { CliEnvironment } from './cli-environment.ts'
import { CliError } from './cli-error.ts'
import { connectionError, openMalipo } from './client.ts'
import { operatorAccess } from './operator-access.ts'
import { type OperatorClient, operatorClient } from './operator-client.ts'
import { Proposed } from './operator-http.ts'
import { type Access, findAccess, findUrl } from './profiles.ts'
import { proposalScreen } from './proposal-screen.ts'
import { createFormatter, type Formatter } from './table.ts'
import { jsonText } from './terminal-text.ts'

type Server = typeof import('@malipo/server/operate')

interface GlobalOptions {
  readonly breakGlass?: true
  readonly json?: true
  readonly color: boolean
  readonly profile?: string
}

/** How commands reach Malipo and print their results. */
export interface CommandContext {
  /**
   * Does the work of the operator's staff: over the operator API, or with --break-glass on the database. Where another person must
   * approve it, prints the proposal and ends with its own exit code.
   */
  operate<Result>(work: (operator: LocalOperator) => Promise<Result>): Promise<Result>
  /** Same as `operate`, for what only the operator API has: deciding about proposals. */
  decide<Result>(work: (operator: OperatorClient) => Promise<Result>): Promise<Result>
  /** Works on the database and the secret keys of an installation, on its own machine. */
  maintain<Result>(work: (installation: Operator) => Promise<Result>): Promise<Result>
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
  const print: CommandContext['print'] = (facts, sentences) =>
    cli.write(`${options().json ? jsonText(facts, 2) : sentences(format())}\n`)
  const callApi: CommandContext['decide'] = (work) =>
    operatorAccess(cli, options().profile)
      .then((access) => work(operatorClient(access, cli.signal)))
      .catch((error) => {
        throw error instanceof Proposed ? showProposal(print, error) : error
      })
  return {
    operate: (work) => {
      if (!options().breakGlass) return callApi(work)
      warnBreakGlass(cli)
      return onDatabase(cli, work)
    },
    decide: (work) => {
      if (options().breakGlass)
        throw new CliError('usage', 'Proposals are decided by two people, so not with --break-glass.')
      return callApi(work)
    },
    maintain: (work) => onDatabase(cli, work),
    call: async (work) => {
      const { malipo, access } = enter()
      return untilInterrupted(cli, work(malipo, access)).catch((error: unknown) => {
        throw connectionError(error, access)
      })
    },
    enter,
    url: () => findUrl(cli, options().profile),
    server: loadServer,
    print,
    printItem: (facts, sentence) => cli.write(`${options().json ? jsonText(facts) : sentence(format())}\n`),
    printNote: (text) => (options().json ? cli.writeError : cli.write)(`${text(format())}\n`),
    isJson: () => options().json === true,
  }
}

/** The proposal is the result; the error says what is left to do, and makes no command print that it was done. */
function showProposal(print: CommandContext['print'], { proposal }: Proposed): CliError {
  print(proposal, (format) => proposalScreen(format, proposal))
  const next = `malipo proposals approve ${proposal.proposalId} --reason "…"`
  return new CliError('proposed', `Nothing is changed yet. Another person must approve it: ${next}`)
}

/** Opens the database of the installation, does the work, and always closes the connection. */
async function onDatabase<Result>(cli: CliEnvironment, work: (operator: Operator) => Promise<Result>): Promise<Result> {
  const { openOperator } = await loadServer()
  const operator = openOperator(cli.variables, cli.actor)
  try {
    return await untilInterrupted(cli, work(operator))
  } finally {
    await operator.close().catch(() => undefined) // The work is done, and its result must still be printed.
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

/** Loaded on first use: help and usage errors appear at once, and only an installation's own machine needs the server. */
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
