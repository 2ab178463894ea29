import { admissionSettings } from './config/admission.ts'
import { developmentSettings } from './config/development.ts'
import { natsSettings } from './config/nats.ts'
import { otherKeyProblems, withoutOtherKeys } from './config/other-token-keys.ts'
import { peopleSettings } from './config/people.ts'
import { quoteSettings } from './config/quotes.ts'
import { retentionSettings } from './config/retention.ts'
import {
  type FoundSetting,
  fileProblems,
  findSetting,
  openSources,
  type Setting,
  type Sources,
  unknownKeys,
  type Variables,
} from './config/setting-sources.ts'
import { traceSettings } from './config/traces.ts'
import {
  cipherKey,
  databaseUrl,
  httpUrl,
  keys,
  nonEmpty,
  oneOf,
  optional,
  publicKeys,
  ranges,
  requestRates,
  secret,
  signer,
  whole,
  zarContact,
} from './config-values.ts'
import { cellMax } from './platform/ids.ts'

/** Every external setting; docs/reference/config.md is generated from this. */
export const settings = {
  host: {
    name: 'MALIPO_HOST',
    about: 'Address to listen on.',
    read: nonEmpty,
    fallback: '127.0.0.1',
  },
  port: {
    name: 'MALIPO_PORT',
    about: 'Port to listen on; 0 uses any free port.',
    read: whole(0, 65_535),
    fallback: '8080',
  },
  publicUrl: {
    name: 'MALIPO_PUBLIC_URL',
    about:
      'URL of the service for merchants and providers. It is the issuer of tokens, so a change invalidates them. Signed callbacks must be signed for its host.',
    read: httpUrl,
    fallback: 'http://127.0.0.1:8080',
  },
  databaseUrl: {
    name: 'DATABASE_URL',
    about: 'PostgreSQL login that is a member of `malipo_write` and `malipo_read`. Its own rights are not used.',
    read: databaseUrl,
    isSecret: true,
  },
  databaseOwnerUrl: {
    name: 'DATABASE_OWNER_URL',
    about:
      'PostgreSQL login that may create roles and own tables. Read by `malipo migrate` only; empty: `DATABASE_URL`.',
    read: optional(databaseUrl),
    fallback: '',
    isSecret: true,
  },
  databaseConnections: {
    name: 'MALIPO_DATABASE_CONNECTIONS',
    about:
      'Maximum number of connections for writing, and the same number for reading. One more connection checks that the database accepts writes.',
    read: whole(1, 1000),
    fallback: '10',
  },
  ...natsSettings,
  cell: {
    name: 'MALIPO_CELL',
    about:
      'Number of this cell. It is part of every id, and no two cells may have the same. `malipo migrate` records it in the database, which no process of another cell uses.',
    read: whole(0, cellMax),
    fallback: '0',
  },
  tokenKeys: {
    name: 'MALIPO_TOKEN_KEYS',
    about:
      'Ed25519 seeds that sign tokens, `name:base64url`, comma-separated. The first signs, all are published and accepted. `malipo secrets` generates one.',
    read: keys,
    isSecret: true,
  },
  otherTokenKeys: {
    name: 'MALIPO_OTHER_TOKEN_KEYS',
    about:
      'Public halves of the token keys of other cells behind the same address, `name:public:base64url`, comma-separated: published beside the own ones, and accepted by no process of this cell.',
    read: optional(publicKeys),
    fallback: '',
  },
  secretKeys: {
    name: 'MALIPO_SECRET_KEYS',
    about:
      'Keys that encrypt and hash values in the database, `name:v2:base64url` of 32 bytes, comma-separated. The first writes, all of them read. `malipo secrets` generates one. Without `v2` a key does not change its data keys daily, as in earlier releases.',
    read: keys,
    isSecret: true,
  },
  liveRateLimit: {
    name: 'MALIPO_RATE_LIMIT_LIVE',
    about: 'Requests per second of one merchant in live, for each api process.',
    read: whole(1, 1_000_000),
    fallback: '100',
  },
  sandboxRateLimit: {
    name: 'MALIPO_RATE_LIMIT_SANDBOX',
    about: 'Requests per second of one merchant in the sandbox, for each api process.',
    read: whole(1, 1_000_000),
    fallback: '25',
  },
  addressRateLimit: {
    name: 'MALIPO_RATE_LIMIT_ADDRESS',
    about:
      'Requests per second without a valid token from one address, for each api process; twice as many in a burst. A token exchange counts as ten.',
    read: whole(1, 1_000_000),
    fallback: '100',
  },
  ...admissionSettings,
  connectionsMax: {
    name: 'MALIPO_CONNECTIONS',
    about: 'Maximum number of open client connections to one process.',
    read: whole(10, 1_000_000),
    fallback: '4000',
  },
  connectionsPerAddress: {
    name: 'MALIPO_CONNECTIONS_PER_ADDRESS',
    about:
      'Maximum number of open connections to one process from one address. It does not apply to `MALIPO_TRUSTED_PROXIES`.',
    read: whole(1, 1_000_000),
    fallback: '1000',
  },
  liveCardTries: {
    name: 'MALIPO_CARD_TRIES_LIVE',
    about:
      "Hourly limit in live on a merchant's charges of one card, and on declined or pending cards of one customer address. It stops tests of stolen cards.",
    read: whole(1, 1_000_000),
    fallback: '20',
  },
  sandboxCardTries: {
    name: 'MALIPO_CARD_TRIES_SANDBOX',
    about: 'The same in the sandbox, where all merchants use the same test cards.',
    read: whole(1, 1_000_000),
    fallback: '1000',
  },
  liveMarkup: {
    name: 'MALIPO_FX_MARKUP_LIVE',
    about:
      "Markup on the provider's exchange rates in live, in basis points (100 is 1 %), for buying and selling. Merchants see rates that include it. Only the markup is booked as FX income.",
    read: whole(0, 2000),
    fallback: '0',
  },
  sandboxMarkup: {
    name: 'MALIPO_FX_MARKUP_SANDBOX',
    about: 'The same in the sandbox.',
    read: whole(0, 2000),
    fallback: '100',
  },
  rateJumpPercent: {
    name: 'MALIPO_FX_JUMP_PERCENT',
    about:
      'An exchange rate that differs from the last accepted one by more than this share is held until a second provider or the operator confirms it (`malipo rates`).',
    read: whole(1, 100),
    fallback: '10',
  },
  trustedProxies: {
    name: 'MALIPO_TRUSTED_PROXIES',
    about: 'Addresses or ranges of proxies whose `X-Forwarded-For` is trusted, comma-separated.',
    read: ranges,
    fallback: '',
  },
  sealsPath: {
    name: 'MALIPO_SEALS_PATH',
    about:
      "File outside the database to which the worker writes the seals of the ledger and the audit trail, preferably on another machine's disk. Empty: seals are in the log only.",
    read: optional(nonEmpty),
    fallback: '',
  },
  simulatorUrl: {
    name: 'MALIPO_SIMULATOR_URL',
    about:
      'URL of the provider simulator, which simulates every provider of the sandbox. Empty: the sandbox has no provider.',
    read: optional(httpUrl),
    fallback: '',
  },
  simulatorToken: {
    name: 'MALIPO_SIMULATOR_TOKEN',
    about: "The simulator's bearer token, for its protocols and its control API.",
    read: optional(secret),
    fallback: '',
    isSecret: true,
  },
  sandboxRates: {
    name: 'MALIPO_SANDBOX_REQUESTS_PER_SECOND',
    about:
      'Requests per second that each provider of the sandbox accepts, with limits per operation as for pawaPay. Set it to a live rate to see how work queues.',
    read: requestRates,
    fallback: '1000',
  },
  pawapayUrl: {
    name: 'MALIPO_PAWAPAY_URL',
    about: 'URL of pawaPay for live payments, such as https://api.pawapay.io. Empty: live does not use it.',
    read: optional(httpUrl),
    fallback: '',
  },
  pawapayToken: {
    name: 'MALIPO_PAWAPAY_TOKEN',
    about: 'Token of your pawaPay account, for live payments.',
    read: optional(secret),
    fallback: '',
    isSecret: true,
  },
  pawapaySigner: {
    name: 'MALIPO_PAWAPAY_SIGNER',
    about:
      'Key that signs requests to pawaPay, if the account accepts only signed ones: the id it is registered with, a space, and the PEM of a P-256 private key.',
    read: optional(signer),
    fallback: '',
    isSecret: true,
  },
  pawapaySignatures: {
    name: 'MALIPO_PAWAPAY_SIGNATURES',
    about:
      "Form of ECDSA signatures in both directions: `der`, as in pawaPay's libraries, or `raw` (r‖s, as in RFC 9421).",
    read: oneOf('der', 'raw'),
    fallback: 'der',
  },
  pawapayCallbacks: {
    name: 'MALIPO_PAWAPAY_CALLBACKS',
    about:
      'Whether signed callbacks are enabled at pawaPay. `signed`: a callback without a valid signature is refused with 401. `unsigned`: a callback is a hint to query the payment, never proof.',
    read: oneOf('signed', 'unsigned'),
    fallback: 'signed',
  },
  pawapayRates: {
    name: 'MALIPO_PAWAPAY_REQUESTS_PER_SECOND',
    about:
      'Requests per second that pawaPay accepts from this account, from all processes together: the rate limit in your contract. Lower limits for single operations may follow: `50 charge=20 payout=30 query=10`.',
    read: requestRates,
    fallback: '50',
  },
  flutterwaveUrl: {
    name: 'MALIPO_FLUTTERWAVE_URL',
    about:
      'URL of Flutterwave for live payments, such as https://api.flutterwave.com. It is used only if its three secrets are set too. Empty: live does not use it.',
    read: optional(httpUrl),
    fallback: '',
  },
  flutterwaveSecretKey: {
    name: 'MALIPO_FLUTTERWAVE_SECRET_KEY',
    about: 'Secret key of your Flutterwave account, for live payments.',
    read: optional(secret),
    fallback: '',
    isSecret: true,
  },
  flutterwaveEncryptionKey: {
    name: 'MALIPO_FLUTTERWAVE_ENCRYPTION_KEY',
    about: 'Encryption key of your Flutterwave account for card details, 24 characters.',
    read: optional(cipherKey),
    fallback: '',
    isSecret: true,
  },
  flutterwaveWebhookHash: {
    name: 'MALIPO_FLUTTERWAVE_WEBHOOK_HASH',
    about:
      'Secret hash that Flutterwave sends with its callbacks to `/callbacks/flutterwave`. Set the same value at Flutterwave.',
    read: optional(secret),
    fallback: '',
    isSecret: true,
  },
  flutterwaveRates: {
    name: 'MALIPO_FLUTTERWAVE_REQUESTS_PER_SECOND',
    about: 'Requests per second that Flutterwave accepts from this account, with limits per operation as for pawaPay.',
    read: requestRates,
    fallback: '25',
  },
  flutterwaveZarContact: {
    name: 'MALIPO_FLUTTERWAVE_ZAR_CONTACT',
    about:
      'Contact sent to Flutterwave for every recipient in South Africa. Flutterwave requires it, and merchants do not send it: an e-mail address, a phone number and a postal address, separated by `;`. Empty: live does not pay banks in South Africa.',
    read: optional(zarContact),
    fallback: '',
  },
  ...peopleSettings,
  ...quoteSettings,
  ...retentionSettings,
  ...developmentSettings,
  webhookRanges: {
    name: 'MALIPO_WEBHOOK_RANGES',
    about:
      'Addresses or ranges that are not public and may still receive sandbox webhooks, comma-separated, such as 127.0.0.0/8 for a sandbox on one machine. Live webhooks go to public addresses only.',
    read: ranges,
    fallback: '',
  },
  metricsToken: {
    name: 'MALIPO_METRICS_TOKEN',
    about: 'Bearer token for `/metrics`. Without one, metrics are not served.',
    read: optional(secret),
    fallback: '',
    isSecret: true,
  },
  ...traceSettings,
  logLevel: {
    name: 'MALIPO_LOG_LEVEL',
    about: 'Minimum level that is logged: `trace`, `debug`, `info`, `warn`, `error` or `fatal`.',
    read: oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal'),
    fallback: 'info',
  },
  drainSeconds: {
    name: 'MALIPO_DRAIN_SECONDS',
    about: 'How long the process reports not ready before it stops accepting requests, so that load balancers notice.',
    read: whole(0, 300),
    fallback: '5',
  },
} as const satisfies Record<string, Setting<unknown>>

export type Config = { readonly [Key in keyof typeof settings]: ReturnType<(typeof settings)[Key]['read']> }

/** Thrown with every problem at once, so that one pass corrects a deployment. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'

  constructor(problems: readonly string[]) {
    super(['The configuration is invalid:', ...problems.map((problem) => `  ${problem}`)].join('\n'))
  }
}

/** From the environment, and from the file that MALIPO_CONFIG names. */
export function loadConfig(variables: Variables): Config {
  const { config, problems } = readConfig(variables)
  if (config === undefined) throw new ConfigError(problems)
  return config
}

/** Every setting with its source, and every problem. The configuration is there when there is no problem. */
export function readConfig(variables: Variables): ConfigReading {
  const sources = openSources(variables)
  const { found, problems: inSettings } = findAll(sources, Object.keys(settings) as (keyof Config)[])
  const ofOtherKeys = otherKeyProblems(found)
  const problems = [...inSettings, ...ofOtherKeys]
  const config = problems.length === 0 ? (valuesOf(found) as Config) : undefined
  return { config, problems, found: ofOtherKeys.length > 0 ? withoutOtherKeys(found) : found, path: sources.file?.path }
}

export interface ConfigReading {
  readonly config: Config | undefined
  readonly problems: readonly string[]
  readonly found: Found
  /** Of the file, if there is one. */
  readonly path: string | undefined
}

/** The settings of operator commands: no token keys, since commands issue no tokens. */
export function loadOperatorConfig(variables: Variables) {
  const wanted = [
    ...(['publicUrl', 'databaseUrl', 'databaseOwnerUrl', 'cell', 'secretKeys', 'sealsPath', 'callbackDays'] as const),
    ...(['natsUrl', 'natsCa', 'natsCertificate', 'natsKey', 'natsCredentials'] as const),
  ]
  const { found, problems } = findAll(openSources(variables), wanted)
  if (problems.length > 0) throw new ConfigError(problems)
  return valuesOf(found) as Pick<Config, (typeof wanted)[number]>
}

const rows: readonly Setting<unknown>[] = Object.values(settings)

function findAll(sources: Sources, wanted: readonly (keyof Config)[]) {
  const found = new Map(wanted.map((key) => [key, findSetting(settings[key], sources)]))
  const inSettings = [...found.values()].flatMap(({ problem }) => problem ?? [])
  return { found, problems: [...fileProblems(sources, rows), ...inSettings, ...unknownKeys(sources, rows)] }
}

export type Found = ReadonlyMap<keyof Config, FoundSetting>

const valuesOf = (found: ReadonlyMap<string, FoundSetting>) =>
  Object.freeze(Object.fromEntries([...found].map(([key, { value }]) => [key, value])))
