import type { Command } from 'commander'
import type { CommandContext } from './command-context.ts'
import { guide } from './guide.ts'

/** What each role may do is in docs/reference/roles.md. */
export const roleNames = `Staff: support, operations, finance, risk, admin, auditor.
People of merchants: viewer, support, developer, finance, approver, owner.`

interface GrantOptions {
  readonly role: string
  readonly merchant?: string
  readonly country?: string[]
  readonly currency?: string[]
  readonly reason: string
}

export function addRoleCommands(people: Command, context: CommandContext): void {
  guide(
    people
      .command('grant')
      .description('Add a role to a person who joined before; the person signs in again to use it.')
      .argument('<person>', 'person_…')
      .requiredOption('--role <role>', 'the role')
      .option('--merchant <id>', 'the merchant of the role, mer_…; without it the role is of operator staff')
      .option('--country <code...>', 'only these countries; default: all')
      .option('--currency <code...>', 'only these currencies; default: all')
      .requiredOption('--reason <text>', 'why; kept in the audit trail'),
    {
      note: `${roleNames}
You can give only what you hold, and another person must approve it.`,
      examples: [
        'malipo people grant person_0193… --role finance --reason "joins the finance team"',
        'malipo people grant person_0193… --role viewer --merchant mer_0193… --reason "ticket 4711" --json',
      ],
    },
  ).action(async (person: string, { country, currency, ...order }: GrantOptions) => {
    const scope = { ...(country && { countries: country }), ...(currency && { currencies: currency }) }
    const granted = await context.operate((operator) => operator.people.grant(person, { ...order, ...scope }))
    context.print(granted, () => `Gave ${person} the role ${order.role}, ${granted.membership}.`)
  })

  guide(
    people
      .command('end-role')
      .description('End one role of a person, and the sessions of that person.')
      .argument('<role>', 'role_…, from malipo people list')
      .requiredOption('--reason <text>', 'why; kept in the audit trail'),
    {
      examples: [
        'malipo people end-role role_0193… --reason "left the finance team"',
        'malipo people end-role role_0193… --reason "ticket 4711" --json',
      ],
    },
  ).action(async (role: string, { reason }: { reason: string }) => {
    await context.operate((operator) => operator.people.endRole(role, reason))
    context.print({ role, state: 'ended' }, () => `Ended ${role}.`)
  })
}
