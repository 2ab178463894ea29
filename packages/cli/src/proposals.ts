import type { ProposalView } from '@malipo/server/operate'
import type { Command } from 'commander'
import type { CommandContext } from './command-context.ts'
import { guide } from './guide.ts'
import type { CollectedSecret } from './operator-client.ts'
import { whole } from './options.ts'
import { proposalScreen } from './proposal-screen.ts'
import type { Formatter } from './table.ts'
import { minute } from './time.ts'

export function addProposalCommands(program: Command, context: CommandContext): void {
  const proposals = program.command('proposals').description('List, show, approve and reject what needs two people.')
  addList(proposals, context)

  guide(
    proposals
      .command('show')
      .description('Show a proposal with the ledger entries that it makes.')
      .argument('<proposal>', 'prp_…'),
    { examples: ['malipo proposals show prp_0193…', 'malipo proposals show prp_0193… --json'] },
  ).action(async (id: string) => {
    const proposal = await context.decide((operator) => operator.proposals.show(id))
    context.print(proposal, (format) => proposalScreen(format, proposal))
  })

  addDecisions(proposals, context)
  addCollect(proposals, context)
}

interface ListOptions {
  readonly all?: true
  readonly limit: number
  readonly before?: string
}

function addList(proposals: Command, context: CommandContext): void {
  guide(
    proposals
      .command('list', { isDefault: true })
      .description('List proposals that wait for a decision, newest first (default command).')
      .option('--all', 'include decided and expired ones')
      .option('--limit <count>', 'at most this many', whole(1, 200), 50)
      .option('--before <proposal>', 'only proposals older than this one, prp_…'),
    { examples: ['malipo proposals', 'malipo proposals list --all --limit 20 --json'] },
  ).action(async ({ all, ...page }: ListOptions) => {
    const found = await context.decide((operator) => operator.proposals.list({ ...page, isOpenOnly: all !== true }))
    const none = all ? 'No proposals.' : 'No proposal waits for a decision.'
    context.print(found, (format) => (found.length === 0 ? none : listing(format, found)))
  })
}

const listing = ({ table }: Formatter, found: readonly ProposalView[]) =>
  table(found, {
    PROPOSAL: ({ proposalId }) => proposalId,
    STATE: ({ state }) => state,
    'PROPOSED BY': ({ proposedBy }) => proposedBy,
    UNTIL: ({ expiresAt }) => minute(expiresAt),
    WHAT: ({ summary }) => summary,
    REASON: ({ reason }) => reason,
  })

const decisions = [
  {
    verb: 'approve',
    description: 'Accept and execute a proposal of another person.',
    note: `Read it first with malipo proposals show. It is executed as shown, or not at all: if the ground it rests on has changed,
the proposal is void.`,
    done: 'Executed',
  },
  {
    verb: 'reject',
    description: 'Reject a proposal of another person.',
    note: 'Nothing is changed. The reason is for the person who proposed it.',
    done: 'Rejected',
  },
  {
    verb: 'withdraw',
    description: 'End your own proposal before another person decides.',
    note: 'Nothing is changed.',
    done: 'Withdrew',
  },
] as const

function addDecisions(proposals: Command, context: CommandContext): void {
  for (const { verb, description, note, done } of decisions) {
    guide(
      proposals
        .command(verb)
        .description(description)
        .argument('<proposal>', 'prp_…')
        .requiredOption('--reason <text>', 'why; kept in the audit trail'),
      {
        note,
        examples: [
          `malipo proposals ${verb} prp_0193… --reason "compared with the bank statement"`,
          `malipo proposals ${verb} prp_0193… --reason "ticket 4711" --json`,
        ],
      },
    ).action(async (id: string, { reason }: { reason: string }) => {
      const proposal = await context.decide((operator) => operator.proposals[verb](id, reason))
      const subject = proposal.subject === undefined ? '' : ` (${proposal.subject})`
      const sentence = `${done} ${proposal.proposalId}: ${proposal.summary}${subject}.`
      context.print(proposal, () => [sentence, ...nextSteps(proposal)].join('\n'))
    })
  }
}

/** Operations whose approver collects a code for the invited person. */
const withCode = ['people.invite', 'people.recover']

function nextSteps({ hasSecret, operation, proposalId, proposedBy }: ProposalView): string[] {
  if (!hasSecret) return []
  const command = `malipo proposals collect ${proposalId}`
  const isCoded = withCode.includes(operation)
  if (!isCoded) return [`${proposedBy} collects the API key: ${command}`]
  return [
    `Collect the code for the invited person: ${command}`,
    `${proposedBy} collects the link with the same command.`,
  ]
}

function addCollect(proposals: Command, context: CommandContext): void {
  guide(
    proposals
      .command('collect')
      .description('Show the key, link or code that an executed proposal has for you; it is shown only once.')
      .argument('<proposal>', 'prp_…'),
    {
      note: `The person who proposed it collects the API key or the link of an invitation. The person who approved an invitation
collects its code. The invited person needs both.`,
      examples: ['malipo proposals collect prp_0193…', 'malipo proposals collect prp_0193… --json'],
    },
  ).action(async (id: string) => {
    const secret = await context.decide((operator) => operator.proposals.collect(id))
    context.print(secret, () => collected(secret))
  })
}

const aboutCode = 'If another person approved it, the invited person also needs the code that this person collects.'

function collected({ publicKey, apiKey, link, code, expiresAt }: CollectedSecret): string {
  if (code !== undefined) return `Give this code to the invited person yourself, who needs it beside the link:\n${code}`
  if (link !== undefined) return `The link works once, until ${minute(expiresAt)}:\n${link}\n${aboutCode}`
  return `The API key is shown only once: store it with your other secrets.

  public key  ${publicKey}
  API key     ${apiKey}`
}
