import type { Command } from 'commander'
import type { CommandContext } from './command-context.ts'
import { guide } from './guide.ts'
import { minute } from './time.ts'

/** For the engineer who deploys: brings the schema up to date. */
export function addDatabaseCommands(program: Command, context: CommandContext): void {
  guide(
    program
      .command('migrate')
      .description('Migrate the database to this version; safe to repeat.')
      .option('--status', 'list applied migrations and change nothing'),
    {
      note: 'Uses DATABASE_OWNER_URL if set, otherwise DATABASE_URL.',
      examples: ['malipo migrate', 'malipo migrate --status'],
    },
  ).action(({ status }: { status?: true }) => (status ? showStatus(context) : migrate(context)))
}

async function migrate(context: CommandContext): Promise<void> {
  const migrated = await context.maintain(({ database }) => database.migrate())
  const { applied, epoch } = migrated
  const moved = `Started epoch ${epoch}: the database was restored from another cluster.`
  context.print(migrated, () =>
    [
      applied.length === 0 ? 'Up to date.' : `Applied ${applied.join(', ')}.`,
      ...(epoch === undefined ? [] : [moved]),
    ].join('\n'),
  )
}

async function showStatus(context: CommandContext): Promise<void> {
  const states = await context.maintain(({ database }) => database.status())
  context.print(states, ({ table }) =>
    table(states, {
      MIGRATION: ({ name }) => name,
      APPLIED: ({ applied_at }) => (applied_at ? minute(applied_at.toISOString()) : 'not yet'),
    }),
  )
}
