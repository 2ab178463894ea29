import type { Operator } from '@malipo/server/operate'
import { type Command, Option } from 'commander'
import type { CommandContext } from './command-context.ts'
import { guide } from './guide.ts'
import { amount, currency, type Environment, environment, whole } from './options.ts'
import { type Formatter, right } from './table.ts'
import { minute } from './time.ts'

type Operation = 'charge' | 'payout' | 'refund'

const methods = ['momo', 'card', 'bank-transfer', 'bank'] as const
const operation = (about: string) => new Option('--operation <name>', about).choices(['charge', 'payout', 'refund'])
const method = (about: string) => new Option('--method <name>', about).choices(methods)

export function addFeeCommands(program: Command, context: CommandContext): void {
  const fees = program.command('fees').description('Set and show the fees that merchants pay.')
  addSet(fees, context)
  addList(fees, context)
  addShow(fees, context)
}

interface SetOptions {
  readonly env: Environment
  readonly operation?: Operation
  readonly method?: string
  readonly currency?: string
  readonly merchant?: string
  readonly basisPoints: number
  readonly fixed?: string
  readonly min?: string
  readonly max?: string
  readonly returned?: true
  readonly from?: string
  readonly reason: string
}

function addSet(fees: Command, context: CommandContext): void {
  guide(
    fees
      .command('set')
      .description('Set a fee rule from now on, or from a date.')
      .addOption(environment('the environment').makeOptionMandatory())
      .addOption(operation('charge, payout or refund; default: charge and payout'))
      .addOption(method('only payments by this method'))
      .option('--currency <code>', 'only wallets in this currency, such as KES', currency)
      .option('--merchant <merchant>', 'only this merchant, mer_…')
      .requiredOption('--basis-points <count>', 'share of the amount; 100 is 1 %', whole(0, 10_000))
      .option('--fixed <amount>', 'added to the share, in major units; needs --currency')
      .option('--min <amount>', 'the lowest fee; needs --currency')
      .option('--max <amount>', 'the highest fee; needs --currency')
      .option('--returned', 'the fee is given back when a payout is returned or a charge refunded')
      .option('--from <date>', 'in UTC, such as 2027-01-01 or 2027-01-01T06:00Z; default: now')
      .requiredOption('--reason <text>', 'why; kept in the audit trail'),
    {
      note: `A merchant's own rule comes before the default, then a rule for the currency, then a rule for the method. A rule is
never changed: a newer one replaces it from its date on. Payments keep the rule they were accepted with. Running processes
use a new rule within 5 seconds.`,
      examples: [
        'malipo fees set --env live --basis-points 0 --reason "no fees in the pilot"',
        'malipo fees set --env live --operation payout --method momo --currency KES --basis-points 50 --fixed 10 --max 500 --from 2099-01-01 --reason "price list 2099"',
        'malipo fees set --env sandbox --merchant mer_0193… --operation charge --basis-points 250 --returned --reason "contract 17"',
      ],
    },
  ).action(async ({ returned, ...options }: SetOptions) => {
    const order = { ...options, ...(returned && { isReturned: true }) }
    const rules = await context.operate((operator) => operator.fees.set(order))
    context.print(rules, (format) => listing(format, rules))
  })
}

function addList(fees: Command, context: CommandContext): void {
  guide(
    fees
      .command('list', { isDefault: true })
      .description('List fee rules in force and scheduled (default command).')
      .addOption(environment('only rules of this environment'))
      .option('--merchant <merchant>', 'only rules of this merchant, mer_…')
      .option('--history', 'include superseded rules'),
    { examples: ['malipo fees list --env live', 'malipo fees list --merchant mer_0193… --history --json'] },
  ).action(async ({ history, ...options }: { env?: Environment; merchant?: string; history?: true }) => {
    const found = await context.operate((operator) => operator.fees.list({ ...options, isHistory: history === true }))
    context.print(found, (format) => (found.length === 0 ? 'No fee rules.' : listing(format, found)))
  })
}

interface ShowOptions {
  readonly env: Environment
  readonly operation: Operation
  readonly method: string
  readonly currency: string
  readonly merchant?: string
  readonly amount: string
}

function addShow(fees: Command, context: CommandContext): void {
  guide(
    fees
      .command('show')
      .description('Show the fee that a payment has now.')
      .addOption(environment('the environment').makeOptionMandatory())
      .addOption(operation('charge, payout or refund').makeOptionMandatory())
      .addOption(method('the payment method').makeOptionMandatory())
      .requiredOption('--currency <code>', "the wallet's currency", currency)
      .requiredOption('--amount <amount>', 'in major units, such as 1500', amount)
      .option('--merchant <merchant>', 'the merchant, mer_…; default: a merchant without rules of its own'),
    {
      examples: [
        'malipo fees show --env sandbox --operation payout --method momo --currency KES --amount 1500',
        'malipo fees show --env sandbox --operation charge --method card --currency NGN --amount 20000 --merchant mer_0193… --json',
      ],
    },
  ).action(async (options: ShowOptions) => {
    const found = await context.operate((operator) => operator.fees.show(options))
    const { fee, currency: code } = found
    const subject = `A ${options.operation} of ${found.amount} ${code} by ${options.method} in ${options.env}`
    context.print(found, () => `${subject} costs ${fee} ${code}: ${price(found)}.`)
  })
}

type Price = Pick<Rule, 'basisPoints' | 'fixed' | 'min' | 'max' | 'isReturned'>
type Rule = Awaited<ReturnType<Operator['fees']['list']>>[number]

const listing = ({ table }: Formatter, rules: readonly Rule[]) =>
  table(rules, {
    RULE: right(({ id }) => id),
    ENVIRONMENT: ({ env }) => env,
    OPERATION: (rule) => rule.operation,
    METHOD: (rule) => rule.method,
    CURRENCY: (rule) => rule.currency,
    MERCHANT: ({ merchantId }) => merchantId ?? 'any',
    FEE: price,
    FROM: ({ effectiveFrom }) => minute(effectiveFrom),
    STATUS: ({ status }) => status,
    'SET BY': ({ setBy }) => setBy || 'default',
  })

function price({ basisPoints, fixed, min, max, isReturned }: Price): string {
  const parts = [
    ...(Number(fixed) > 0 ? [`${fixed} +`] : []),
    `${basisPoints / 100} %`,
    ...(min === undefined ? [] : [`min ${min}`]),
    ...(max === undefined ? [] : [`max ${max}`]),
    ...(isReturned ? ['returned'] : []),
  ]
  return parts.join(' ').replaceAll(/ (min|max|returned)/g, ', $1')
}
