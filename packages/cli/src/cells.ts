import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import type { CliEnvironment } from './cli-environment.ts'
import { CliError } from './cli-error.ts'
import type { CommandContext } from './command-context.ts'
import { guide } from './guide.ts'

interface Options {
  readonly folder: string
}

/** The router in front of several cells. */
export function addCellCommands(program: Command, context: CommandContext, cli: CliEnvironment): void {
  const cells = program.command('cells').description('Set up the router in front of several cells.')

  guide(
    cells
      .command('render')
      .description("Make HAProxy's configuration and maps from a file that lists the cells.")
      .argument('<file>', 'the file of cells, in TOML')
      .requiredOption('--folder <path>', 'where HAProxy reads them, such as /etc/haproxy/cells'),
    {
      note: 'Reads no database. docs/operating/cells.md describes the file. Afterwards reload HAProxy, which loses no connection.',
      examples: [
        'malipo cells render cells.toml --folder cells',
        'malipo cells render cells.toml --folder cells --json',
      ],
    },
  ).action(async (file: string, { folder }: Options) => {
    const { renderCells } = await context.server()
    const [source, target] = [resolve(cli.folder ?? '.', file), resolve(cli.folder ?? '.', folder)]
    const rendered = render(renderCells, readText(source), target)
    mkdirSync(target, { recursive: true })
    const paths = Object.entries(rendered).map(([name, text]) => {
      const path = join(target, name)
      writeFileSync(path, text)
      return path
    })
    context.print({ files: paths }, () => [...paths, `Check it: haproxy -c -f ${paths[0]}`].join('\n'))
  })
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new CliError('usage', `${file} cannot be read: ${(error as Error).message}`)
  }
}

function render<Rendered>(renderCells: (text: string, folder: string) => Rendered, text: string, folder: string) {
  try {
    return renderCells(text, folder)
  } catch (error) {
    throw new CliError('usage', `The file of cells is invalid: ${(error as Error).message}.`)
  }
}
