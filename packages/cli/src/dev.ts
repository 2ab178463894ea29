import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { CliError } from './cli-error.ts'
import type { CommandContext } from './command-context.ts'
import { guide } from './guide.ts'
import type { CliEnvironment } from './surroundings.ts'

const script = join(import.meta.dirname, '../../../scripts/dev.ts')

export function addDevCommand(program: Command, _: CommandContext, around: CliEnvironment): void {
  guide(
    program
      .command('dev')
      .summary('start a whole Malipo on this machine')
      .description('start a whole Malipo on this machine, with a sandbox merchant, until Ctrl-C')
      .option('--fresh', 'forget what was there and begin anew'),
    {
      note: 'The same as npm run dev; its data stay in .malipo/ of the repository.',
      examples: ['malipo dev', 'malipo dev --fresh'],
    },
  ).action(async ({ fresh }: { fresh?: true }) => {
    if (!(existsSync(script) && around.run))
      throw new CliError('refused', 'malipo dev needs the repository: clone it, npm ci, and run npm run dev there.')
    const code = await around.run(process.execPath, [script, ...(fresh ? ['--fresh'] : [])])
    if (code !== 0) throw new CliError('refused', `The stack ended with code ${code}.`)
  })
}
