import type { Operator } from '@malipo/server/operate'
import type { Command } from 'commander'
import type { Surroundings } from './program.ts'

type Server = typeof import('@malipo/server/operate')

/** Where commands get their work done and say what came of it. */
export interface Desk {
  /** Opens the operator's way in, does the work, and closes it however that ends. */
  operate<Result>(work: (operator: Operator) => Promise<Result>): Promise<Result>
  server(): Promise<Server>
  /** Prints the facts as JSON when that was asked for, else the sentences. */
  say(facts: unknown, sentences: () => string): void
}

export function createDesk(around: Surroundings, program: Command): Desk {
  return {
    operate: async (work) => {
      const { openOperator } = await loadServer()
      const operator = openOperator(around.variables, program.opts<{ as: string }>().as)
      try {
        return await work(operator)
      } finally {
        await operator.close().catch(() => undefined) // What was done is done, and must still be told.
      }
    },
    server: loadServer,
    say: (facts, sentences) =>
      around.write(`${program.opts<{ json?: true }>().json ? JSON.stringify(facts, null, 2) : sentences()}\n`),
  }
}

/** Loaded when first needed: help and mistakes are answered at once, and a merchant's machine need not have the server. */
async function loadServer(): Promise<Server> {
  try {
    return await import('@malipo/server/operate')
  } catch (error) {
    if ((error as { code?: string }).code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw Object.assign(new Error('This command needs the server beside it: npm install @malipo/server'), {
      name: 'OperatorError',
    })
  }
}
