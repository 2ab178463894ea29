import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import type { CliEnvironment } from './cli-environment.ts'
import { CliError } from './cli-error.ts'
import type { CommandContext } from './command-context.ts'
import { guide } from './guide.ts'

const script = join(import.meta.dirname, '../../../scripts/dev.ts')

export function addDevCommand(program: Command, _: CommandContext, cli: CliEnvironment): void {
  guide(
    program
      .command('dev')
      .description('Start a whole Malipo on this machine, with a sandbox merchant, until Ctrl-C.')
      .option('--fresh', 'delete all data first'),
    {
      note: 'The same as npm run dev. The data stays in .malipo/ of the repository.',
      examples: ['malipo dev', 'malipo dev --fresh'],
    },
  ).action(async ({ fresh }: { fresh?: true }) => {
    if (!(existsSync(script) && cli.run))
      throw new CliError('refused', 'malipo dev works only in the repository. Clone it, run npm ci, then npm run dev.')
    const code = await cli.run(process.execPath, [script, ...(fresh ? ['--fresh'] : [])])
    if (code !== 0) throw new CliError('refused', `The stack stopped with exit code ${code}.`)
  })
}
