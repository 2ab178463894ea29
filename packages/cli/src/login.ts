import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { CliError } from './cli-error.ts'
import { named, openMalipo } from './client.ts'
import type { CommandContext } from './command-context.ts'
import { guide } from './guide.ts'
import { origin, originIn } from './options.ts'
import {
  environmentOf,
  fromVariables,
  keepProfile,
  type Profile,
  readProfiles,
  usualName,
  variableNames,
} from './profiles.ts'
import type { CliEnvironment } from './surroundings.ts'

interface LoginOptions {
  readonly url?: string
  readonly publicKey?: string
  readonly apiKeyFile?: string
  readonly forget?: true
}

export function addLoginCommands(program: Command, context: CommandContext, around: CliEnvironment): void {
  const nameOf = () => program.opts<{ profile?: string }>().profile ?? usualName(around)
  guide(
    program
      .command('login')
      .summary('check a key pair and keep it as a profile')
      .description('check a key pair and keep it as a profile on this machine')
      .option('--url <url>', `where Malipo is; ${variableNames.url} when left out`, origin)
      .option('--public-key <key>', `pk_…; ${variableNames.publicKey} when left out`)
      .option('--api-key-file <file>', `a file with the API key; ${variableNames.apiKey} when left out`)
      .option('--forget', 'forget the profile'),
    {
      note: `What is given in none of these ways is asked for. The API key is never printed, and not taken as an argument, since those stay in
the shell's history. Profiles are kept in ~/.config/malipo/profiles.json, which only you may read.`,
      examples: [
        'malipo login --url http://127.0.0.1:8080',
        'malipo login --profile shop --public-key pk_test_… --api-key-file key.txt',
      ],
    },
  ).action(async (options: LoginOptions) => {
    const name = nameOf()
    if (options.forget) return forget(context, around, name)
    const profile = await complete(await given(options, around), around)
    const who = await check(profile)
    const path = keepProfile(around, name, profile)
    const facts = { profile: name, url: profile.url, env: environmentOf(profile.publicKey), ...who, path }
    context.say(facts, ({ paint }) =>
      [
        `${paint('green', 'Logged in')} to ${facts.env} at ${profile.url} as ${who.firstName} ${who.lastName}, ${who.email}.`,
        `Kept as the profile ${name} in ${path}.`,
        'Next: malipo whoami',
      ].join('\n'),
    )
  })
}

function forget(context: CommandContext, around: CliEnvironment, name: string): void {
  if (!readProfiles(around)[name]) throw new CliError('usage', `There is no profile ${name}.`)
  keepProfile(around, name, undefined)
  context.say({ profile: name, forgotten: true }, () => `Forgot the profile ${name}. The key pair itself still works.`)
}

async function given({ url, publicKey, apiKeyFile }: LoginOptions, around: CliEnvironment): Promise<Partial<Profile>> {
  const apiKey = apiKeyFile === undefined ? undefined : await keyIn(apiKeyFile)
  return { ...fromVariables(around), ...(url && { url }), ...(publicKey && { publicKey }), ...(apiKey && { apiKey }) }
}

async function keyIn(file: string): Promise<string> {
  try {
    return (await readFile(file, 'utf8')).trim()
  } catch (error) {
    throw new CliError('usage', `${file} cannot be read: ${(error as Error).message}`)
  }
}

const questions = {
  url: { text: 'Where is Malipo? (http://127.0.0.1:8080) ', fallback: 'http://127.0.0.1:8080', isSecret: false },
  publicKey: { text: 'Public key, pk_…: ', fallback: '', isSecret: false },
  apiKey: { text: 'API key, sk_… (not shown): ', fallback: '', isSecret: true },
} as const satisfies Record<keyof Profile, unknown>

/** Asks a person for each missing field; without a person, throws an error that names it. */
async function complete(known: Partial<Profile>, { ask }: CliEnvironment): Promise<Profile> {
  const found: Partial<Record<keyof Profile, string>> = { ...known }
  for (const key of Object.keys(questions) as (keyof Profile)[]) {
    if (found[key]) continue
    const { text, fallback, isSecret } = questions[key]
    if (!ask)
      throw new CliError(
        'usage',
        `${variableNames[key]} is not set, and nobody is here to be asked. See malipo login --help.`,
      )
    found[key] = (await ask(text, { isSecret })).trim() || fallback
  }
  const { url = '', publicKey = '', apiKey = '' } = found
  const isPair = /^pk_(test|live)_\w+$/.test(publicKey) && /^sk_(test|live)_\w+$/.test(apiKey)
  if (!isPair)
    throw new CliError('usage', 'A public key begins with pk_test_ or pk_live_, an API key with sk_test_ or sk_live_.')
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
    throw named(error, access)
  }
}
