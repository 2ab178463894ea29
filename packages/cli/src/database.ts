import type { Command } from 'commander'
import type { CommandContext } from './command-context.ts'
import { guide } from './guide.ts'
import { minute } from './time.ts'

/** For the engineer who deploys: brings the schema up to date. */
export function addDatabaseCommands(program: Command, context: CommandContext): void {
  guide(
    program
      .command('migrate')
      .summary('bring the database up to this version')
      .description('bring the database up to this version; running it twice does no harm')
      .option('--status', 'only tell what is applied'),
    {
      note: 'Uses DATABASE_OWNER_URL when it is set, else DATABASE_URL.',
      examples: ['malipo migrate', 'malipo migrate --status'],
    },
  ).action(({ status }: { status?: true }) => (status ? showStatus(context) : migrate(context)))
}

async function migrate(context: CommandContext): Promise<void> {
  const migrated = await context.operate((operator) => operator.database.migrate())
  const { applied, epoch } = migrated
  const moved = `Started epoch ${epoch}: the database was restored from another cluster.`
  context.say(migrated, () =>
    [
      applied.length === 0 ? 'Up to date.' : `Applied ${applied.join(', ')}.`,
      ...(epoch === undefined ? [] : [moved]),
    ].join('\n'),
  )
}

async function showStatus(context: CommandContext): Promise<void> {
  const states = await context.operate((operator) => operator.database.status())
  context.say(states, ({ table }) =>
    table(states, {
      MIGRATION: ({ name }) => name,
      APPLIED: ({ applied_at }) => (applied_at ? minute(applied_at.toISOString()) : 'not yet'),
    }),
  )
}
