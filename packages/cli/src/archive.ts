import type { Operator } from '@malipo/server/operate'
import { type Command, InvalidArgumentError } from 'commander'
import type { CliEnvironment } from './cli-environment.ts'
import type { CommandContext } from './command-context.ts'
import { guide } from './guide.ts'
import { whole } from './options.ts'
import { createProgressLine } from './progress.ts'
import { minute } from './time.ts'

/** Moves the transfers of old months to files, and reads them there. */
export function addArchiveCommands(program: Command, context: CommandContext, cli: CliEnvironment): void {
  const archive = program.command('archive').description('Move the ledger entries of old months to files.')
  addCreate(archive, context, cli)
  addList(archive, context)
  addRead(archive, context)
  addRestore(archive, context)
}

function month(text: string): string {
  if (!/^20\d{2}-(0[1-9]|1[0-2])$/.test(text)) throw new InvalidArgumentError('It must be a month such as 2025-02.')
  return text
}

function addCreate(archive: Command, context: CommandContext, cli: CliEnvironment): void {
  guide(
    archive
      .command('create')
      .description('Move the ledger entries of months to compressed files; safe to repeat.')
      .requiredOption('--before <month>', 'months before this one, such as 2025-02', month)
      .requiredOption('--to <folder>', 'the folder of the files')
      .option('--keep-months <count>', 'keep this many whole months after the end of a month', whole(0, 120), 13),
    {
      note: 'Uses DATABASE_OWNER_URL if set, otherwise DATABASE_URL. Entries leave the database only after their file was read back and compared.',
      examples: [
        'malipo archive create --before 2025-02 --to /var/backups/malipo-archive',
        'malipo archive create --before 2025-08 --to /var/backups/malipo-archive --keep-months 6 --json',
      ],
    },
  ).action(async ({ before, to, keepMonths }: { before: string; to: string; keepMonths: number }) => {
    const progress = createProgressLine(cli)
    const created = await context.maintain((installation) =>
      installation.archive.create({
        ...{ before, folder: to, keptMonths: keepMonths },
        onMonth: (done) => progress.say(`${done.month} is done`),
      }),
    )
    progress.end()
    context.print(created, () =>
      created.length === 0 ? `Every month before ${before} is archived.` : created.map(createdLine).join('\n'),
    )
  })
}

type Archived = Awaited<ReturnType<Operator['archive']['list']>>[number]

const createdLine = ({ month: name, transfers, retained, file }: Archived) =>
  file === undefined
    ? `Not archived: ${name}. The database still needs its ${retained} entries: they are not checked, not summed up, or of open payments.`
    : `Archived ${name}: ${transfers} entries in ${file}, ${retained} stay in the database.`

function addList(archive: Command, context: CommandContext): void {
  guide(
    archive
      .command('list', { isDefault: true })
      .description('List archived months (default command).')
      .option('--from <folder>', 'verify the files in this folder'),
    { examples: ['malipo archive list', 'malipo archive list --from /var/backups/malipo-archive'] },
  ).action(async ({ from }: { from?: string }) => {
    const months = await context.maintain((installation) =>
      installation.archive.list(from === undefined ? {} : { folder: from }),
    )
    context.print(months, ({ table }) =>
      months.length === 0
        ? 'No month is archived.'
        : table(months, {
            MONTH: ({ month: name }) => name,
            ENTRIES: ({ transfers }) => String(transfers),
            'IN THE DATABASE': ({ retained }) => String(retained),
            ARCHIVED: ({ archivedAt }) => (archivedAt === undefined ? '' : minute(archivedAt)),
            FILE: ({ file, status }) => [file, status].filter(Boolean).join(', '),
          }),
    )
  })
}

type Pages = ReturnType<Operator['archive']['entries']>
type Entry = (Pages extends AsyncGenerator<infer Page> ? Page : never) extends readonly (infer Each)[] ? Each : never

function addRead(archive: Command, context: CommandContext): void {
  guide(
    archive
      .command('read')
      .description('Show the ledger entries of one transaction or account, with the archived ones.')
      .argument('<id>', 'txn_… or acc_…')
      .requiredOption('--from <folder>', 'the folder of the files'),
    {
      note: 'A transaction is shown as by malipo ledger show. The entries of an account are its posted ones, newest first.',
      examples: [
        'malipo archive read txn_0193… --from /var/backups/malipo-archive',
        'malipo archive read acc_0193… --from /var/backups/malipo-archive',
      ],
    },
  ).action(async (id: string, { from }: { from: string }) => {
    if (id.startsWith('acc_'))
      return context.maintain(async (installation) => {
        for await (const page of installation.archive.entries(id, from))
          for (const entry of page) context.printItem(entry, () => entryLine(entry))
      })
    const drawing = await context.maintain((installation) => installation.archive.show(id, from))
    context.print({ transaction: id, drawing }, () => drawing)
  })
}

function addRestore(archive: Command, context: CommandContext): void {
  guide(
    archive
      .command('restore')
      .description('Move the ledger entries of an archived month back into the database.')
      .argument('<month>', 'such as 2025-01', month)
      .requiredOption('--from <folder>', 'the folder of the files'),
    {
      note: 'Uses DATABASE_OWNER_URL if set, otherwise DATABASE_URL. The file stays where it is.',
      examples: [
        'malipo archive restore 2025-01 --from /var/backups/malipo-archive',
        'malipo archive restore 2025-01 --from /var/backups/malipo-archive --json',
      ],
    },
  ).action(async (name: string, { from }: { from: string }) => {
    const restored = await context.maintain((installation) => installation.archive.restore(name, from))
    context.print(
      restored,
      () => `Restored ${restored.month}: ${restored.transfers} entries are in the database again.`,
    )
  })
}

const entryLine = ({ at, transactionId = '', event, otherSide, debit = '', credit = '', balance }: Entry) =>
  [at, transactionId, event, otherSide, debit, credit, balance].join('\t')
