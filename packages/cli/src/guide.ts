import type { Command } from 'commander'

interface Guide {
  /** What the options do not tell. */
  readonly note?: string
  /** As they are typed. A test runs every one of them, with real ids in place of those that end in …. */
  readonly examples: readonly [string, string, ...string[]]
}

const guides = new WeakMap<Command, Guide>()

/** Ends a command's help with a note and examples, and remembers both for docs/reference/cli.md and the tests. */
export function guide(command: Command, given: Guide): Command {
  guides.set(command, given)
  const note = given.note === undefined ? '' : `\n${given.note}\n`
  return command.addHelpText('after', `${note}\nExamples:\n${given.examples.map((line) => `  ${line}`).join('\n')}`)
}

export function guideOf(command: Command): Guide | undefined {
  return guides.get(command)
}

/** Every command that does something, in the order of the help. */
export function commandsOf(command: Command): Command[] {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(commandsOf)
}

/** `malipo keys create`, without the arguments. */
export function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name()
}
