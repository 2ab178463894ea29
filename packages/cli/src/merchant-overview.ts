import type { Operator } from '@malipo/server/operate'
import type { Command } from 'commander'
import type { CommandContext } from './command-context.ts'
import { guide } from './guide.ts'
import { type Environment, environment } from './options.ts'
import { type Formatter, right } from './table.ts'
import { duration, minute } from './time.ts'

export function addMerchantShow(merchants: Command, context: CommandContext): void {
  guide(
    merchants
      .command('show')
      .description('Show a merchant: keys, wallets, webhooks, fees and open payments.')
      .argument('<merchant>', 'the merchant, mer_…'),
    { examples: ['malipo merchants show mer_0193…', 'malipo merchants show mer_0193… --json'] },
  ).action(async (id: string) => {
    const merchant = await context.operate((operator) => operator.merchants.show(id))
    context.print(merchant, (format) => screen(format, merchant))
  })
}

export function addWalletShow(wallets: Command, context: CommandContext): void {
  guide(
    wallets
      .command('show')
      .description('Show what a merchant has, may spend and owes, by currency.')
      .argument('<merchant>', 'the merchant, mer_…')
      .addOption(environment('only wallets of this environment')),
    { examples: ['malipo wallets show mer_0193…', 'malipo wallets show mer_0193… --env live --json'] },
  ).action(async (id: string, options: { env?: Environment }) => {
    const found = await context.operate((operator) => operator.wallets.show(id, options))
    context.print(found, (format) => (found.length === 0 ? 'No wallets.' : walletTable(format, found)))
  })
}

type Merchant = Awaited<ReturnType<Operator['merchants']['show']>>

const walletTable = ({ table }: Formatter, wallets: Merchant['wallets']) =>
  table(wallets, {
    WALLET: ({ currency, country }) => `${currency} ${country}`,
    ENVIRONMENT: ({ env }) => env,
    AVAILABLE: right(({ available }) => available),
    PENDING: right(({ pending }) => pending),
    OWED: right(({ owed }) => owed),
  })

function screen(format: Formatter, merchant: Merchant): string {
  const { id, name, email, country, frozenAt, keys, wallets, webhooks, openPayments } = merchant
  const state = frozenAt === undefined ? 'active' : `frozen since ${minute(frozenAt)}`
  const tables = [
    keys.length === 0 ? 'No key pairs.' : keyTable(format, keys),
    wallets.length === 0 ? 'No wallets.' : walletTable(format, wallets),
    webhookTable(format, webhooks),
    openPayments.length === 0 ? 'No open payments.' : openTable(format, openPayments),
  ]
  return [
    `${id}: ${name}, ${state}`,
    `${email}, ${country}`,
    ...notesOf(merchant),
    ...tables.flatMap((one) => ['', one]),
  ].join('\n')
}

function notesOf({ lastPayments, disabledCurrencies, fees }: Merchant): string[] {
  return [
    ...lastPayments.map(({ env, at }) => `last payment in ${env}: ${minute(at)}`),
    ...disabledCurrencies.map(({ env, currencies }) => `disabled in ${env}: ${currencies.join(' ')}`),
    ...fees.map(
      ({ env, operation, method, currency, basisPoints, fixed }) =>
        `own fee in ${env}: ${operation}, ${method === '*' ? 'any method' : method}, ${currency === '*' ? 'any currency' : currency}: ${basisPoints / 100} % and ${fixed}`,
    ),
  ]
}

const keyTable = ({ table }: Formatter, keys: Merchant['keys']) =>
  table(keys, {
    'KEY PAIR': ({ publicKey }) => publicKey,
    ENVIRONMENT: ({ env }) => env,
    STATE: ({ state }) => state,
    'LAST TOKEN': ({ tokenIssuedAt }) => (tokenIssuedAt === undefined ? 'never' : minute(tokenIssuedAt)),
  })

const webhookTable = ({ table }: Formatter, webhooks: Merchant['webhooks']) =>
  table(webhooks, {
    WEBHOOKS: ({ url }) => url || 'no URL',
    ENDPOINT: ({ endpoint }) => endpoint,
    ENVIRONMENT: ({ env }) => env,
    STATE: ({ state, failures, failingSince }) =>
      failingSince === undefined ? state : `${state}: ${failures} failures since ${minute(failingSince)}`,
  })

const openTable = ({ table }: Formatter, openPayments: Merchant['openPayments']) =>
  table(openPayments, {
    OPEN: ({ state }) => state,
    ENVIRONMENT: ({ env }) => env,
    PAYMENTS: right(({ payments }) => String(payments)),
    OLDEST: ({ oldestSeconds }) => duration(oldestSeconds),
  })
