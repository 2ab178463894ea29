import type { Operator } from '@malipo/server/operate'
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { CommandContext } from './command-context.ts'
import { guide } from './guide.ts'
import { amountProblem, currency, type Environment, environment } from './options.ts'
import { type Formatter, right } from './table.ts'

type Controls = Awaited<ReturnType<Operator['payoutControls']['show']>>[number]

export function addPayoutControlCommands(program: Command, context: CommandContext): void {
  const limits = program.command('limits').description("Set and show limits of merchants' payouts.")
  addShow(limits, context, 'limits', 'Show the payout limits of a merchant.')
  addLimits(limits, context)
  const approvals = program.command('approvals').description('Set and show which payouts need approval.')
  addShow(approvals, context, 'approvals', 'Show which payouts of a merchant need approval.')
  addApprovals(approvals, context)
}

function addShow(group: Command, context: CommandContext, name: keyof typeof listings, description: string): void {
  guide(group.command('show').description(description).argument('<merchant>', 'the merchant, mer_…'), {
    examples: [`malipo ${name} show mer_0193…`, `malipo ${name} show mer_0193… --json`],
  }).action(async (merchant: string) => {
    const found = await context.operate((operator) => operator.payoutControls.show(merchant))
    context.print(found, (format) => listings[name](format, found))
  })
}

/** An amount, 0 included, or `none` to remove the limit. */
function limit(text: string): string {
  const problem = text === 'none' || /^0+(\.0+)?$/.test(text) ? undefined : amountProblem(text)
  if (problem !== undefined) throw new InvalidArgumentError('It must be an amount such as 1500, 0 or none.')
  return text
}

type LimitOptions = Parameters<Operator['payoutControls']['setLimits']>[1]

function addLimits(limits: Command, context: CommandContext): void {
  guide(
    limits
      .command('set')
      .description("Set, change or remove limits of a merchant's payouts.")
      .argument('<merchant>', 'the merchant, mer_…')
      .addOption(environment('the environment').makeOptionMandatory())
      .requiredOption(
        '--currency <code>',
        'payouts from wallets in this currency, or paid in it, such as KES',
        currency,
      )
      .option('--per-payout <amount>', 'the most for one payout', limit)
      .option('--per-credential-day <amount>', 'the most a day for each key pair or person', limit)
      .option('--per-merchant-day <amount>', 'the most a day in total', limit)
      .option('--per-beneficiary-day <amount>', 'the most a day to one account', limit)
      .requiredOption('--reason <text>', 'why; kept in the audit trail'),
    {
      note: `Amounts are in major units, without the fee; none removes a limit, and limits that are not named stay. A day is a day
in UTC. A payout beyond a limit is refused with PAYOUT_LIMIT_EXCEEDED; one that fails later returns its share. A new limit
counts from now on.`,
      examples: [
        'malipo limits set mer_0193… --env sandbox --currency KES --per-payout 50000 --per-merchant-day 1000000 --reason "contract 17"',
        'malipo limits set mer_0193… --env live --currency KES --per-beneficiary-day none --reason "ticket 4711" --json',
      ],
    },
  ).action(async (merchant: string, options: LimitOptions) => {
    const controls = await context.operate((operator) => operator.payoutControls.setLimits(merchant, options))
    context.print(controls, (format) => listings.limits(format, [controls]))
  })
}

interface ApprovalOptions {
  readonly env: Environment
  readonly currency?: string
  readonly above?: string
  readonly newBeneficiaries?: OnOff
  readonly bulk?: OnOff
  readonly reason: string
}
type OnOff = 'on' | 'off'
const onOff = (flags: string, about: string) => new Option(`${flags} <on|off>`, about).choices(['on', 'off'])

function addApprovals(approvals: Command, context: CommandContext): void {
  guide(
    approvals
      .command('set')
      .description('Set which payouts of a merchant need approval.')
      .argument('<merchant>', 'the merchant, mer_…')
      .addOption(environment('the environment').makeOptionMandatory())
      .option('--above <amount>', 'payouts of more than this, in major units; none: no amount; needs --currency', limit)
      .option('--currency <code>', 'of the wallets that pay, or of what is paid, such as KES', currency)
      .addOption(onOff('--new-beneficiaries', 'payouts to accounts that are new for 24 hours'))
      .addOption(onOff('--bulk', 'every payout of a bulk request'))
      .requiredOption('--reason <text>', 'why; kept in the audit trail'),
    {
      note: `A payout that needs approval is accepted and its money held, and it is not sent before a person of the merchant, other
than its maker, approves it. Without a decision within 72 hours it is rejected. Rules that are not named stay. Payouts that
wait already still need their approval.`,
      examples: [
        'malipo approvals set mer_0193… --env sandbox --above 100000 --currency KES --bulk on --reason "contract 17"',
        'malipo approvals set mer_0193… --env live --new-beneficiaries off --reason "ticket 4711" --json',
      ],
    },
  ).action(async (merchant: string, { newBeneficiaries, bulk, ...options }: ApprovalOptions) => {
    const order = {
      ...options,
      ...(newBeneficiaries !== undefined && { newBeneficiaries: newBeneficiaries === 'on' }),
      ...(bulk !== undefined && { bulk: bulk === 'on' }),
    }
    const controls = await context.operate((operator) => operator.payoutControls.setApprovals(merchant, order))
    context.print(controls, (format) => listings.approvals(format, [controls]))
  })
}

const listings = {
  limits: ({ table }: Formatter, found: readonly Controls[]) => {
    const rows = found.flatMap(({ env, currencies }) => currencies.map((each) => ({ env, ...each })))
    if (rows.length === 0) return 'No limits.'
    return table(rows, {
      ENVIRONMENT: ({ env }) => env,
      CURRENCY: (row) => row.currency,
      'PER PAYOUT': right(({ perPayout }) => perPayout ?? 'none'),
      'PER CREDENTIAL AND DAY': right(({ perCredentialDay }) => perCredentialDay ?? 'none'),
      'PER MERCHANT AND DAY': right(({ perMerchantDay }) => perMerchantDay ?? 'none'),
      'PER BENEFICIARY AND DAY': right(({ perBeneficiaryDay }) => perBeneficiaryDay ?? 'none'),
    })
  },
  approvals: (_: Formatter, found: readonly Controls[]) => found.map(approvalLine).join('\n'),
}

function approvalLine({ env, currencies, newBeneficiariesNeedApproval, bulkNeedsApproval }: Controls): string {
  const above = currencies.flatMap(({ currency, approvalAbove }) =>
    approvalAbove === undefined ? [] : [`more than ${approvalAbove} ${currency}`],
  )
  const rules = [
    ...above,
    ...(newBeneficiariesNeedApproval ? ['new beneficiaries'] : []),
    ...(bulkNeedsApproval ? ['bulk requests'] : []),
  ]
  return `${env}: ${rules.length === 0 ? 'no payout needs approval' : `approval for ${rules.join(', ')}`}`
}
