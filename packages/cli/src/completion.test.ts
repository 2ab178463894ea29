import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { currencies } from '../../server/src/money/currencies.ts'
import { loadReferenceData } from '../../server/src/reference/data.ts'
import { scenarios } from '../../server/src/scenarios/catalogue.ts'
import { commandsOf, pathOf } from './guide.ts'
import { buildProgram } from './program.ts'
import { commandLine } from './testing/command-line.ts'

const scriptOf = async (shell: string) => (await commandLine({})('completion', shell)).out

/** The completions that one real bash offers for each list of words; the last word is incomplete. */
async function offeredFor(lines: readonly (readonly string[])[], home = tmpdir()): Promise<string[][]> {
  const typed = (words: readonly string[]) => words.map((word) => `'${word}'`).join(' ')
  const asked = lines.map(
    (words) => `COMP_WORDS=(malipo ${typed(words)}); COMP_CWORD=${words.length}; _malipo
printf '%s\\n' "\${COMPREPLY[@]}" ---`,
  )
  const malipo = `malipo() { '${process.execPath}' '${join(import.meta.dirname, 'main.ts')}' "$@"; }`
  const script = [malipo, await scriptOf('bash'), ...asked].join('\n')
  const out = execFileSync('bash', ['-s'], { input: script, encoding: 'utf8', env: { HOME: home }, cwd: tmpdir() })
  return out
    .split('---\n')
    .slice(0, -1)
    .map((part) => part.trim().split('\n'))
}

const offered = async (...words: string[]) => (await offeredFor([words]))[0]

test('bash completes commands, subcommands and options', async () => {
  assert.deepEqual(await offered('tran'), ['transactions'])
  assert.deepEqual(await offered('webhooks', 're'), ['resend'])
  assert.deepEqual(await offered('charge', 'momo', '--ph'), ['--phone'])
  assert.deepEqual(await offered('--json', 'keys', 'cr'), ['create'])
  assert.deepEqual(await offered('charge', 'momo', '--phone', '+254', '--pro'), ['--profile'])
  assert.deepEqual(await offered('nothing-like-it'), [''])
})

test('bash completes the values of options and arguments, and nothing after an option with free text', async () => {
  const momo = ['charge', 'momo']
  const lines: [string[], string[]][] = [
    [
      ['transactions', 'list', '--status', ''],
      ['pending', 'successful', 'failed'],
    ],
    [['transactions', '--status', 'f'], ['failed']],
    [['transactions', '--status', '=', 'f'], ['failed']],
    [
      ['transactions', '--type', '='],
      ['charge', 'payout'],
    ],
    [['webhooks', '--status', 'S'], ['SUCCESS']],
    [
      ['keys', 'create', 'mer_1', '--env', ''],
      ['sandbox', 'live'],
    ],
    [[...momo, '--currency', 'KE'], ['KES']],
    [[...momo, '--wallet-currency', 'UG'], ['UGX']],
    [['pay', '--debit-country', 'KE'], ['KE']],
    [[...momo, '--operator', 'MPESA_K'], ['MPESA_KE']],
    [[...momo, '--scenario', 'lost'], ['lost-answer']],
    [['faults', 'set', 'order-1', 'lost'], ['lost-answer']],
    [['faults', 'set', '--json', 'order-1', 'lost'], ['lost-answer']],
    [['faults', 'set', 'lost'], ['']],
    [
      ['trigger', 'payout.'],
      ['payout.pending', 'payout.successful', 'payout.failed'],
    ],
    [['trigger', 'payout.failed', 'payout.'], ['']],
    [['pay', '--destination', 'Bank'], ['Bank\\ Account']],
    [[...momo, '--phone', '--js'], ['']],
    // The value of an option is not a command.
    [['--profile', 'keys', 'cr'], ['']],
    [['--profile', 'keys', 'keys', 'cr'], ['create']],
    [['--break-glass', 'keys', 'cr'], ['create']],
  ]

  const found = await offeredFor(lines.map(([words]) => words))

  assert.deepEqual(
    lines.map(([words], index) => [words, found[index]]),
    lines,
  )
})

test('every choice of every option and argument completes in bash', async () => {
  const nowhere = { variables: {}, actor: 'wanjiru', write: () => undefined, writeError: () => undefined }
  const wanted = commandsOf(buildProgram(nowhere)).flatMap((command) => {
    const path = pathOf(command).split(' ').slice(1)
    const ofOptions = command.options.map(({ long, argChoices }) => ({ words: [...path, long ?? '', ''], argChoices }))
    const ofArguments = command.registeredArguments.map(({ argChoices }, position) => ({
      words: [...path, ...Array.from({ length: position }, () => 'x'), ''],
      argChoices,
    }))
    return [...ofOptions, ...ofArguments].filter(({ argChoices }) => argChoices !== undefined)
  })

  const found = await offeredFor(wanted.map(({ words }) => words))

  assert.ok(wanted.length >= 15, `${wanted.length} options and arguments with choices`)
  for (const [index, { words, argChoices = [] }] of wanted.entries())
    for (const choice of argChoices)
      assert.ok(found[index]?.includes(choice.replaceAll(' ', '\\ ')), `${words.join(' ')}${choice}`)
})

test('currencies, operators, countries and scenarios complete as the server knows them', async () => {
  const { operators, countries } = loadReferenceData()
  const found = await offeredFor([
    ['charge', 'momo', '--currency', ''],
    ['charge', 'momo', '--operator', ''],
    ['pay', '--country', ''],
    ['charge', 'momo', '--scenario', ''],
  ])

  const known = [Object.keys(currencies), [...operators.keys()], [...countries.keys()], Object.keys(scenarios)]
  assert.deepEqual(found, known)
})

function homeWithProfiles(t: TestContext, text: string): string {
  const home = mkdtempSync(join(tmpdir(), 'malipo-completion-'))
  t.after(() => rmSync(home, { recursive: true }))
  mkdirSync(join(home, '.config/malipo'), { recursive: true })
  writeFileSync(join(home, '.config/malipo/profiles.json'), text, { mode: 0o600 })
  return home
}

test('saved profiles complete after --profile, and a profile name is never run', async (t) => {
  const pair = { url: 'http://127.0.0.1:4', publicKey: 'pk_test_1', apiKey: 'sk_test_1' }
  const names = ['shop', 'shop-live', 'two words', '$(echo run)']
  const profiles = Object.fromEntries(names.map((name) => [name, pair]))
  const home = homeWithProfiles(t, JSON.stringify({ profiles }))

  const found = await offeredFor(
    [
      ['--profile', ''],
      ['balance', '--profile', 'shop-'],
    ],
    home,
  )
  const broken = await offeredFor([['--profile', '']], homeWithProfiles(t, '{'))

  assert.deepEqual(found, [['shop', 'shop-live', 'two\\ words', '\\$\\(echo\\ run\\)'], ['shop-live']])
  assert.deepEqual(broken, [['']])
})

/** Throws unless the quotes of a fish script are closed and each block has its end. */
function checkFish(script: string): void {
  const bare = script.replaceAll(/^#.*$/gm, '').replaceAll(/'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|\\./g, '_')
  const count = (pattern: RegExp) => bare.match(pattern)?.length ?? 0
  assert.equal(count(/['"]/g), 0, 'a quote is not closed')
  assert.equal(count(/^\s*(function|for|if|begin|while)\b/gm), count(/^\s*end$/gm), 'a block is not closed')
  assert.equal(count(/\(/g), count(/\)/g), 'a bracket is not closed')
}

test('the scripts for zsh and fish parse', async () => {
  const [zsh, fish] = [await scriptOf('zsh'), await scriptOf('fish')]
  // zsh and bash share the grammar that this script uses.
  const parse = (input: string) => execFileSync('bash', ['-n'], { input, stdio: ['pipe', 'pipe', 'pipe'] })

  parse(zsh)
  checkFish(fish)

  assert.throws(() => parse(zsh.replace('esac', '')), /syntax error/)
  assert.throws(() => checkFish(fish.replace(/^end$/m, '')), /a block is not closed/)
  assert.throws(() => checkFish(`${fish}'`), /a quote is not closed/)
})

test('the scripts for zsh and fish know every command, option and value', async () => {
  const [zsh, fish] = [await scriptOf('zsh'), await scriptOf('fish')]

  for (const word of [' charge momo', 'conformance', 'junit', 'MPESA_KE', 'malipo profiles list'])
    for (const script of [zsh, fish]) assert.ok(script.includes(word), word)
  assert.match(zsh, /' transactions list --status'[^)]*\) values=\('pending' 'successful' 'failed'\) ;;/)
  assert.match(zsh, /\(' trigger 0'\) values=\('charge\.pending' /)
  assert.match(zsh, /--profile'\) values=\(\$\{\(f\)"\$\(malipo profiles list /)
  const lineOf = (at: string, rest: string) => `complete -c malipo -n '__malipo_at '\\''${at}'\\''' ${rest}`
  assert.ok(fish.includes(lineOf(' transactions list', `-l status -x -a 'pending successful failed' -d `)))
  assert.ok(fish.includes(lineOf(' faults set 1', `-f -a 'lost-answer late-callback `)))
  assert.ok(fish.includes(lineOf(' charge momo', '-l phone -r -d ')))
  assert.ok(fish.includes(`-l profile -x -a '(malipo profiles list 2>/dev/null | `))
})
