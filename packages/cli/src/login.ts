import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import type { CliEnvironment } from './cli-environment.ts'
import { CliError } from './cli-error.ts'
import { connectionError, openMalipo } from './client.ts'
import type { CommandContext } from './command-context.ts'
import { guide } from './guide.ts'
import { savedSession } from './operator-access.ts'
import { loginOperator, logoutOperator } from './operator-login.ts'
import { origin, originIn } from './options.ts'
import {
  currentProfileName,
  environmentOf,
  findUrl,
  fromVariables,
  ownProfile,
  type Profile,
  readProfiles,
  saveProfile,
  variableNames,
} from './profiles.ts'

interface LoginOptions {
  readonly url?: string
  readonly publicKey?: string
  readonly apiKeyFile?: string
  readonly forget?: true
  readonly operator?: true
}

export function addLoginCommands(program: Command, context: CommandContext, cli: CliEnvironment): void {
  const named = () => program.opts<{ profile?: string }>().profile
  guide(
    program
      .command('login')
      .description('Check a key pair, or sign in as operator staff, and save it as a profile on this machine.')
      .option('--url <url>', `URL of Malipo; default: ${variableNames.url}`, origin)
      .option('--public-key <key>', `pk_…; default: ${variableNames.publicKey}`)
      .option('--api-key-file <file>', `file with the API key; default: ${variableNames.apiKey}`)
      .option('--operator', 'sign in as operator staff: approve a code in the browser')
      .option('--forget', 'delete the profile and end its staff session; with --operator only that session'),
    {
      note: `Missing values are asked for. The API key is never printed and never an argument, since arguments stay in the shell's history.
Profiles are stored in ~/.config/malipo/profiles.json, which only you can read. With --operator you approve a code in the
browser; the session lasts 12 hours and is in operators.json beside it.`,
      examples: [
        'malipo login --url http://127.0.0.1:8080',
        'malipo login --profile shop --public-key pk_test_… --api-key-file key.txt',
      ],
    },
  ).action(async (options: LoginOptions) => {
    const name = named() ?? currentProfileName(cli)
    if (options.forget) return forget(context, cli, name, options)
    if (options.operator) return loginOperator(context, cli, { name, url: options.url ?? operatorUrl(cli, named()) })
    const profile = await completeProfile(await fromOptions(options, cli), cli)
    const who = await check(profile)
    const path = saveProfile(cli, name, profile)
    const facts = { profile: name, url: profile.url, env: environmentOf(profile.publicKey), ...who, path }
    context.print(facts, ({ paint }) =>
      [
        `${paint('green', 'Logged in')} to ${facts.env} at ${profile.url} as ${who.firstName} ${who.lastName}, ${who.email}.`,
        `Saved as profile ${name} in ${path}.`,
        'Next: malipo whoami',
      ].join('\n'),
    )
  })
}

/** A second login without a URL goes where the first one went. */
function operatorUrl(cli: CliEnvironment, named: string | undefined): string {
  const isConfigured = named === undefined && fromVariables(cli).url !== undefined
  const name = named ?? currentProfileName(cli)
  const saved = isConfigured ? undefined : (savedSession(cli, name) ?? ownProfile(readProfiles(cli), name))
  return saved?.url ?? findUrl(cli, undefined)
}

async function forget(context: CommandContext, cli: CliEnvironment, name: string, { operator }: LoginOptions) {
  const session = await logoutOperator(cli, name)
  const hasKeys = !operator && ownProfile(readProfiles(cli), name) !== undefined
  if (!(session || hasKeys))
    throw new CliError('usage', `Profile ${name} does not exist${operator ? ' for staff' : ''}.`)
  if (hasKeys) saveProfile(cli, name, undefined)
  const ended = session?.isEnded
    ? 'The staff session is ended.'
    : 'The staff session could not be ended at the server; it ends by itself 12 hours after the login.'
  context.print({ profile: name, deleted: true, ...(session && { session }) }, () =>
    [
      `Deleted profile ${name}.`,
      ...(hasKeys ? ['The key pair itself still works.'] : []),
      ...(session ? [ended] : []),
    ].join(' '),
  )
}

async function fromOptions(
  { url, publicKey, apiKeyFile }: LoginOptions,
  cli: CliEnvironment,
): Promise<Partial<Profile>> {
  const apiKey = apiKeyFile === undefined ? undefined : await keyIn(apiKeyFile)
  return { ...fromVariables(cli), ...(url && { url }), ...(publicKey && { publicKey }), ...(apiKey && { apiKey }) }
}

async function keyIn(file: string): Promise<string> {
  try {
    return (await readFile(file, 'utf8')).trim()
  } catch (error) {
    throw new CliError('usage', `${file} cannot be read: ${(error as Error).message}`)
  }
}

const questions = {
  url: { text: 'URL of Malipo (http://127.0.0.1:8080): ', fallback: 'http://127.0.0.1:8080', isSecret: false },
  publicKey: { text: 'Public key, pk_…: ', fallback: '', isSecret: false },
  apiKey: { text: 'API key, sk_… (not shown): ', fallback: '', isSecret: true },
} as const satisfies Record<keyof Profile, unknown>

/** Asks a person for each missing field; without a person, throws an error that names it. */
async function completeProfile(known: Partial<Profile>, { ask }: CliEnvironment): Promise<Profile> {
  const found: Partial<Record<keyof Profile, string>> = { ...known }
  for (const key of Object.keys(questions) as (keyof Profile)[]) {
    if (found[key]) continue
    const { text, fallback, isSecret } = questions[key]
    if (!ask)
      throw new CliError(
        'usage',
        `${variableNames[key]} is not set, and no terminal is available to ask for it. See malipo login --help.`,
      )
    found[key] = (await ask(text, { isSecret })).trim() || fallback
  }
  const { url = '', publicKey = '', apiKey = '' } = found
  const isPair = /^pk_(test|live)_\w+$/.test(publicKey) && /^sk_(test|live)_\w+$/.test(apiKey)
  if (!isPair)
    throw new CliError(
      'usage',
      'Invalid key pair: a public key starts with pk_test_ or pk_live_, an API key with sk_test_ or sk_live_.',
    )
  const place = originIn(url)
  if (place === undefined)
    throw new CliError('usage', `${url} must be a URL without a path, such as http://127.0.0.1:8080.`)
  return { url: place, publicKey, apiKey }
}

async function check(profile: Profile) {
  const access = { ...profile, source: 'login', env: environmentOf(profile.publicKey) } as const
  try {
    const { firstName, lastName, email } = await openMalipo(access).account.me()
    return { firstName, lastName, email }
  } catch (error) {
    throw connectionError(error, access)
  }
}
