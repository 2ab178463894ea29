import { parse } from 'yaml'
import { settingProblems } from './settings.ts'

interface Service {
  readonly image?: string
  readonly user?: string
  readonly read_only?: boolean
  readonly cap_drop?: readonly string[]
  readonly security_opt?: readonly string[]
  readonly privileged?: boolean
  readonly restart?: string
  readonly healthcheck?: object
  readonly environment?: Readonly<Record<string, unknown>>
  readonly secrets?: readonly (string | { readonly source: string })[]
  readonly ports?: readonly string[]
  readonly volumes?: readonly string[]
  readonly depends_on?: Readonly<Record<string, unknown>>
  readonly deploy?: { readonly resources?: { readonly limits?: Readonly<Record<string, unknown>> } }
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>
  readonly secrets: Readonly<Record<string, { readonly file: string }>>
  readonly volumes: Readonly<Record<string, unknown>>
}

/** What is wrong with a compose file. `exists` reports whether a path beside it does. */
export function composeProblems(text: string, exists: (path: string) => boolean): string[] {
  const compose = parse(text, { merge: true }) as Compose
  return Object.entries(compose.services).flatMap(([name, service]) =>
    [
      ...hardeningProblems(service),
      ...referenceProblems(service, compose, exists),
      ...settingProblems(service.environment ?? {}),
    ].map((problem) => `${name}: ${problem}`),
  )
}

export function imageProblems(image = ''): string[] {
  const tag = /:([^/:]+)$/.exec(image)?.[1]
  return tag === undefined || tag === 'latest' ? [`image ${image} is not pinned`] : []
}

function hardeningProblems(service: Service): string[] {
  const limits = service.deploy?.resources?.limits ?? {}
  const isOneShot = service.restart === 'no'
  const rules: readonly [boolean, string][] = [
    [service.read_only === true, 'its root can be written'],
    [/^[1-9]\d*:[1-9]\d*$/.test(service.user ?? ''), 'it may run as root'],
    [service.cap_drop?.includes('ALL') === true, 'it keeps capabilities'],
    [service.security_opt?.includes('no-new-privileges:true') === true, 'it may gain privileges'],
    [service.privileged !== true, 'it is privileged'],
    ['cpus' in limits && 'memory' in limits, 'it has no limits of processor and memory'],
    [isOneShot || service.healthcheck !== undefined, 'it has no health check'],
  ]
  return [...imageProblems(service.image), ...rules.filter(([isKept]) => !isKept).map(([, problem]) => problem)]
}

function referenceProblems(service: Service, compose: Compose, exists: (path: string) => boolean): string[] {
  const secrets = (service.secrets ?? []).map((each) => (typeof each === 'string' ? each : each.source))
  const sources = (service.volumes ?? []).map((volume) => volume.split(':')[0] ?? '')
  const files = Object.entries(service.environment ?? {})
    .filter(([name]) => name.endsWith('_FILE'))
    .map(([, path]) => String(path).replace('/run/secrets/', ''))
  return [
    ...secrets.filter((name) => !(name in compose.secrets)).map((name) => `secret ${name} is not declared`),
    ...files.filter((name) => !secrets.includes(name)).map((name) => `it does not get the secret ${name}`),
    ...sources
      .filter((source) => (source.startsWith('.') ? !exists(source) : !(source in compose.volumes)))
      .map((source) => `volume ${source} does not exist`),
    ...Object.keys(service.depends_on ?? {})
      .filter((name) => !(name in compose.services))
      .map((name) => `it depends on ${name}, which does not exist`),
    ...(service.ports ?? [])
      .filter((port) => !port.startsWith('127.0.0.1:'))
      .map((port) => `port ${port} is open to other machines`),
  ]
}
