/** What an option or argument takes: these words, or the saved profiles. Without words it takes free text or a file. */
export type Values = readonly string[] | 'profiles'

interface Word {
  readonly word: string
  readonly about: string
}

/** The words that can follow `path`, the commands typed so far: ` keys create`, with a blank before each. */
export interface Place {
  readonly path: string
  readonly commands: readonly Word[]
  /** An option without `values` takes none. */
  readonly options: readonly (Word & { readonly values?: Values })[]
  readonly arguments: readonly Values[]
}

export type Shell = 'bash' | 'zsh' | 'fish'

/** The saved profiles, one per line: the first column of the list, without its heading. */
const profilesCommand = 'malipo profiles list 2>/dev/null | tail -n +2 | cut -f 1'

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

/** The words typed so far that lead to another place. */
const known = (places: readonly Place[]) => places.slice(1).map(({ path }) => quoted(path))

/** A place and an option of it that takes a value. */
const valued = (places: readonly Place[]) =>
  places.flatMap(({ path, options }) =>
    options.flatMap(({ word, values }) => (values ? [quoted(`${path} ${word}`)] : [])),
  )

interface Completed {
  readonly at: string
  readonly values: Values
}

const isCompleted = ({ values }: Completed) => values.length > 0

/** The values of each option, by place and option. */
const ofOptions = (places: readonly Place[]): Completed[] =>
  places
    .flatMap(({ path, options }) => options.map(({ word, values = [] }) => ({ at: `${path} ${word}`, values })))
    .filter(isCompleted)

/** The values of each argument, by place and position. */
const ofArguments = (places: readonly Place[]): Completed[] =>
  places
    .flatMap(({ path, arguments: all }) => all.map((values, position) => ({ at: `${path} ${position}`, values })))
    .filter(isCompleted)

/** Branches of a `case`: those with the same result share one. */
function branches(all: readonly Completed[], branch: (patterns: string, values: Values) => string): string {
  const groups = Map.groupBy(all, ({ values }) => (values === 'profiles' ? values : values.join('\n')))
  return [...groups.values()]
    .map((same) => `      ${branch(same.map(({ at }) => quoted(at)).join('|'), same[0]?.values ?? [])} ;;`)
    .join('\n')
}

/** Words are compared by the shell and never expanded: a profile may have any name. */
const bashLines = (values: Values) =>
  values === 'profiles' ? `"$(${profilesCommand})"` : values.map(quoted).join(`$'\\n'`)

const zshWords = (values: Values) =>
  values === 'profiles' ? `(\${(f)"$(${profilesCommand})"})` : `(${values.map(quoted).join(' ')})`

/** Quoted only if necessary: most lines have such a list inside another pair of quotes. */
const fishWords = (values: Values) =>
  values === 'profiles'
    ? `(${profilesCommand})`
    : values.map((word) => (/^[\w.-]+$/.test(word) ? word : quoted(word))).join(' ')

export const scripts: Readonly<Record<Shell, (places: readonly Place[]) => string>> = {
  bash: (places) => `# malipo, for bash
_malipo() {
  local word quoted place='' option='' position=0 words='' current="\${COMP_WORDS[COMP_CWORD]}"
  [[ $current == = ]] && current=''
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    [[ $word == = ]] && continue
    if [[ -n $option ]]; then option=''; continue; fi
    case "$place $word" in
      ${known(places).join('|')}) place="$place $word"; position=0 ;;
      ${valued(places).join('|')}) option="$word" ;;
      *) [[ $word == -* ]] || position=$((position + 1)) ;;
    esac
  done
  if [[ -n $option ]]; then
    case "$place $option" in
${branches(ofOptions(places), (patterns, values) => `${patterns}) words=${bashLines(values)}`)}
    esac
  else
    case "$place $position" in
${branches(ofArguments(places), (patterns, values) => `${patterns}) words=${bashLines(values)}$'\\n'`)}
    esac
    case "$place" in
${places.map((place) => `      ${quoted(place.path)}) words+=${bashLines(wordsOf(place))} ;;`).join('\n')}
    esac
  fi
  COMPREPLY=()
  while IFS= read -r word; do
    printf -v quoted %q "$word"
    [[ -n $word && $quoted == "$current"* ]] && COMPREPLY+=("$quoted")
  done <<< "$words"
}
complete -o default -F _malipo malipo`,

  zsh: (places) => `#compdef malipo
_malipo() {
  local word place='' option='' position=0 result=1
  local -a found values
  for word in "\${(@)words[2,CURRENT-1]}"; do
    if [[ -n $option ]]; then option=''; continue; fi
    case "$place $word" in
      (${known(places).join('|')}) place="$place $word"; position=0 ;;
      (${valued(places).join('|')}) option="$word" ;;
      (*) [[ $word == -* ]] || position=$((position + 1)) ;;
    esac
  done
  if [[ -z $option && $words[CURRENT] == --*=* ]]; then
    option="\${words[CURRENT]%%=*}"
    compset -P '*='
  fi
  if [[ -n $option ]]; then
    case "$place $option" in
${branches(ofOptions(places), (patterns, values) => `(${patterns}) values=${zshWords(values)}`)}
    esac
  else
    case "$place $position" in
${branches(ofArguments(places), (patterns, values) => `(${patterns}) values=${zshWords(values)}`)}
    esac
    case "$place" in
${places.map(({ path, commands, options }) => `      (${quoted(path)}) found=(${[...commands, ...options].map(({ word, about }) => quoted(`${word}:${about}`)).join(' ')}) ;;`).join('\n')}
    esac
  fi
  (( $#values )) && compadd -- "\${values[@]}" && result=0
  (( $#found )) && _describe malipo found && result=0
  (( result )) && _files
}
compdef _malipo malipo`,

  fish: (places) => `# malipo, for fish
function __malipo_at
  set -l place ''
  set -l option ''
  set -l position 0
  for word in (commandline -opc)[2..-1]
    if test -n "$option"
      set option ''
    else if contains -- "$place $word" ${known(places).join(' ')}
      set place "$place $word"
      set position 0
    else if contains -- "$place $word" ${valued(places).join(' ')}
      set option $word
    else if not string match -q -- '-*' $word
      set position (math $position + 1)
    end
  end
  contains -- "$argv" "$place" "$place $position"
end
${places.flatMap(fishLines).join('\n')}`,
}

const wordsOf = ({ commands, options }: Place) => [...commands, ...options].map(({ word }) => word)

function fishLines({ path, commands, options, arguments: all }: Place): string[] {
  const line = (at: string, rest: string) => `complete -c malipo -n ${quoted(`__malipo_at ${quoted(at)}`)} ${rest}`
  return [
    ...commands.map(({ word, about }) => line(path, `-f -a ${word} -d ${quoted(about)}`)),
    ...options.map(({ word, about, values }) =>
      line(path, `-l ${word.slice(2)}${values ? fishValues(values) : ''} -d ${quoted(about)}`),
    ),
    ...all.flatMap((values, position) =>
      values.length > 0 ? [line(`${path} ${position}`, `-f -a ${quoted(fishWords(values))}`)] : [],
    ),
  ]
}

const fishValues = (values: Values) => (values.length > 0 ? ` -x -a ${quoted(fishWords(values))}` : ' -r')
