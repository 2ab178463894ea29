import { statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { Variables } from '../../config/setting-sources.ts'
import { type Config, type ConfigReading, settings } from '../../config.ts'
import { isLoopback } from '../../platform/addresses.ts'
import { type Finding, failed, ok } from './checks.ts'
import { weakKeys } from './weak-keys.ts'

/** Which live providers these settings give a URL, whether or not they are complete. */
const liveUrls = ({ pawapayUrl, flutterwaveUrl }: Config) =>
  [
    { key: 'pawapayUrl', rates: 'pawapayRates', url: pawapayUrl },
    { key: 'flutterwaveUrl', rates: 'flutterwaveRates', url: flutterwaveUrl },
  ] as const

/** What valid settings still do wrong. Connects to nothing. */
export function settingFindings(config: Config, reading: ConfigReading, variables: Variables): Finding[] {
  return [
    ...unknownVariables(variables),
    ...incomplete(config),
    ...secretFiles(reading),
    ...weakKeys(config),
    ...live(config, reading),
    ...(config.databaseOwnerUrl ? [failed('owner login', 'DATABASE_OWNER_URL is set')] : []),
  ]
}

/** Variables of commands and of the restore drill; no process reads them. */
const ofCommands =
  /^MALIPO_(CONFIG|URL|(OPERATOR_)?(PUBLIC_KEY|API_KEY)(_LIVE)?|PROFILE|DEBUG|FOLDER|WEBHOOK_SECRET|ARCHIVE|STANZA|DATABASE|DRILL_PORT|DRILL_LIMIT)$/

function unknownVariables(variables: Variables): Finding[] {
  const rows: readonly { readonly name: string; readonly isSecret?: true }[] = Object.values(settings)
  const known = new Set(rows.flatMap(({ name, isSecret }) => (isSecret ? [name, `${name}_FILE`] : [name])))
  return Object.keys(variables)
    .filter((name) => name.startsWith('MALIPO_') && !known.has(name) && !ofCommands.test(name))
    .map((name) => failed('unknown settings', `${name} is not a setting`))
}

/** Settings without effect, because another one is missing. */
const pairs: readonly {
  readonly set: keyof Config
  readonly needs: readonly (keyof Config)[]
  readonly effect: string
}[] = [
  { set: 'pawapayUrl', needs: ['pawapayToken'], effect: 'live does not use pawaPay' },
  { set: 'pawapayToken', needs: ['pawapayUrl'], effect: 'live does not use pawaPay' },
  {
    set: 'flutterwaveUrl',
    needs: ['flutterwaveSecretKey', 'flutterwaveEncryptionKey', 'flutterwaveWebhookHash'],
    effect: 'live does not use Flutterwave',
  },
  { set: 'flutterwaveSecretKey', needs: ['flutterwaveUrl'], effect: 'live does not use Flutterwave' },
  { set: 'simulatorUrl', needs: ['simulatorToken'], effect: 'the sandbox has no provider' },
  { set: 'natsCertificate', needs: ['natsKey'], effect: 'NATS gets no certificate' },
  { set: 'natsKey', needs: ['natsCertificate'], effect: 'NATS gets no certificate' },
  { set: 'oidcIssuer', needs: ['oidcClientId', 'oidcClientSecret'], effect: 'people cannot sign in there' },
]

function incomplete(config: Config): Finding[] {
  const nameOf = (key: keyof Config) => settings[key].name
  return pairs.flatMap(({ set, needs, effect }) => {
    const missing = needs.filter((key) => config[key] === undefined)
    if (config[set] === undefined || missing.length === 0) return []
    return [
      failed('incomplete settings', `${nameOf(set)} is set without ${missing.map(nameOf).join(' and ')}: ${effect}`),
    ]
  })
}

function secretFiles({ found }: ConfigReading): Finding[] {
  return [...found.values()].flatMap(({ label, secretPath }) =>
    secretPath && isReadByOthers(secretPath)
      ? [failed('secret files', `every user of this machine can read ${secretPath}, which holds ${label}`)]
      : [],
  )
}

/** A file that all may read is still private in a folder that only its owner may enter. */
function isReadByOthers(path: string): boolean {
  if (process.getuid === undefined || (statSync(path).mode & 0o004) === 0) return false
  for (let folder = dirname(resolve(path)); ; folder = dirname(folder)) {
    if ((statSync(folder).mode & 0o001) === 0) return false
    if (folder === dirname(folder)) return true
  }
}

function live(config: Config, { found }: ConfigReading): Finding[] {
  const used = liveUrls(config).filter(({ url }) => url !== undefined)
  if (used.length === 0) return []
  const simulated = used
    .filter(({ url = '' }) => url === config.simulatorUrl || isHere(url))
    .map(({ key, url }) => failed('simulator in live', `${settings[key].name} is ${url}`))
  const unset = used.filter(({ rates }) => found.get(rates)?.source === 'default')
  const rates = unset.map(({ rates: key }) => failed('provider rates', `${settings[key].name} is not set`))
  const development =
    config.development === 'on'
      ? [failed('settings', 'MALIPO_DEVELOPMENT is on, and a live provider is configured', { remedy: 'turn it off' })]
      : []
  const isPublic = config.publicUrl.startsWith('https:') && !isHere(config.publicUrl)
  const own = isPublic
    ? ok('public URL', config.publicUrl)
    : failed('public URL', `MALIPO_PUBLIC_URL is ${config.publicUrl}`)
  return [...development, ...simulated, ...(unset.length > 0 ? rates : [ok('provider rates', 'set')]), own]
}

/** Whether a URL leads to this machine. */
const isHere = (url: string) => isLoopback(new URL(url).hostname)
