import { settings } from '../../packages/server/src/config.ts'
import {
  type RetentionPlan,
  retentionPlans,
  retentionTable,
  type TableRetention,
} from '../../packages/server/src/platform/retention-table.ts'
import { note } from './reference-pages.ts'

const about: Readonly<Record<RetentionPlan, string>> = {
  expires: `The retention keeper is one worker of the cell. It runs every minute and holds the lease \`retention\`. A month is emptied as a
whole, so no vacuum follows, and it never makes a payment wait ([the decision](../decisions/retention.md)). A month in which one row is
still needed stays whole. \`malipo_retention_months_overdue\` counts such months, and those that a long reader, such as a backup, uses.`,
  archive: `These rows grow with payments. [\`malipo archive\`](archive.md) moves months of the largest table, \`transfers\`, to compressed
files. Nothing removes the other rows: Malipo reads, finds, refunds and reconciles a payment by them. Plan the disk with the bytes per
payment in [Performance](performance.md).`,
  permanent: 'These rows are evidence, or decide about future requests.',
  standing:
    'These tables have no row for a payment. They are small, and a row is removed only when a person removes it.',
  fixed: 'These tables have a constant number of rows, which are updated.',
}

export function retentionPage(): string {
  const sections = (Object.keys(retentionPlans) as RetentionPlan[]).map(
    (plan) => `## ${retentionPlans[plan]}\n\n${about[plan]}\n\n${tableOf(plan)}`,
  )
  return `${note}

# What is kept, and for how long

Every table of the database, what makes it grow, and what ends its rows. A test compares this page with the schema: a table without a plan
fails it.

${sections.join('\n\n')}
`
}

function tableOf(plan: RetentionPlan): string {
  const rows = Object.entries(retentionTable).filter(([, entry]) => entry.plan === plan)
  const columns = ['table', 'grows with', ...(rows.some(([, { kept }]) => kept) ? ['kept'] : [])]
  if (plan === 'expires') columns.push('removed by')
  const lines = rows.map(([name, entry]) => {
    const cells = [`\`${name}\``, entry.grows, keptOf(entry), entry.removedBy ?? ''].slice(0, columns.length)
    return `| ${cells.join(' | ')} |`
  })
  return [`| ${columns.join(' | ')} |`, `|${'---|'.repeat(columns.length)}`, ...lines].join('\n')
}

function keptOf({ plan, kept, setting }: TableRetention): string {
  if (setting === undefined) return kept ?? (plan === 'archive' ? 'with its payment' : '')
  const fallback = Object.values(settings).find(({ name }) => name === setting)
  const days = fallback && 'fallback' in fallback ? fallback.fallback : ''
  return `\`${setting}\` (${days} days): ${kept}`
}
