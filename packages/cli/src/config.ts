import { resolve } from 'node:path'
import type { ConfigReport, Finding } from '@malipo/server/operate'
import type { Command } from 'commander'
import type { CliEnvironment } from './cli-environment.ts'
import { CliError } from './cli-error.ts'
import type { CommandContext } from './command-context.ts'
import { findingLine } from './doctor.ts'
import { guide } from './guide.ts'
import type { Formatter } from './table.ts'

interface Options {
  readonly show?: true
  readonly connect?: true
  readonly file?: string
}

type SettingView = ConfigReport['settings'][number]

/** What a process reads at its start. */
export function addConfigCommands(program: Command, context: CommandContext, { variables }: CliEnvironment): void {
  const config = program.command('config').description('Check the settings of an installation.')

  guide(
    config
      .command('check')
      .description('Check the file and the environment, and report every problem at once.')
      .option('--show', 'print each setting with its value and source; secrets are hidden')
      .option('--file <path>', 'read this file instead of the one that MALIPO_CONFIG names')
      .option('--connect', 'also check what the settings lead to, as malipo doctor does'),
    {
      note: 'Reads what a process reads at its start, and connects to nothing without --connect. Exits with 5 if a process would not start, or a check fails.',
      examples: ['malipo config check', 'malipo config check --show'],
    },
  ).action(async ({ show, connect, file }: Options) => {
    const server = await context.server()
    const given = file === undefined ? variables : { ...variables, MALIPO_CONFIG: resolve(file) }
    const { settings, warnings, ...report } = server.checkConfig(given)
    const findings = connect && report.isValid ? await server.examine(given) : warnings
    const shown = show ? settings : undefined
    context.print({ ...report, findings, ...(shown && { settings: shown }) }, (format) =>
      lines(format, report, findings, shown).join('\n'),
    )
    if (!report.isValid) throw new CliError('checkFailed', 'The configuration is invalid.')
    if (findings.some(({ health }) => health === 'bad')) throw new CliError('checkFailed', 'A check failed.')
  })
}

function lines(
  format: Formatter,
  report: Pick<ConfigReport, 'isValid' | 'file' | 'problems'>,
  findings: readonly Finding[],
  settings: readonly SettingView[] | undefined,
): string[] {
  return [
    ...report.problems.map((problem) => `${format.paint('red', 'ERROR')}  ${format.wrap(problem, 7)}`),
    ...findings.map((finding) => findingLine(format, finding)),
    ...(settings ? [format.table(settings, columns)] : []),
    summary(report, findings, format),
  ]
}

const columns = {
  SETTING: ({ variable }: SettingView) => variable,
  'IN MALIPO.TOML': ({ key }: SettingView) => key,
  SOURCE: ({ source }: SettingView) => source,
  VALUE: ({ value }: SettingView) => value,
}

function summary(
  { isValid, file }: Pick<ConfigReport, 'isValid' | 'file'>,
  findings: readonly Finding[],
  { paint }: Formatter,
): string {
  const from = file === undefined ? 'the environment; MALIPO_CONFIG names no file' : `the environment and ${file}`
  if (!isValid) return `Read from ${from}. docs/reference/config.md describes every setting.`
  const has = (health: Finding['health']) => findings.some((finding) => finding.health === health)
  if (has('bad')) return `${paint('red', 'Valid, but a check failed.')} Read from ${from}.`
  return `${has('poor') ? paint('yellow', 'Valid, with warnings.') : paint('green', 'Valid.')} Read from ${from}.`
}
