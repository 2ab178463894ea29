import type { Operator } from '@malipo/server/operate'
import type { Command } from 'commander'
import type { CliEnvironment } from './cli-environment.ts'
import type { CommandContext } from './command-context.ts'
import { guide } from './guide.ts'
import { createProgressLine } from './progress.ts'
import { minute } from './time.ts'

/** Creates keys for the configuration and replaces old ones. */
export function addSecretCommands(program: Command, context: CommandContext, cli: CliEnvironment): void {
  const secrets = program.command('secrets').description('Make and replace the keys in the settings.')

  guide(
    secrets
      .command('make', { isDefault: true })
      .description('Generate MALIPO_TOKEN_KEYS and MALIPO_SECRET_KEYS; nothing is stored (default command).'),
    { examples: ['malipo secrets make', 'malipo secrets make --json'] },
  ).action(async () => {
    const made = (await context.server()).makeSecrets(new Date())
    const lines = Object.entries(made).map(([name, value]) => `${name}=${value}`)
    context.print(made, () => lines.join('\n'))
  })

  guide(
    secrets.command('list').description('List secret keys, the values under each, and which keys can be removed.'),
    {
      note: 'Reads every sealed value once, piece by piece.',
      examples: ['malipo secrets list', 'malipo secrets list --json'],
    },
  ).action(async () => {
    const keys = await context.maintain((installation) => installation.secrets.list())
    context.print(keys, (format) => format.table(keys, columns))
  })

  guide(
    secrets.command('reseal').description('Move every sealed value to the first secret key while the service runs.'),
    {
      note: `Run it once every process has the new key as its first. Interrupted, run it again: it continues with what is left.
API keys move when they are next exchanged for a token.`,
      examples: ['malipo secrets reseal', 'malipo secrets reseal --json'],
    },
  ).action(async () => {
    const progress = createProgressLine(cli)
    const onPiece = ({ column, read, moved }: Piece) => progress.say(`${column}: ${read} read, ${moved} moved`)
    const resealed = await context.maintain((installation) => installation.secrets.reseal({ onPiece }))
    progress.end()
    context.print(resealed, (format) => `${sentences(resealed)}\n\n${format.table(resealed.keys, columns)}`)
  })
}

type Piece = Parameters<NonNullable<NonNullable<Parameters<Operator['secrets']['reseal']>[0]>['onPiece']>>[0]
type Resealed = Awaited<ReturnType<Operator['secrets']['reseal']>>
type KeyView = Resealed['keys'][number]

const sum = (counts: Readonly<Record<string, number>>) =>
  Object.values(counts).reduce((total, count) => total + count, 0)
const listed = (counts: Readonly<Record<string, number>>) =>
  Object.entries(counts)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ')

function sentences({ key, moved, left }: Resealed): string {
  const done = `Moved ${sum(moved)} values to ${key}.`
  return sum(left) === 0 ? done : `${done} Left: ${listed(left)}. Run it again; what stays cannot be opened.`
}

const columns = {
  KEY: ({ key }: KeyView) => key,
  VALUES: ({ values }: KeyView) => listed(values) || 'none',
  STATUS: statusOf,
}

function statusOf({ isNewest, isConfigured, isRemovable, isWrittenWith, values, neededUntil }: KeyView): string {
  const isUsed = Object.keys(values).length > 0
  if (isNewest) return 'writes'
  if (isUsed) return isConfigured ? 'needed' : 'needed, but not configured'
  if (isWrittenWith) return 'a process wrote with it in the last half hour'
  if (isRemovable) return isConfigured ? 'may be removed' : 'removed'
  return `may be removed after ${minute(neededUntil)}: idempotency keys`
}
