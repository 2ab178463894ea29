import type { Malipo } from '@malipo/sdk'
import type { Operator } from '@malipo/server/operate'
import type { Command } from 'commander'
import { named, openMalipo } from './client.ts'
import { type Access, findAccess, findUrl } from './profiles.ts'
import type { Surroundings } from './surroundings.ts'
import { createPaper, type Paper } from './table.ts'
import { Trouble } from './trouble.ts'

type Server = typeof import('@malipo/server/operate')

interface GlobalOptions {
  readonly as: string
  readonly json?: true
  readonly color: boolean
  readonly profile?: string
}

/** Where commands get their work done and say what came of it. */
export interface Desk {
  /** Opens the operator's way in, does the work, and closes it however that ends. */
  operate<Result>(work: (operator: Operator) => Promise<Result>): Promise<Result>
  /** Calls Malipo as the merchant whose key pair is at hand. */
  call<Result>(work: (malipo: Malipo, access: Access) => Promise<Result>): Promise<Result>
  /** The same for work that ends by itself when it is interrupted. */
  enter(): { readonly malipo: Malipo; readonly access: Access }
  /** Where Malipo is, for what needs no key pair. */
  url(): string
  server(): Promise<Server>
  /** Prints the facts as JSON when that was asked for, else the sentences. */
  say(facts: unknown, sentences: (paper: Paper) => string): void
  /** The same for one of many things that come over time: JSON is then a document a line. */
  tell(facts: unknown, sentence: (paper: Paper) => string): void
  /** Says something beside the result, such as a greeting: never between JSON. */
  remark(text: (paper: Paper) => string): void
  isJson(): boolean
}

export function createDesk(around: Surroundings, program: Command): Desk {
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
        await operator.close().catch(() => undefined) // What was done is done, and must still be told.
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

/** Ctrl-C is not kept waiting by a server that does not answer. */
async function untilInterrupted<Result>({ signal }: Surroundings, work: Promise<Result>): Promise<Result> {
  if (!signal) return work
  const end = Promise.withResolvers<never>()
  const stop = () => end.reject(new Trouble('interrupted', 'Interrupted.'))
  signal.addEventListener('abort', stop)
  if (signal.aborted) stop()
  try {
    return await Promise.race([work, end.promise])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

/** Loaded when first needed: help and mistakes are answered at once, and a merchant's machine need not have the server. */
async function loadServer(): Promise<Server> {
  try {
    return await import('@malipo/server/operate')
  } catch (error) {
    if ((error as { code?: string }).code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new Trouble('refused', 'This command needs the server beside it: npm install @malipo/server')
  }
}
