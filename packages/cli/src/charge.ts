import type { Malipo, StartedCharge } from '@malipo/sdk'
import { type Command, Option } from 'commander'
import type { CliEnvironment } from './cli-environment.ts'
import { CliError } from './cli-error.ts'
import type { CommandContext } from './command-context.ts'
import { guide } from './guide.ts'
import { followUp, newReference, type PaymentOptions, requireLiveFlag, withPayment } from './payment-options.ts'

export function addChargeCommands(program: Command, context: CommandContext, cli: CliEnvironment): void {
  const charge = program.command('charge').description('Collect from a customer.')
  addMobileMoney(charge, context, cli)
  addCard(charge, context, cli)
  addBankTransfer(charge, context, cli)
  addAuthorise(charge, context)
}

/** Starts a charge and reports its status. */
async function start(
  context: CommandContext,
  cli: CliEnvironment,
  options: PaymentOptions,
  begin: (malipo: Malipo, common: Common) => Promise<StartedCharge>,
): Promise<void> {
  const { amount, currency, reference: externalReference = newReference('charge') } = options
  const { malipo, started } = await context.call(async (malipo, access) => {
    requireLiveFlag(access, options)
    return { malipo, started: await begin(malipo, { amount, currency, externalReference }) }
  })
  await followUp(context, cli, malipo, { ...started, title: `The charge of ${amount} ${currency}` }, options)
}

interface Common {
  readonly amount: string
  readonly currency: string
  readonly externalReference: string
}

interface MobileMoneyOptions extends PaymentOptions {
  readonly phone?: string
  readonly externalAccount?: string
  readonly operator?: string
  readonly otp?: string
  readonly walletCurrency?: string
  readonly voucher?: string
}

function addMobileMoney(charge: Command, context: CommandContext, cli: CliEnvironment): void {
  guide(
    withPayment(charge.command('momo'))
      .description('Collect by mobile money; the customer approves on the phone.')
      .option('--phone <number>', 'in international form, such as +254703456789')
      .addOption(new Option('--external-account <id>', 'ea_…, instead of --phone').conflicts('phone'))
      .option('--operator <id>', 'operator id, if the number does not identify the operator')
      .option('--otp <code>', 'one-time code, for operators that give the customer a code first')
      .option('--wallet-currency <code>', 'the wallet to credit, if it has another currency')
      .option('--voucher <pin>', 'voucher PIN, for BWP'),
    {
      note: `In the sandbox the last three digits of the phone choose the outcome: 039 is declined, 049 has insufficient funds, 129 stays
pending, most others succeed.`,
      examples: [
        'malipo charge momo --amount 1500 --currency KES --phone +254703456789 --reference order-1042 --wait',
        'malipo charge momo --amount 99 --currency KES --phone +254703456789 --scenario late-callback',
      ],
    },
  ).action((options: MobileMoneyOptions, command: Command) => {
    const { phone, externalAccount, operator, otp, walletCurrency, voucher, scenario } = options
    if (!(phone || externalAccount)) command.error('error: --phone or --external-account is required', { exitCode: 2 })
    return start(context, cli, options, (malipo, common) =>
      malipo.charges.mobileMoney(
        {
          ...common,
          ...(phone && { phoneNumber: phone }),
          ...(externalAccount && { externalAccountId: externalAccount }),
          ...(operator && { momoOperatorId: operator }),
          ...(otp && { otpCode: otp }),
          ...(walletCurrency && { walletCurrency }),
          ...(voucher && { voucherPin: voucher }),
        },
        { scenario },
      ),
    )
  })
}

interface CardOptions extends PaymentOptions {
  readonly number: string
  readonly cvv: string
  readonly expiry: string
  readonly email: string
  readonly firstName: string
  readonly lastName: string
  readonly ip: string
  readonly redirectUrl: string
}

/** Sample browser data, for currencies that require it; the CLI charges cards only in the sandbox. */
const device = {
  ...{ colorDepth: 24, screenHeight: 1080, screenWidth: 1920, timeZone: -180, deviceId: 'malipo-cli' },
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
}

function addCard(charge: Command, context: CommandContext, cli: CliEnvironment): void {
  guide(
    withPayment(charge.command('card'))
      .description('Charge a test card; sandbox only.')
      .option('--number <digits>', 'test card number', '4242424242424242')
      .option('--cvv <digits>', 'card security code', '739')
      .option('--expiry <month/year>', 'expiry date, such as 09/30', '09/30')
      .option('--email <address>', "the customer's email", 'amina@example.com')
      .option('--first-name <name>', "the customer's first name", 'Amina')
      .option('--last-name <name>', "the customer's last name", 'Otieno')
      .option('--ip <address>', "the customer's IP address", '102.89.23.10')
      .option('--redirect-url <url>', 'where the customer returns to', 'https://shop.example/paid'),
    {
      note: `Never type a real card into a shell. Cards: 4242424242424242 succeeds, 5531886652142950 asks for PIN 1234 and then code 123456, 4556052704172643 asks for the
address, 4000002760003184 sends the customer to the bank's page, 4000000000000002 is declined.`,
      examples: [
        'malipo charge card --amount 1200 --currency NGN --wait',
        'malipo charge card --amount 1200 --currency NGN --number 5531886652142950 --reference order-1043 --wait',
      ],
    },
  ).action((options: CardOptions) => {
    const { number, cvv, expiry, email, firstName, lastName, ip: ipAddress, redirectUrl, scenario } = options
    const [, expMonth = '', year = ''] = /^(\d{2})\/(?:20)?(\d{2})$/.exec(expiry) ?? []
    if (expMonth === '') throw new CliError('usage', `--expiry ${expiry} must be a month and a year, such as 09/30.`)
    return start(context, cli, options, (malipo, common) => {
      if (malipo.environment === 'live')
        throw new CliError(
          'refused',
          'This command charges test cards only. Use a sandbox key pair; never type a real card into a shell.',
        )
      const cardDetails = { number, cvv, expMonth, expYear: `20${year}` }
      const customer = { email, firstName, lastName, ipAddress }
      const rest = { cardDetails, device3DSInfo: device, successRedirectUrl: redirectUrl }
      return malipo.charges.card({ ...common, ...customer, ...rest }, { scenario })
    })
  })
}

function addBankTransfer(charge: Command, context: CommandContext, cli: CliEnvironment): void {
  guide(
    withPayment(charge.command('bank-transfer'))
      .description('Collect by bank transfer into an account opened for this charge.')
      .option('--email <address>', "the customer's email", 'amina@example.com'),
    {
      note: 'In the sandbox the account stays unpaid; malipo trigger bank-transfer.successful pays one.',
      examples: [
        'malipo charge bank-transfer --amount 2500 --currency NGN',
        'malipo charge bank-transfer --amount 900 --currency KES --email juma@example.com --reference order-1044 --json',
      ],
    },
  ).action((options: PaymentOptions & { email: string }) =>
    start(context, cli, options, (malipo, common) =>
      malipo.charges.bankTransfer({ ...common, email: options.email }, { scenario: options.scenario }),
    ),
  )
}

interface AuthoriseOptions {
  readonly type: 'otp' | 'pin' | 'address'
  readonly value: string
}

function addAuthorise(charge: Command, context: CommandContext): void {
  guide(
    charge
      .command('authorise')
      .description("Send the customer's PIN, code or address.")
      .argument('<transaction>', 'txn_… of the charge')
      .addOption(new Option('--type <type>', 'what you send').choices(['otp', 'pin', 'address']).makeOptionMandatory())
      .requiredOption('--value <text>', 'the PIN, the code, or the address as JSON'),
    {
      examples: [
        'malipo charge authorise txn_0193… --type pin --value 1234',
        'malipo charge authorise txn_0193… --type otp --value 123456',
      ],
    },
  ).action(async (transaction: string, { type, value }: AuthoriseOptions) => {
    const { message } = await context.call((malipo) => malipo.charges.authorise(transaction, { type, value }))
    context.print(
      { transactionId: transaction, message },
      () => `${message}\n  next         malipo explain ${transaction}`,
    )
  })
}
