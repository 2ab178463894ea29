import type { Operator } from '@malipo/server/operate'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { CliError } from './cli-error.ts'
import type { CommandContext } from './command-context.ts'
import { csvLine } from './csv.ts'
import { guide } from './guide.ts'
import { day, type Environment, environment, whole } from './options.ts'
import type { Formatter } from './table.ts'
import { second } from './time.ts'

export function addAuditCommands(program: Command, context: CommandContext): void {
  const audit = program.command('audit').description('List, show, verify and export the audit trail.')
  addList(audit, context)

  guide(audit.command('show').description('Show one entry.').argument('<entry>', 'aud_…'), {
    examples: ['malipo audit show aud_0193…', 'malipo audit show aud_0193… --json'],
  }).action(async (id: string) => {
    const found = await context.operate((operator) => operator.audit.show(id))
    context.print(found, () => screen(found))
  })

  addVerify(audit, context)
  addExport(audit, context)
}

interface FilterOptions {
  readonly actor?: string
  readonly action?: string
  readonly subject?: string
  readonly merchant?: string
  readonly env?: Environment
  readonly result?: 'done' | 'refused'
  readonly from?: Date
  readonly to?: Date
}

/** The filters that list and export share. */
function withFilters(command: Command): Command {
  return command
    .option('--actor <id>', 'only entries of this actor, such as person_…, machine_… or cred_…')
    .option('--action <name>', 'only this action, such as merchant.freeze')
    .option('--subject <id>', 'only entries about this merchant, payment, key or setting')
    .option('--merchant <merchant>', 'only entries of this merchant, mer_…')
    .addOption(environment('only entries of this environment'))
    .addOption(
      new Option('--result <result>', 'only what was done, or only what was refused').choices(['done', 'refused']),
    )
    .option('--from <time>', 'from this time, such as 2026-11-15 or 2026-11-15T08:00Z', time)
    .option('--to <time>', 'before this time', time)
}

const timeForm = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/

/** A day starts at midnight UTC. */
function time(text: string): Date {
  const at = new Date(timeForm.test(text) ? text : Number.NaN)
  if (Number.isNaN(at.getTime()))
    throw new InvalidArgumentError('It must be a day such as 2026-11-15, or a time such as 2026-11-15T08:00Z.')
  day(text.slice(0, 10))
  return at
}

function addList(audit: Command, context: CommandContext): void {
  guide(
    withFilters(
      audit.command('list', { isDefault: true }).description('List entries, newest first (default command).'),
    ).option('--limit <count>', 'at most this many', whole(1, 1000), 50),
    {
      examples: [
        'malipo audit list --limit 20',
        'malipo audit list --merchant mer_0193… --result refused --from 2026-11-01',
      ],
    },
  ).action(async (options: FilterOptions & { limit: number }) => {
    const found = await context.operate((operator) => operator.audit.list(options))
    context.print(found, (format) => (found.length === 0 ? 'No entries match.' : listing(format, found)))
  })
}

type Entry = Awaited<ReturnType<Operator['audit']['show']>>

const listing = ({ table }: Formatter, found: readonly Entry[]) =>
  table(found, {
    'WHEN (UTC)': ({ at }) => at.slice(0, 19).replace('T', ' '),
    ENTRY: ({ id }) => id,
    ACTOR: ({ actor }) => `${actor.kind} ${nameOf(actor)}`,
    ACTION: ({ action }) => action,
    RESULT: ({ result }) => result,
    SUBJECT: ({ subject }) => subject,
    REASON: ({ reason }) => reason ?? '',
  })

const nameOf = ({ id, name }: Entry['actor']) => (id === name ? id : `${name} (${id})`)

function screen(found: Entry): string {
  const { id, at, actor, action, result, subject, detail, chain, number, hash } = found
  const lines: [string, string | undefined][] = [
    ['when', second(at)],
    ['actor', `${actor.kind} ${nameOf(actor)}`],
    ['role', found.role],
    ['signed in', found.strength],
    ['subject', subject],
    ['merchant', found.merchantId],
    ['in', found.env],
    ['reason', found.reason],
    ['request', found.requestId],
    ['address', found.address],
    ['client', found.userAgent],
    ['place', `number ${number} of chain ${chain}`],
    ['hash', hash],
  ]
  return [
    `${id}: ${action}, ${result}`,
    '',
    ...lines.flatMap(([name, value]) => (value === undefined ? [] : [`${name.padEnd(10)} ${value}`])),
    '',
    JSON.stringify(detail, null, 2),
  ].join('\n')
}

type Report = Awaited<ReturnType<Operator['audit']['verify']>>

function addVerify(audit: Command, context: CommandContext): void {
  guide(
    audit
      .command('verify')
      .description('Verify that no entry was changed, removed, added or moved; exits with 5 if one was.')
      .option('--full', 'verify from the first entry, whatever was verified before'),
    {
      note: 'Compares with the seal file if MALIPO_SEALS_PATH is set: only that file shows a trail that was rewritten as a whole.',
      examples: ['malipo audit verify', 'malipo audit verify --full --json'],
    },
  ).action(async ({ full }: { full?: true }) => {
    const report = await context.maintain((installation) => installation.audit.verify({ isFull: full === true }))
    context.print(report, () => verified(report))
    if (report.faultCount > 0)
      throw new CliError('checkFailed', `The audit trail was changed: ${report.faultCount} faults.`)
  })
}

function verified({ entries, chains, seals, faults, faultCount }: Report): string {
  if (faultCount === 0)
    return `The audit trail is unchanged: ${entries} entries in ${chains} chains, ${seals} seals checked.`
  const lines = faults.map(({ kind, chain, number, id, problem }) => {
    const place = chain === 0 ? '' : ` number ${number} of chain ${chain}${id === undefined ? '' : `, ${id}`}`
    return `${kind}${place}: ${problem}`
  })
  return [...lines, ...(faultCount > faults.length ? [`and ${faultCount - faults.length} more`] : [])].join('\n')
}

const formats = ['ndjson', 'csv'] as const

function addExport(audit: Command, context: CommandContext): void {
  guide(
    withFilters(audit.command('export').description('Print entries for an auditor, oldest first.')).addOption(
      new Option('--format <format>', 'one JSON document per line, or CSV for a spreadsheet')
        .choices(formats)
        .default('ndjson'),
    ),
    {
      examples: [
        'malipo audit export --from 2026-11-01 --to 2026-12-01 > audit.ndjson',
        'malipo audit export --action merchant.freeze --format csv > freezes.csv',
      ],
    },
  ).action(async ({ format, ...filter }: FilterOptions & { format: (typeof formats)[number] }) => {
    const isCsv = format === 'csv' && !context.isJson()
    if (isCsv) context.print(undefined, () => csvLine(csvHead))
    await context.maintain(async (installation) => {
      for await (const page of installation.audit.export(filter))
        for (const entry of page) context.printItem(entry, () => (isCsv ? csvOf(entry) : JSON.stringify(entry)))
    })
  })
}

const csvHead = [
  ...['at', 'id', 'actorKind', 'actorId', 'actorName', 'action', 'result', 'subject', 'merchantId', 'env', 'reason'],
  ...['detail', 'requestId', 'address', 'userAgent', 'role', 'strength', 'chain', 'number', 'hash'],
]

function csvOf(entry: Omit<Entry, 'names'>): string {
  const { at, id, actor, action, result, subject, merchantId = '', env = '', reason = '', detail } = entry
  const { requestId = '', address = '', userAgent = '', role = '', strength = '', chain, number, hash } = entry
  return csvLine([
    ...[at, id, actor.kind, actor.id, actor.name, action, result, subject, merchantId, env, reason],
    ...[JSON.stringify(detail), requestId, address, userAgent, role, strength, chain, number, hash],
  ])
}
