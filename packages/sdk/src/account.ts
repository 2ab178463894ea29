import type { Operations, Schemas } from './generated/api.ts'
import { type List, listOf, nextCursor } from './lists.ts'
import type { CallOptions, Transport } from './transport.ts'
import type { WebhookEvent } from './webhooks.ts'

export type Wallet = Schemas['UserProfile']['wallets'][number]
export type Statement = Schemas['Statement']['data']
export type StatementQuery = Omit<Operations['getWalletsStatement']['query'], 'cursor'>

/** The owner of the key pair. */
export interface Profile {
  firstName: string
  lastName: string
  email: string
  publicKey: string
  /** For the key pair's environment; empty if not set. */
  webhookUrl: string
  /** One per currency, or one per country if a currency has several countries. */
  wallets: Wallet[]
}

export type ProfileChange = Partial<Pick<Profile, 'firstName' | 'lastName' | 'webhookUrl'>>

/** One event of the feed: the content of a webhook, and its number. */
export interface FeedEvent extends WebhookEvent {
  /** Numbers have no gaps. */
  number: number
}

export interface Account {
  me(options?: CallOptions): Promise<Profile>
  /** Changes only the given fields. `webhookUrl` is for the key pair's environment; an empty string unsets it. */
  update(change: ProfileChange, options?: CallOptions): Promise<Profile>
  balances(options?: CallOptions): Promise<Wallet[]>
  /** All lines of one wallet, oldest first: `opening` plus the lines equals `closing`. */
  statement(query: StatementQuery, options?: CallOptions): Promise<Statement>
  /** All events after a number, in order, up to the newest; also events for which no webhook was sent. */
  events(from?: { readonly after?: number | undefined }, options?: CallOptions): List<FeedEvent>
  /** Creates a new signing secret. For 24 hours, webhooks are also signed with the old one. */
  rotateWebhookSecret(options?: CallOptions): Promise<{ secret: string }>
}

const feedItems = 200

export function accountApi({ call, environment }: Transport): Account {
  const urlName = environment === 'live' ? 'webhookUrl' : 'sandboxWebhookUrl'
  const profileOf = (raw: Schemas['UserProfile']): Profile => {
    const { firstName, lastName, email, publicKey, wallets } = raw
    return { firstName, lastName, email, publicKey, webhookUrl: raw[urlName], wallets }
  }
  const me: Account['me'] = async (options) => profileOf((await call('getUsers', {}, options)).body)
  return {
    me,
    update: async ({ webhookUrl, ...names }, options) => {
      const body = { ...names, ...(webhookUrl !== undefined && { [urlName]: webhookUrl }) }
      return profileOf((await call('putUsers', { body }, options)).body)
    },
    balances: async (options) => (await me(options)).wallets,
    statement: (query, options) => wholeStatement(call, query, options),
    events: ({ after = 0 } = {}, options) =>
      listOf(async (cursor: number | undefined) => {
        const { body } = await call('getEvents', { query: { after: cursor ?? after, limit: feedItems } }, options)
        const items = body.data as unknown as FeedEvent[]
        return { items, next: items.length === feedItems ? items.at(-1)?.number : undefined }
      }),
    rotateWebhookSecret: async (options) => (await call('postUsersWebhookSecretRotate', {}, options)).body.data,
  }
}

/** Joins all pages: each page opens with the closing balance of the page before. */
async function wholeStatement(
  call: Transport['call'],
  query: StatementQuery,
  options: CallOptions | undefined,
): Promise<Statement> {
  const first = await call('getWalletsStatement', { query }, options)
  const { opening, lines } = first.body.data
  let { closing } = first.body.data
  let cursor = nextCursor(first.headers)
  while (cursor !== undefined) {
    const { body, headers } = await call('getWalletsStatement', { query: { ...query, cursor } }, options)
    lines.push(...body.data.lines)
    closing = body.data.closing
    cursor = nextCursor(headers)
  }
  return { opening, lines, closing }
}

export type ExternalAccount = Schemas['ExternalAccount']
export type NewExternalAccount = Operations['postExternalAccounts']['body']
export type ExternalAccountChange = Operations['putExternalAccountsExternalAccountId']['body']
export type ExternalAccountFilter = Omit<NonNullable<Operations['getExternalAccounts']['query']>, 'limit' | 'cursor'>

/** Counterparties: beneficiaries of payouts, and payers. */
export interface ExternalAccounts {
  create(account: NewExternalAccount, options?: CallOptions): Promise<{ externalAccountId: string }>
  /** All of them, newest first. */
  list(filter?: ExternalAccountFilter, options?: CallOptions): List<ExternalAccount>
  get(externalAccountId: string, options?: CallOptions): Promise<ExternalAccount>
  /** Replaces all four fields. Payouts already accepted keep the old account. */
  update(externalAccountId: string, account: ExternalAccountChange, options?: CallOptions): Promise<void>
  delete(externalAccountId: string, options?: CallOptions): Promise<void>
}

export function externalAccountsOf({ call }: Transport): ExternalAccounts {
  return {
    create: async (account, options) => {
      const { body } = await call('postExternalAccounts', { body: account }, options)
      return { externalAccountId: body.data.id }
    },
    list: (filter = {}, options) =>
      listOf(async (cursor: string | undefined) => {
        const query = { ...filter, limit: 100, cursor }
        const { body, headers } = await call('getExternalAccounts', { query }, options)
        return { items: body.data, next: nextCursor(headers) }
      }),
    get: async (externalAccountId, options) =>
      (await call('getExternalAccountsExternalAccountId', { path: { externalAccountId } }, options)).body.data,
    update: async (externalAccountId, account, options) => {
      const input = { path: { externalAccountId }, body: account }
      await call('putExternalAccountsExternalAccountId', input, options)
    },
    delete: async (externalAccountId, options) => {
      await call('deleteExternalAccountsExternalAccountId', { path: { externalAccountId } }, options)
    },
  }
}

type Data<Name extends keyof Operations> = Operations[Name]['answer'] extends { data: infer Value } ? Value : never

export type Country = Data<'getUtilitiesCountries'>[number]
export type Bank = Data<'getUtilitiesBanks'>[number]
export type Branch = Data<'getUtilitiesBranches'>[number]
export type MobileMoneyOperator = Data<'getUtilitiesMomoOperators'>[number]
export type HistoricalRate = Data<'getUtilitiesRatesHistorical'>[number]
export type Rate = Data<'getUtilitiesRates'>
export type ResolvedAccount = Data<'postUtilitiesAccountResolve'>
export type PlaceFilter = NonNullable<Operations['getUtilitiesBanks']['query']>
export type HistoricalRateQuery = NonNullable<Operations['getUtilitiesRatesHistorical']['query']>
export type RateQuery = Operations['getUtilitiesRates']['query']
export type AccountToResolve = Operations['postUtilitiesAccountResolve']['body']

/** Countries, banks, operators and their limits, exchange rates, account holder names. */
export interface Reference {
  countries(options?: CallOptions): Promise<Country[]>
  banks(filter?: PlaceFilter, options?: CallOptions): Promise<Bank[]>
  branches(bankId: number, options?: CallOptions): Promise<Branch[]>
  mobileMoneyOperators(filter?: PlaceFilter, options?: CallOptions): Promise<MobileMoneyOperator[]>
  /** The current value of an amount. */
  rate(query: RateQuery, options?: CallOptions): Promise<Rate>
  /** The last 30 days, newest first; default: all currency pairs. */
  rates(query?: HistoricalRateQuery, options?: CallOptions): Promise<HistoricalRate[]>
  resolveAccount(account: AccountToResolve, options?: CallOptions): Promise<ResolvedAccount>
}

export function referenceOf({ call }: Transport): Reference {
  return {
    countries: async (options) => (await call('getUtilitiesCountries', {}, options)).body.data,
    banks: async (query = {}, options) => (await call('getUtilitiesBanks', { query }, options)).body.data,
    branches: async (bankId, options) => (await call('getUtilitiesBranches', { query: { bankId } }, options)).body.data,
    mobileMoneyOperators: async (query = {}, options) =>
      (await call('getUtilitiesMomoOperators', { query }, options)).body.data,
    rate: async (query, options) => (await call('getUtilitiesRates', { query }, options)).body.data,
    rates: async (query = {}, options) => (await call('getUtilitiesRatesHistorical', { query }, options)).body.data,
    resolveAccount: async (account, options) =>
      (await call('postUtilitiesAccountResolve', { body: account }, options)).body.data,
  }
}
