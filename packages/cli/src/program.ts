import { Command, CommanderError, Help, type Option } from 'commander'
import { addBalanceCommands } from './balance.ts'
import { addBulkCommand } from './bulk.ts'
import { addCallbackCommands } from './callbacks.ts'
import { addChargeCommands } from './charge.ts'
import { addClockCommand } from './clock.ts'
import { addCompletionCommand } from './completion.ts'
import { addConformanceCommand } from './conformance/command.ts'
import { addDatabaseCommands } from './database.ts'
import { createDesk, type Desk } from './desk.ts'
import { addDevCommand } from './dev.ts'
import { addDoctorCommand } from './doctor.ts'
import { addEventsCommand } from './events.ts'
import { type Exit, exitCodes, exitMeanings } from './exit-codes.ts'
import { addFaultCommands } from './faults.ts'
import { addFeeCommands } from './fees.ts'
import { commandsOf, guide, guideOf } from './guide.ts'
import { addKeyCommands } from './keys.ts'
import { addLedgerCommands } from './ledger.ts'
import { addListenCommand } from './listen.ts'
import { addLoginCommands } from './login.ts'
import { addLogsCommand } from './logs.ts'
import { addMerchantCommands } from './merchants.ts'
import { addOpenCommand } from './open.ts'
import { createPaint } from './paint.ts'
import { addPayCommand } from './pay.ts'
import { addPaymentCommands } from './payments.ts'
import { addProviderCommands } from './providers.ts'
import { addRateCommands } from './rates.ts'
import { addSecretCommands } from './secrets.ts'
import { didYouMean } from './suggest.ts'
import type { Surroundings } from './surroundings.ts'
import { addSuspenseCommands } from './suspense.ts'
import { addTransactionCommands } from './transactions.ts'
import { addTriggerCommand } from './trigger.ts'
import { tellTrouble } from './trouble.ts'
import { addWebhookCommands } from './webhooks.ts'
import { addWhoamiCommand } from './whoami.ts'

type Add = (program: Command, desk: Desk, around: Surroundings) => void

/** Every command, in the order and under the headings of the help. */
const groups: Readonly<Record<string, readonly Add[]>> = {
  'Begin:': [addDevCommand, addLoginCommands, addWhoamiCommand, addDoctorCommand, addOpenCommand, addCompletionCommand],
  'Collect and pay out:': [addChargeCommands, addPayCommand, addBulkCommand],
  'Look:': [addTransactionCommands, addBalanceCommands, addEventsCommand, addLogsCommand],
  'Webhooks:': [addListenCommand, addWebhookCommands, addConformanceCommand],
  'Try out in the sandbox:': [addTriggerCommand, addClockCommand, addFaultCommands],
  "Run a Malipo, for the operator's staff:": [
    addMerchantCommands,
    addKeyCommands,
    addFeeCommands,
    addPaymentCommands,
    addSuspenseCommands,
    addCallbackCommands,
    addProviderCommands,
    addRateCommands,
    addLedgerCommands,
    addDatabaseCommands,
    addSecretCommands,
  ],
}

/** The whole command line: takes the arguments, gives the exit code. */
export function createProgram(around: Surroundings): (args: readonly string[]) => Promise<number> {
  return async (args) => {
    let usage = ''
    const program = buildProgram(around, (text) => {
      usage += text
    })
    try {
      await program.parseAsync([...args], { from: 'user' })
      return exitCodes.done
    } catch (error) {
      return tell(program, error as Error, usage, around)
    }
  }
}

/**
 * The commands without anything done yet; docs/reference/cli.md is made from them. What is wrong with the arguments goes
 * to `writeErr`, since only at the end it is known in which form it is to be told.
 */
export function buildProgram(around: Surroundings, writeErr: (text: string) => void = around.complain): Command {
  const { write: writeOut, terminal, variables } = around
  const isColourWanted = !variables['NO_COLOR'] && terminal !== undefined
  const paint = createPaint(around, true)
  const program = new Command('malipo')
    .description('Collect and pay out with Malipo, try it out, and run it.')
    .option('--json', 'print JSON, for programs')
    .option('--no-color', 'print no colours')
    .option('--profile <name>', 'use this key pair that malipo login kept')
    .option('--as <name>', 'who does this, for the audit trail of the operator', around.actor)
    .showHelpAfterError('(add --help for how it is used)')
    .configureOutput({ writeOut, writeErr, getOutHasColors: () => isColourWanted, getErrHasColors: () => false })
    .configureHelp({ styleTitle: (title) => paint('bold', title), optionDescription: described })
    .addHelpCommand(helpCommand())
    .exitOverride()
  if (terminal) program.configureOutput({ getOutHelpWidth: () => Math.min(terminal.columns, helpWidthMax) })
  const desk = createDesk(around, program)
  for (const [heading, adds] of Object.entries(groups)) {
    program.commandsGroup(heading)
    for (const add of adds) add(program, desk, around)
  }
  guide(program, {
    note: `Exit codes:\n${Object.entries(exitCodes)
      .map(([exit, code]) => `  ${String(code).padEnd(3)}  ${exitMeanings[exit as Exit]}`)
      .join('\n')}`,
    examples: [
      'malipo charge momo --amount 1500 --currency KES --phone +254703456789 --wait',
      'malipo transactions --status failed --json',
    ],
  })
  for (const group of program.commands.filter(({ commands }) => commands.length > 0))
    guideGroup(group.helpCommand(false))
  return program
}

const helpWidthMax = 120

const helpCommand = () =>
  new Command('help').argument('[command]').description('how a command is used').helpGroup('Begin:')

const described = (option: Option) =>
  `${Help.prototype.optionDescription(option)}${option.mandatory ? ' (required)' : ''}`

/** The help of a command that only leads to others ends with examples of the first two of them, or of its only one. */
function guideGroup(group: Command): void {
  const [first, second] = commandsOf(group).map((command) => guideOf(command)?.examples ?? [])
  guide(group, { examples: [first?.[0] ?? '', second?.[0] ?? first?.[1] ?? ''] })
}

function tell(program: Command, error: Error, usage: string, { complain, variables }: Surroundings): number {
  const { exit, message, facts } = tellTrouble(error, Boolean(variables['MALIPO_DEBUG']))
  const said = error instanceof CommanderError ? `${usage}${secondGuess(program, error)}`.trimEnd() : message
  const isJson = program.opts<{ json?: true }>().json === true && exit !== 'done'
  if (isJson)
    complain(`${JSON.stringify({ error: { exit, code: exitCodes[exit], message: said, ...facts } }, null, 2)}\n`)
  else if (said !== '') complain(`${said}\n`)
  return exitCodes[exit]
}

/** Where what was wrong is told as something else. */
function secondGuess(program: Command, { code }: CommanderError): string {
  if (code === 'commander.excessArguments') return mistypedCommand(program)
  if (code === 'commander.missingMandatoryOptionValue') return mistypedOption(program)
  return ''
}

const askedFor = (command: Command) => command.commands.find((each) => each.name() === command.args[0])

/** A group whose list is shown without being named takes a mistyped word for an argument of that list. */
function mistypedCommand(program: Command): string {
  const group = askedFor(program)
  const word = group?.args[0] ?? ''
  if (!group || group.commands.length === 0) return ''
  const names = group.commands.map((command) => command.name())
  return names.includes(word) ? '' : `malipo ${group.name()} has no ${word}.${didYouMean(word, names)}\n`
}

/** An option that is needed and was mistyped is missing before it is unknown. */
function mistypedOption(program: Command): string {
  let command = program
  for (let next = askedFor(command); next; next = askedFor(command)) command = next
  const [word] = command.args.find((each) => each.startsWith('--'))?.split('=') ?? []
  const names = [...command.options, ...program.options].map(({ long }) => long ?? '')
  return word === undefined ? '' : `There is no option ${word}.${didYouMean(word, names)}\n`
}
