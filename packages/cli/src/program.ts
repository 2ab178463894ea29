import { inspect } from 'node:util'
import { Command, CommanderError } from 'commander'
import { addDatabaseCommands } from './database.ts'
import { createDesk } from './desk.ts'
import { addKeyCommands } from './keys.ts'
import { addLedgerCommands } from './ledger.ts'
import { addListenCommand } from './listen.ts'
import { addMerchantCommands } from './merchants.ts'
import { addPaymentCommands } from './payments.ts'
import { addProviderCommands } from './providers.ts'
import { addWebhookCommands } from './webhooks.ts'

/** What a command is run with: nothing is taken from anywhere else. */
export interface Surroundings {
  readonly variables: Readonly<Record<string, string | undefined>>
  /** Who is at the keyboard, for the audit trail. */
  readonly actor: string
  readonly write: (text: string) => void
  readonly complain: (text: string) => void
  /** Ends what would go on until Ctrl-C; without it, only that does. */
  readonly signal?: AbortSignal
}

/** What a script can tell by: 0 done, 1 refused, 2 not understood, 4 not reached. */
export const exitCodes = { done: 0, refused: 1, usage: 2, unreachable: 4 } as const

/** The whole command line: takes the arguments, gives the exit code. */
export function createProgram(around: Surroundings): (args: readonly string[]) => Promise<number> {
  return async (args) => {
    const program = new Command('malipo')
      .description('Runs a Malipo: merchants, key pairs, payments, providers, webhooks, money, database.')
      .option('--json', 'print JSON, for programs')
      .option('--as <name>', 'who does this, for the audit trail', around.actor)
      .showHelpAfterError('(add --help for how it is used)')
      .configureOutput({ writeOut: around.write, writeErr: around.complain })
      .exitOverride()
    const desk = createDesk(around, program)
    addMerchantCommands(program, desk)
    addKeyCommands(program, desk)
    addPaymentCommands(program, desk)
    addProviderCommands(program, desk)
    addWebhookCommands(program, desk, around)
    addListenCommand(program, desk, around)
    addLedgerCommands(program, desk)
    addDatabaseCommands(program, desk)
    try {
      await program.parseAsync([...args], { from: 'user' })
      return exitCodes.done
    } catch (error) {
      return explain(error as Error, around)
    }
  }
}

function explain(error: Error & { code?: string }, { complain }: Surroundings): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage
  if (error.name === 'ConfigError') {
    complain(`${error.message}\nSet them in the environment; docs/reference/config.md tells what each is.\n`)
    return exitCodes.usage
  }
  if (['OperatorError', 'LedgerDisagreement', 'CheckOvertaken', 'WebhookRefused'].includes(error.name)) {
    complain(`${error.message}\n`)
    return exitCodes.refused
  }
  if (/^E(CONN|HOST|NET|NOTFOUND|TIMEDOUT)|^(08|28|3D|57P)/.test(error.code ?? '')) {
    complain(`The database at DATABASE_URL cannot be used: ${error.message || error.code}\n`)
    return exitCodes.unreachable
  }
  if (/^(40|55P03|57014)/.test(error.code ?? '')) {
    complain(`The database is busy: ${error.message}. Nothing was done; try again.\n`)
    return exitCodes.refused
  }
  complain(`${inspect(error)}\n`)
  return exitCodes.refused
}
