import type { Command, Option } from 'commander'
import { type Exit, exitCodes, exitMeanings } from './exit-codes.ts'
import { commandsOf, guideOf, pathOf } from './guide.ts'

/** docs/reference/cli.md, generated from the commands. */
export function referencePage(program: Command): string {
  const groups = Map.groupBy(program.commands, (command) => command.helpGroup().replace(/:$/, ''))
  const sections = [...groups].map(([group, commands]) => {
    return [`## ${group}`, ...commands.flatMap(commandsOf).map(section)].join('\n\n')
  })
  return `# Command line

\`malipo\` is one program for merchants' developers, who call Malipo with a key pair, and for the operator's staff, who
[log in](../operating/people.md). In a clone of the repository it is \`npm run malipo -- …\`. To install it, run \`npm pack --ignore-scripts=false --workspace packages/cli\` in the
clone and \`npm install --global ./malipo-cli-*.tgz\`; an installed \`malipo\` has all commands but those that work on the database.

URL and key pair of a merchant come together from the first of these:

1. \`--profile NAME\`
2. \`MALIPO_URL\`, \`MALIPO_PUBLIC_KEY\` and \`MALIPO_API_KEY\`; if one of them is set, all three must be
3. the profile in \`MALIPO_PROFILE\`
4. the running stack of \`npm run dev\` in the current project
5. the profile \`default\` that \`malipo login\` saved
6. the running stack of \`npm run dev\` that was started last on this machine

A stack of \`npm run dev\` is used if you started it as this user, its URL is on this machine and its keys are sandbox keys.
\`malipo whoami\` shows the source.

Operator commands act as a person or a machine, with its URL, from the first of these:

1. \`--profile NAME\`: the session that \`malipo login --operator\` saved under that name
2. \`MALIPO_URL\`, \`MALIPO_OPERATOR_PUBLIC_KEY\` and \`MALIPO_OPERATOR_API_KEY\`: a machine
3. the session of the profile in \`MALIPO_PROFILE\`
4. the machine of the running stack of \`npm run dev\` in the current project
5. the session of the profile \`default\`
6. the machine of the stack that was started last on this machine

If \`MALIPO_URL\` is set, it must be the URL of that session or stack, except with \`--profile\`.

\`migrate\`, \`secrets\`, \`doctor\`, \`config check\`, \`ledger check\`, \`audit verify\`, \`audit export\`, and operator commands with
[\`--break-glass\`](../operating/people.md#break-glass) work on the database and read [the settings of the service](config.md);
\`npm run malipo\` takes all of them from the running stack of its clone if \`DATABASE_URL\` is not set.

| variable | meaning |
|---|---|
| \`MALIPO_PROFILE\` | the profile to use, and the one that \`malipo login\` saves; default \`default\` |
| \`MALIPO_FOLDER\` | the data folder of \`npm run dev\`, for starting and for finding it; default \`.malipo\` in the clone. \`npm run dev\` takes a new folder, an empty one or its own |
| \`MALIPO_PORT\` | the port of \`npm run dev\`; default 8080, or a free one if 8080 is taken |
| \`MALIPO_DEBUG\` | if set, an internal error of \`malipo\` is printed with its stack trace |

Results go to standard output, everything else to standard error. Tables have columns and colours on a terminal, and tabs
between their fields elsewhere; \`NO_COLOR\` and \`--no-color\` turn colours off. With \`--json\` the result is one JSON document,
or one per line for commands that run until Ctrl-C, and an error is one on standard error, after the warning of
\`--break-glass\` if it is given.

## Options of every command

${optionTable(program.options)}

## Exit codes

| code | meaning |
|---|---|
${Object.entries(exitCodes)
  .map(([exit, code]) => `| ${code} | ${exitMeanings[exit as Exit]} |`)
  .join('\n')}

${sections.join('\n\n')}
`
}

function section(command: Command): string {
  const { note, examples = [] } = guideOf(command) ?? {}
  const words = command.registeredArguments.map((argument) => ({
    term: argument.required ? `<${argument.name()}>` : `[${argument.name()}]`,
    about: withChoices(argument.description, argument.argChoices),
  }))
  return [
    `### ${pathOf(command)}`,
    command.description(),
    fenced(`${pathOf(command)} ${command.usage()}`),
    ...(words.length + command.options.length > 0 ? [rows([...words, ...command.options.map(shown)])] : []),
    ...(note === undefined ? [] : [/^ {2}/m.test(note) ? fenced(note) : note]),
    `Examples:\n\n${fenced(examples.join('\n'))}`,
  ].join('\n\n')
}

const fenced = (text: string) => `\`\`\`text\n${text}\n\`\`\``

interface Shown {
  readonly term: string
  readonly about: string
}

const optionTable = (options: readonly Option[]) => rows(options.map(shown))

function shown({ flags, description, argChoices, mandatory, defaultValue, defaultValueDescription }: Option): Shown {
  const standard = defaultValueDescription ?? defaultValue
  const isShown = standard !== undefined && typeof standard !== 'boolean'
  const about = withChoices(description, argChoices)
  return {
    term: flags,
    about: `${mandatory ? '**Required.** ' : ''}${about}${isShown ? `; default ${standard}` : ''}`,
  }
}

const withChoices = (about: string, choices: readonly string[] | undefined) =>
  choices ? `${about}: ${choices.join(', ')}` : about

const rows = (all: readonly Shown[]) =>
  `| | |\n|---|---|\n${all.map(({ term, about }) => `| \`${term.replaceAll('|', '\\|')}\` | ${cell(about)} |`).join('\n')}`

/** Escapes text that would end a table cell or open a tag. */
const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('<', '&lt;')
