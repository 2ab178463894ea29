import { Argument, type Command } from 'commander'
import type { CommandContext } from './command-context.ts'
import { guide } from './guide.ts'

/** The words that can follow `path`, the commands typed so far: ` keys create`, with a blank before each. */
interface Place {
  readonly path: string
  readonly words: readonly { readonly word: string; readonly about: string }[]
}

type Shell = 'bash' | 'zsh' | 'fish'

export function addCompletionCommand(program: Command, context: CommandContext): void {
  guide(
    program
      .command('completion')
      .description('Print the completion script for your shell.')
      .addArgument(new Argument('<shell>', 'your shell').choices(['bash', 'zsh', 'fish'])),
    {
      note: `  bash: eval "$(malipo completion bash)" in ~/.bashrc
  zsh:  eval "$(malipo completion zsh)" in ~/.zshrc, after compinit
  fish: malipo completion fish > ~/.config/fish/completions/malipo.fish`,
      examples: ['malipo completion bash', 'malipo completion fish > ~/.config/fish/completions/malipo.fish'],
    },
  ).action((shell: Shell) => {
    const script = writers[shell](placesOf(program, ''))
    context.print({ shell, script }, () => script)
  })
}

function placesOf(command: Command, path: string): Place[] {
  const commands = command.commands.map((each) => ({ word: each.name(), about: each.description() }))
  const own = [command, ...(command.parent ? [rootOf(command)] : [])].flatMap(({ options }) => options)
  const options = own.map(({ long, description }) => ({ word: long ?? '', about: description }))
  const help = { word: '--help', about: 'show help' }
  const below = command.commands.flatMap((each) => placesOf(each, `${path} ${each.name()}`))
  return [{ path, words: [...commands, ...options, help] }, ...below]
}

const rootOf = (command: Command): Command => (command.parent ? rootOf(command.parent) : command)

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`
const known = (places: readonly Place[]) => places.slice(1).map(({ path }) => quoted(path))

const writers: Readonly<Record<Shell, (places: readonly Place[]) => string>> = {
  bash: (places) => `# malipo, for bash
_malipo() {
  local word place='' words=''
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$place $word" in
      ${known(places).join('|')}) place="$place $word" ;;
    esac
  done
  case "$place" in
${places.map(({ path, words }) => `    ${quoted(path)}) words=${quoted(words.map(({ word }) => word).join(' '))} ;;`).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _malipo malipo`,

  zsh: (places) => `#compdef malipo
_malipo() {
  local word place='' found=()
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$place $word" in
      (${known(places).join('|')}) place="$place $word" ;;
    esac
  done
  case "$place" in
${places.map(({ path, words }) => `    (${quoted(path)}) found=(${words.map(({ word, about }) => quoted(`${word}:${about}`)).join(' ')}) ;;`).join('\n')}
  esac
  _describe malipo found || _files
}
compdef _malipo malipo`,

  fish: (places) => `# malipo, for fish
function __malipo_place
  set -l place ''
  for word in (commandline -opc)[2..-1]
    contains -- "$place $word" ${known(places).join(' ')}; and set place "$place $word"
  end
  test "$place" = "$argv[1]"
end
${places.flatMap(({ path, words }) => words.map((each) => fishLine(path, each))).join('\n')}`,
}

function fishLine(path: string, { word, about }: Place['words'][number]): string {
  const what = word.startsWith('--') ? `-l ${word.slice(2)}` : `-f -a ${word}`
  return `complete -c malipo -n ${quoted(`__malipo_place '${path}'`)} ${what} -d ${quoted(about)}`
}
