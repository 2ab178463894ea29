import { Argument, type Command, type Option } from 'commander'
import type { CommandContext } from './command-context.ts'
import { type Place, type Shell, scripts, type Values } from './completion-scripts.ts'
import { countries, currencies, operators, scenarios } from './generated/known-values.ts'
import { guide } from './guide.ts'

/**
 * Values of options and arguments that are not choices, because Malipo may know more of them than this version of the CLI.
 * Choices complete without an entry here.
 */
const suggested: Readonly<Record<string, Values>> = {
  '--profile': 'profiles',
  '--currency': currencies,
  '--wallet-currency': currencies,
  '--debit-currency': currencies,
  '--country': countries,
  '--debit-country': countries,
  '--operator': operators,
  '--scenario': scenarios,
  scenario: scenarios,
}

export function addCompletionCommand(program: Command, context: CommandContext): void {
  guide(
    program
      .command('completion')
      .description('Print the completion script for your shell.')
      .addArgument(new Argument('<shell>', 'your shell').choices(Object.keys(scripts))),
    {
      note: `  bash: eval "$(malipo completion bash)" in ~/.bashrc
  zsh:  eval "$(malipo completion zsh)" in ~/.zshrc, after compinit
  fish: malipo completion fish > ~/.config/fish/completions/malipo.fish
Completes commands, options and known values, without a network. Only saved profiles are read while you type.`,
      examples: ['malipo completion bash', 'malipo completion fish > ~/.config/fish/completions/malipo.fish'],
    },
  ).action((shell: Shell) => {
    const script = scripts[shell](placesOf(program, ''))
    context.print({ shell, script }, () => script)
  })
}

/** This command and all below it, as places where words can follow. */
function placesOf(command: Command, path: string): Place[] {
  const below = command.commands.flatMap((each) => placesOf(each, `${path} ${each.name()}`))
  const taker = defaultOf(command) ?? command
  const root = rootOf(command)
  const options = [...new Set([...command.options, ...taker.options, ...root.options])]
  return [
    {
      path,
      commands: command.commands.map((each) => ({ word: each.name(), about: each.description() })),
      options: [...options.map(optionOf), { word: '--help', about: 'show help' }],
      arguments: taker.registeredArguments.map((each) => each.argChoices ?? suggested[each.name()] ?? []),
    },
    ...below,
  ]
}

function optionOf({ long, description, argChoices, required, optional }: Option): Place['options'][number] {
  const word = long ?? ''
  const isValued = required || optional
  return { word, about: description, ...(isValued && { values: argChoices ?? suggested[word] ?? [] }) }
}

/** The command that a group runs when none is named. Commander keeps it in a field that its types do not declare. */
function defaultOf(group: Command): Command | undefined {
  const { _defaultCommandName: name } = group as Command & { readonly _defaultCommandName?: string | null }
  return group.commands.find((each) => each.name() === name)
}

const rootOf = (command: Command): Command => (command.parent ? rootOf(command.parent) : command)
