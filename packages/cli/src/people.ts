import type { Command } from 'commander'
import type { CommandContext } from './command-context.ts'
import { guide } from './guide.ts'
import { whole } from './options.ts'
import { addRoleCommands, roleNames } from './roles.ts'
import { minute } from './time.ts'

interface InviteOptions {
  readonly email: string
  readonly name: string
  readonly role: string
  readonly merchant?: string
  readonly country?: string[]
  readonly currency?: string[]
  readonly oidc?: true
  readonly reason?: string
}

export function addPeopleCommands(program: Command, context: CommandContext): void {
  const people = program.command('people').description('Manage staff and the people of merchants.')
  addInvite(people, context)
  addList(people, context)
  addRoleCommands(people, context)
  addEnd(people, context)
  addSessions(people, context)
  addRecover(people, context)
}

function addInvite(people: Command, context: CommandContext): void {
  guide(
    people
      .command('invite')
      .description('Print a link with which a person joins; it works once, for 72 hours.')
      .requiredOption('--email <address>', 'e-mail address of the person')
      .requiredOption('--name <name>', 'name of the person')
      .requiredOption('--role <role>', 'role of the person')
      .option('--merchant <id>', "the person's merchant, mer_…; without it the person is operator staff")
      .option('--country <code...>', 'only these countries; default: all')
      .option('--currency <code...>', 'only these currencies; default: all')
      .option('--oidc', 'the person signs in at the OIDC provider')
      .option('--reason <text>', 'why; kept in the audit trail; the approver reads it'),
    {
      note: `${roleNames}
Another person must approve it; then you get the link with malipo proposals collect. Send it over a channel that reaches only
that person. The first admin of an installation is invited on its machine, with --break-glass.`,
      examples: [
        'malipo people invite --email wanjiru@example.com --name "Wanjiru Kamau" --role finance --reason "new colleague"',
        'malipo people invite --email amina@example.com --name "Amina Otieno" --role owner --merchant mer_0193… --reason "contract 17"',
        'malipo people invite --break-glass --email wanjiru@example.com --name "Wanjiru Kamau" --role admin',
      ],
    },
  ).action(async ({ country, currency, oidc, ...order }: InviteOptions) => {
    const scope = { ...(country && { countries: country }), ...(currency && { currencies: currency }) }
    const made = await context.operate((operator) =>
      operator.people.invite({ ...order, ...scope, isForOidc: oidc === true }),
    )
    context.print(
      made,
      () => `Invited ${order.name} until ${minute(made.expiresAt)}. The link works once:\n${made.link}`,
    )
  })
}

function addList(people: Command, context: CommandContext): void {
  guide(
    people
      .command('list', { isDefault: true })
      .description('List people and their roles (default command).')
      .option('--limit <number>', 'how many', whole(1, 1000), 100)
      .option('--after <id>', 'continue after this person'),
    { examples: ['malipo people', 'malipo people list --limit 20 --json'] },
  ).action(async (wanted: { limit: number; after?: string }) => {
    const found = await context.operate((operator) => operator.people.list(wanted))
    context.print(found, ({ table }) =>
      found.length === 0
        ? 'No people yet. Invite the first: malipo people invite --break-glass'
        : table(found, {
            ID: ({ id }) => id,
            NAME: ({ name }) => name,
            EMAIL: ({ email }) => email,
            STATE: ({ state }) => state,
            ROLES: ({ roles }) =>
              roles.map(({ id, role, merchant }) => `${role} ${merchant ?? 'operator'} (${id})`).join(', '),
          }),
    )
  })
}

function addEnd(people: Command, context: CommandContext): void {
  guide(
    people
      .command('end')
      .description('End the access of a person permanently, with all roles and sessions.')
      .argument('<person>', 'person_…')
      .requiredOption('--reason <text>', 'why; kept in the audit trail'),
    {
      examples: [
        'malipo people end person_0193… --reason "left the company"',
        'malipo people end person_0193… --reason "ticket 4711" --json',
      ],
    },
  ).action(async (person: string, { reason }: { reason: string }) => {
    await context.operate((operator) => operator.people.end(person, reason))
    context.print({ person, state: 'ended' }, () => `Ended the access of ${person}.`)
  })
}

function addRecover(people: Command, context: CommandContext): void {
  guide(
    people
      .command('recover')
      .description('Print a link for a person who lost every way to sign in; it works once, for 72 hours.')
      .argument('<person>', 'person_…')
      .requiredOption('--reason <text>', 'why, and how you know the person; kept in the audit trail'),
    {
      note: `Ends all sessions and the old passkeys, password and identity at the OIDC provider. Roles stay.
Send the link over a channel that reaches only that person.`,
      examples: [
        'malipo people recover person_0193… --reason "lost phone, seen in person"',
        'malipo people recover person_0193… --reason "ticket 4711" --json',
      ],
    },
  ).action(async (person: string, { reason }: { reason: string }) => {
    const made = await context.operate((operator) => operator.people.recover(person, reason))
    context.print(
      made,
      () =>
        `Ended the old ways to sign in of ${person}. The link works once, until ${minute(made.expiresAt)}:\n${made.link}`,
    )
  })
}

function addSessions(people: Command, context: CommandContext): void {
  guide(
    people
      .command('sessions')
      .description('List the sessions of a person, or end them all.')
      .argument('<person>', 'person_…')
      .option('--end', 'end them all; the person can sign in again')
      .option('--reason <text>', 'why they are ended; kept in the audit trail', ''),
    {
      examples: [
        'malipo people sessions person_0193…',
        'malipo people sessions person_0193… --end --reason "lost laptop"',
      ],
    },
  ).action(async (person: string, { end, reason }: { end?: true; reason: string }) => {
    if (end) {
      const ended = await context.operate((operator) => operator.people.endSessions(person, reason))
      return context.print({ person, ended }, () => `Ended ${ended} session${ended === 1 ? '' : 's'} of ${person}.`)
    }
    const found = await context.operate((operator) => operator.people.sessions(person))
    context.print(found, ({ table }) =>
      found.length === 0
        ? `${person} has no sessions.`
        : table(found, {
            ID: ({ id }) => id,
            KIND: ({ kind }) => kind,
            BY: ({ strength }) => strength,
            ADDRESS: ({ address }) => address,
            'LAST USED': ({ lastSeenAt }) => minute(lastSeenAt),
          }),
    )
  })
}
