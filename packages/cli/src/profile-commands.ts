import type { Command } from 'commander'
import type { CliEnvironment } from './cli-environment.ts'
import type { CommandContext } from './command-context.ts'
import { guide } from './guide.ts'
import { currentProfile, environmentOf, missingFields, readProfiles, readStored } from './profiles.ts'

export function addProfileCommands(program: Command, context: CommandContext, cli: CliEnvironment): void {
  guide(
    program
      .command('profiles')
      .description('Manage the profiles saved by malipo login.')
      .command('list', { isDefault: true })
      .description('List saved profiles and mark the current one (default command).'),
    {
      note: `The current profile is the one that commands use without --profile. None is current while MALIPO_URL, MALIPO_PUBLIC_KEY or
MALIPO_API_KEY is set, or while npm run dev runs in this project. Keys are never printed.`,
      examples: ['malipo profiles', 'malipo profiles list --json'],
    },
  ).action(() => {
    const current = currentProfile(cli, program.opts<{ profile?: string }>().profile)
    const found = Object.entries(readProfiles(cli)).map(([name, { url, publicKey }]) => ({
      name,
      url,
      env: environmentOf(publicKey),
      isCurrent: name === current,
    }))
    context.print(found, ({ table, paint }) =>
      found.length === 0
        ? 'No profiles are saved. Create one: malipo login'
        : table(found, {
            NAME: ({ name }) => name,
            URL: ({ url }) => url,
            ENVIRONMENT: ({ env }) => paint(env === 'live' ? 'red' : 'green', env),
            CURRENT: ({ isCurrent }) => (isCurrent ? 'yes' : ''),
          }),
    )
    reportIncomplete(cli)
  })
}

/** Other commands ignore a profile that lacks a field, so the list explains why it is absent. */
function reportIncomplete(cli: CliEnvironment): void {
  const quiet = { ...cli, writeError: () => undefined }
  for (const [name, profile] of Object.entries(readStored(quiet))) {
    const missing = missingFields(profile)
    if (missing.length > 0)
      cli.writeError(
        `Profile ${name} is incomplete: ${missing.join(', ')} missing. Save it again: malipo login --profile ${name}\n`,
      )
  }
}
