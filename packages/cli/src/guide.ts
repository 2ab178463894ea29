import type { Command } from 'commander'

interface Guide {
  /** What the options do not explain. */
  readonly note?: string
  /** Complete command lines. A test runs each of them, with real ids in place of those that end in …. */
  readonly examples: readonly [string, string, ...string[]]
  /** A group only holds commands. One without this can be run itself. */
  readonly isGroup?: true
}

const guides = new WeakMap<Command, Guide>()

const usualWidth = 80

/** Adds a note and examples to a command's help, and keeps both for docs/reference/cli.md and the tests. */
export function guide(command: Command, given: Guide): Command {
  guides.set(command, given)
  return command.addHelpText('after', () => {
    const help = command.createHelp()
    const width = command.configureOutput().getOutHelpWidth?.() ?? usualWidth
    const note = given.note === undefined ? '' : `\n${filled(given.note, (line) => help.boxWrap(line, width))}\n`
    return `${note}\n${help.styleTitle('Examples:')}\n${given.examples.map((line) => `  ${line}`).join('\n')}`
  })
}

/** Wraps sentences; keeps list lines, which start with blanks, unchanged. */
function filled(text: string, wrap: (line: string) => string): string {
  const isList = (line: string) => line.startsWith('  ')
  const parts: string[] = []
  for (const line of text.split('\n')) {
    const last = parts.at(-1)
    if (last === undefined || isList(last) || isList(line)) parts.push(line)
    else parts[parts.length - 1] = `${last} ${line}`
  }
  return parts.map((part) => (isList(part) ? part : wrap(part))).join('\n')
}

export function guideOf(command: Command): Guide | undefined {
  return guides.get(command)
}

/** Every command that can be run, in the order of the help. `malipo logs` can, and holds another. */
export function commandsOf(command: Command): Command[] {
  const isRun = command.commands.length === 0 || guides.get(command)?.isGroup !== true
  return [...(isRun ? [command] : []), ...command.commands.flatMap(commandsOf)]
}

/** `malipo keys create`, without the arguments. */
export function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name()
}
