import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command, CommanderError, Help, type Option } from 'commander'
import { addArchiveCommands } from './archive.ts'
import { addAuditCommands } from './audit.ts'
import { addBalanceCommands } from './balance.ts'
import { addBulkCommand } from './bulk.ts'
import { addCallbackCommands } from './callbacks.ts'
import { addCellCommands } from './cells.ts'
import { addChargeCommands } from './charge.ts'
import type { CliEnvironment } from './cli-environment.ts'
import { reportError } from './cli-error.ts'
import { addClockCommand } from './clock.ts'
import { type CommandContext, createCommandContext } from './command-context.ts'
import { nameCommands } from './command-name.ts'
import { addCompletionCommand } from './completion.ts'
import { addConfigCommands } from './config.ts'
import { addConformanceCommand } from './conformance/command.ts'
import { addDatabaseCommands } from './database.ts'
import { addDevCommand } from './dev.ts'
import { addDoctorCommand } from './doctor.ts'
import { addEndpointCommands } from './endpoints.ts'
import { addEventsCommand } from './events.ts'
import { type Exit, exitCodes, exitMeanings } from './exit-codes.ts'
import { addExportCommands } from './export.ts'
import { addFaultCommands } from './faults.ts'
import { addFeeCommands } from './fees.ts'
import { commandsOf, guide, guideOf } from './guide.ts'
import { addKeyCommands } from './keys.ts'
import { addLedgerCommands } from './ledger.ts'
import { addListenCommand } from './listen.ts'
import { addLoginCommands } from './login.ts'
import { addLogsCommand } from './logs.ts'
import { addMachineCommands } from './machines.ts'
import { addMerchantCommands } from './merchants.ts'
import { addOpenCommand } from './open.ts'
import { createPaint } from './paint.ts'
import { addPayCommand } from './pay.ts'
import { addPaymentCommands } from './payments.ts'
import { addPayoutControlCommands } from './payout-controls.ts'
import { addPeopleCommands } from './people.ts'
import { addProfileCommands } from './profile-commands.ts'
import { addProposalCommands } from './proposals.ts'
import { addProviderCommands } from './providers.ts'
import { addQuoteCommands } from './quote.ts'
import { addRateCommands } from './rates.ts'
import { addRefundCommand } from './refund.ts'
import { addSearchCommand } from './search.ts'
import { addSecretCommands } from './secrets.ts'
import { didYouMean } from './suggest.ts'
import { addSuspenseCommands } from './suspense.ts'
import { jsonText, terminalText } from './terminal-text.ts'
import { addThresholdCommands } from './thresholds.ts'
import { addTransactionCommands } from './transactions.ts'
import { addTriggerCommand } from './trigger.ts'
import { addWebhookCommands } from './webhooks.ts'
import { addWhoamiCommand } from './whoami.ts'

type Add = (program: Command, context: CommandContext, cli: CliEnvironment) => void

/** Every command, in the order and groups of the help. */
const groups: Readonly<Record<string, readonly Add[]>> = {
  'Get started:': [
    addDevCommand,
    addLoginCommands,
    addProfileCommands,
    addWhoamiCommand,
    addDoctorCommand,
    addOpenCommand,
    addCompletionCommand,
  ],
  'Collect and pay out:': [addChargeCommands, addPayCommand, addBulkCommand, addRefundCommand, addQuoteCommands],
  'Read:': [
    addTransactionCommands,
    addSearchCommand,
    addBalanceCommands,
    addExportCommands,
    addEventsCommand,
    addLogsCommand,
  ],
  'Webhooks:': [addListenCommand, addWebhookCommands, addEndpointCommands, addConformanceCommand],
  'Test in the sandbox:': [addTriggerCommand, addClockCommand, addFaultCommands],
  'Operate Malipo (staff):': [
    addPeopleCommands,
    addMachineCommands,
    addProposalCommands,
    addThresholdCommands,
    addMerchantCommands,
    addKeyCommands,
    addFeeCommands,
    addPayoutControlCommands,
    addPaymentCommands,
    addSuspenseCommands,
    addCallbackCommands,
    addProviderCommands,
    addRateCommands,
    addLedgerCommands,
    addArchiveCommands,
    addAuditCommands,
    addConfigCommands,
    addDatabaseCommands,
    addCellCommands,
    addSecretCommands,
  ],
}

/** The whole command line: takes the arguments, returns the exit code. */
export function createProgram(cli: CliEnvironment): (args: readonly string[]) => Promise<number> {
  return async (args) => {
    let usage = ''
    const named = nameCommands(showControls(cli), () => program)
    const program: Command = buildProgram(named, (text) => {
      usage += text
    })
    try {
      await program.parseAsync([...args], { from: 'user' })
      return exitCodes.done
    } catch (error) {
      return report(program, error as Error, usage, named)
    }
  }
}

/** Whatever a command prints, a terminal obeys no control character that came with data. */
function showControls(cli: CliEnvironment): CliEnvironment {
  const { write, writeError } = cli
  return { ...cli, write: (text) => write(terminalText(text)), writeError: (text) => writeError(terminalText(text)) }
}

/**
 * Builds the commands without running any; docs/reference/cli.md is generated from them. Argument errors go to `writeErr`,
 * because their output form (text or JSON) is known only at the end.
 */
export function buildProgram(cli: CliEnvironment, writeErr: (text: string) => void = cli.writeError): Command {
  const { write: writeOut, terminal, variables } = cli
  const isColourWanted = !variables['NO_COLOR'] && terminal !== undefined
  const paint = createPaint(cli, true)
  const program = new Command('malipo')
    .description('Collect, pay out, test and operate Malipo.')
    .version(version, '--version', 'print the version')
    .option('--json', 'print JSON')
    .option('--no-color', 'print without colours')
    .option('--profile <name>', 'use this profile, saved by malipo login')
    .option('--break-glass', 'operator commands: work on the database, without roles and a second person; audited')
    .showHelpAfterError('(add --help for usage)')
    .configureOutput({ writeOut, writeErr, getOutHasColors: () => isColourWanted, getErrHasColors: () => false })
    .configureHelp({ styleTitle: (title) => paint('bold', title), optionDescription: described })
    .addHelpCommand(helpCommand())
    .exitOverride()
  if (terminal) program.configureOutput({ getOutHelpWidth: () => Math.min(terminal.columns, helpWidthMax) })
  const context = createCommandContext(cli, program)
  for (const [heading, adds] of Object.entries(groups)) {
    program.commandsGroup(heading)
    for (const add of adds) add(program, context, cli)
  }
  guide(program, {
    isGroup: true,
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

const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8')) as {
  version: string
}

const helpCommand = () =>
  new Command('help').argument('[command]').description('Show the help of a command.').helpGroup('Get started:')

const described = (option: Option) =>
  `${Help.prototype.optionDescription(option)}${option.mandatory ? ' (required)' : ''}`

/** The help of a command group ends with examples of its first two commands, or of its only one, unless it has its own. */
function guideGroup(group: Command): void {
  if (guideOf(group)) return
  const [first, second] = group.commands.flatMap(commandsOf).map((command) => guideOf(command)?.examples ?? [])
  guide(group, { isGroup: true, examples: [first?.[0] ?? '', second?.[0] ?? first?.[1] ?? ''] })
}

function report(program: Command, error: Error, usage: string, { writeError, variables }: CliEnvironment): number {
  const { exit, message, facts } = reportError(error, Boolean(variables['MALIPO_DEBUG']))
  const text = error instanceof CommanderError ? `${usage}${clarification(program, error)}`.trimEnd() : message
  const isJson = program.opts<{ json?: true }>().json === true && exit !== 'done'
  if (isJson) writeError(`${jsonText({ error: { exit, code: exitCodes[exit], message: text, ...facts } }, 2)}\n`)
  else if (text !== '') writeError(`${text}\n`)
  return exitCodes[exit]
}

/** Corrects Commander's message where it names the wrong mistake. */
function clarification(program: Command, { code }: CommanderError): string {
  if (code === 'commander.excessArguments') return mistypedCommand(program)
  if (code === 'commander.missingMandatoryOptionValue') return mistypedOption(program)
  return ''
}

const requested = (command: Command) => command.commands.find((each) => each.name() === command.args[0])

/** A group whose default command is `list` takes a mistyped word for an argument of `list`. */
function mistypedCommand(program: Command): string {
  const group = requested(program)
  const word = group?.args[0] ?? ''
  if (!group || group.commands.length === 0) return ''
  const names = group.commands.map((command) => command.name())
  return names.includes(word) ? '' : `malipo ${group.name()} has no command ${word}.${didYouMean(word, names)}\n`
}

/** Commander reports a mistyped required option as missing, not as unknown. */
function mistypedOption(program: Command): string {
  let command = program
  for (let next = requested(command); next; next = requested(command)) command = next
  const [word] = command.args.find((each) => each.startsWith('--'))?.split('=') ?? []
  const names = [...command.options, ...program.options].map(({ long }) => long ?? '')
  return word === undefined ? '' : `Unknown option ${word}.${didYouMean(word, names)}\n`
}
