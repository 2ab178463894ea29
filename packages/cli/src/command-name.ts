import type { Command } from 'commander'
import type { CliEnvironment } from './cli-environment.ts'

/**
 * Texts name commands as `malipo explain …`. Where the program was started in another way, such as `npm run malipo --`, the
 * user reads that instead and can copy the line. JSON stays unchanged.
 */
export function nameCommands(cli: CliEnvironment, program: () => Command | undefined): CliEnvironment {
  const { commandName = 'malipo', write, writeError } = cli
  if (commandName === 'malipo') return cli
  const named = (text: string) => {
    const root = program()
    if (!root || root.opts<{ json?: true }>().json) return text
    const commands = [...root.commands.map((command) => command.name()), 'help', '--help'].join('|')
    return text.replaceAll(
      new RegExp(`(?<![\\w./-])malipo (?=(?:${commands})\\b|\\[options\\])`, 'g'),
      `${commandName} `,
    )
  }
  return { ...cli, write: (text) => write(named(text)), writeError: (text) => writeError(named(text)) }
}
