import type { Command } from 'commander'
import type { Desk } from './desk.ts'
import { guide } from './guide.ts'
import { minute } from './time.ts'

/** What the engineer who deploys needs: the schema brought up to date. */
export function addDatabaseCommands(program: Command, desk: Desk): void {
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
  ).action(({ status }: { status?: true }) => (status ? tellStatus(desk) : migrate(desk)))
}

async function migrate(desk: Desk): Promise<void> {
  const migrated = await desk.operate((operator) => operator.database.migrate())
  const { applied, epoch } = migrated
  const moved = `Started epoch ${epoch}: the database was restored from another cluster.`
  desk.say(migrated, () =>
    [
      applied.length === 0 ? 'Up to date.' : `Applied ${applied.join(', ')}.`,
      ...(epoch === undefined ? [] : [moved]),
    ].join('\n'),
  )
}

async function tellStatus(desk: Desk): Promise<void> {
  const states = await desk.operate((operator) => operator.database.status())
  desk.say(states, ({ table }) =>
    table(states, {
      MIGRATION: ({ name }) => name,
      APPLIED: ({ applied_at }) => (applied_at ? minute(applied_at.toISOString()) : 'not yet'),
    }),
  )
}
