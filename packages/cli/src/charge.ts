import type { Malipo, StartedCharge } from '@malipo/sdk'
import { type Command, Option } from 'commander'
import { CliError } from './cli-error.ts'
import type { CommandContext } from './command-context.ts'
import { guide } from './guide.ts'
import { followUp, newReference, type PaymentOptions, refuseUnmeant, withPayment } from './payment-options.ts'
import type { CliEnvironment } from './surroundings.ts'

export function addChargeCommands(program: Command, context: CommandContext, around: CliEnvironment): void {
  const charge = program.command('charge').description('collect from a customer')
  addMobileMoney(charge, context, around)
  addCard(charge, context, around)
  addBankTransfer(charge, context, around)
  addAuthorise(charge, context)
}

/** Starts a charge and reports its status. */
async function start(
  context: CommandContext,
  around: CliEnvironment,
  options: PaymentOptions,
  begin: (malipo: Malipo, common: Common) => Promise<StartedCharge>,
): Promise<void> {
  const { amount, currency, reference: externalReference = newReference('charge') } = options
  const { malipo, started } = await context.call(async (malipo, access) => {
    refuseUnmeant(access, options)
    return { malipo, started: await begin(malipo, { amount, currency, externalReference }) }
  })
  await followUp(context, around, malipo, { ...started, title: `The charge of ${amount} ${currency}` }, options)
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

function addMobileMoney(charge: Command, context: CommandContext, around: CliEnvironment): void {
  guide(
    withPayment(charge.command('momo'))
      .description('by mobile money: the customer approves on the phone')
      .option('--phone <number>', 'in international form, such as +254703456789')
      .addOption(new Option('--external-account <id>', 'ea_…, in place of a phone').conflicts('phone'))
      .option('--operator <id>', 'where the number does not tell it')
      .option('--otp <code>', 'for operators that give the customer a code first')
      .option('--wallet-currency <code>', 'the wallet to credit, where it is another')
      .option('--voucher <pin>', 'for vouchers in BWP'),
    {
      note: `In the sandbox the last three digits of the phone choose the outcome: 039 is not approved, 049 has not enough money, 129 stays
pending, most others succeed.`,
      examples: [
        'malipo charge momo --amount 1500 --currency KES --phone +254703456789 --reference order-1042 --wait',
        'malipo charge momo --amount 99 --currency KES --phone +254703456789 --scenario late-callback',
      ],
    },
  ).action((options: MobileMoneyOptions, command: Command) => {
    const { phone, externalAccount, operator, otp, walletCurrency, voucher, scenario } = options
    if (!(phone || externalAccount)) command.error('error: say --phone or --external-account', { exitCode: 2 })
    return start(context, around, options, (malipo, common) =>
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

function addCard(charge: Command, context: CommandContext, around: CliEnvironment): void {
  guide(
    withPayment(charge.command('card'))
      .description('by card, in the sandbox only: a real card is never typed into a shell')
      .option('--number <digits>', 'a test card', '4242424242424242')
      .option('--cvv <digits>', 'its code', '739')
      .option('--expiry <month/year>', 'such as 09/30', '09/30')
      .option('--email <address>', "the customer's", 'amina@example.com')
      .option('--first-name <name>', "the customer's", 'Amina')
      .option('--last-name <name>', "the customer's", 'Otieno')
      .option('--ip <address>', "the customer's", '102.89.23.10')
      .option('--redirect-url <url>', 'where the customer comes back to', 'https://shop.example/paid'),
    {
      note: `Cards: 4242424242424242 succeeds, 5531886652142950 asks for PIN 1234 and then code 123456, 4556052704172643 asks for the
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
    return start(context, around, options, (malipo, common) => {
      if (malipo.environment === 'live')
        throw new CliError(
          'refused',
          'Cards are charged from the command line in the sandbox only: real ones must not be typed here.',
        )
      const cardDetails = { number, cvv, expMonth, expYear: `20${year}` }
      const customer = { email, firstName, lastName, ipAddress }
      const rest = { cardDetails, device3DSInfo: device, successRedirectUrl: redirectUrl }
      return malipo.charges.card({ ...common, ...customer, ...rest }, { scenario })
    })
  })
}

function addBankTransfer(charge: Command, context: CommandContext, around: CliEnvironment): void {
  guide(
    withPayment(charge.command('bank-transfer'))
      .description('by bank transfer, into an account opened for this charge')
      .option('--email <address>', "the customer's", 'amina@example.com'),
    {
      note: 'In the sandbox nobody pays into the account by itself: malipo trigger bank-transfer.successful shows one that is paid.',
      examples: [
        'malipo charge bank-transfer --amount 2500 --currency NGN',
        'malipo charge bank-transfer --amount 900 --currency KES --email juma@example.com --reference order-1044 --json',
      ],
    },
  ).action((options: PaymentOptions & { email: string }) =>
    start(context, around, options, (malipo, common) =>
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
      .description("pass on the customer's PIN, code or address")
      .argument('<transaction>', 'txn_… of the charge that asks for it')
      .addOption(new Option('--type <type>', 'what it is').choices(['otp', 'pin', 'address']).makeOptionMandatory())
      .requiredOption('--value <text>', 'the PIN, the code, or the address as JSON'),
    {
      examples: [
        'malipo charge authorise txn_0193… --type pin --value 1234',
        'malipo charge authorise txn_0193… --type otp --value 123456',
      ],
    },
  ).action(async (transaction: string, { type, value }: AuthoriseOptions) => {
    const { message } = await context.call((malipo) => malipo.charges.authorise(transaction, { type, value }))
    context.say(
      { transactionId: transaction, message },
      () => `${message}\n  next         malipo explain ${transaction}`,
    )
  })
}
