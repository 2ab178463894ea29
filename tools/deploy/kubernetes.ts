import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse, parseAllDocuments } from 'yaml'
import { metricTable } from '../../packages/server/src/platform/metric-table.ts'
import { settingProblems } from './settings.ts'

type Fields = Readonly<Record<string, unknown>>

interface Container extends Fields {
  readonly image: string
  readonly env?: readonly { readonly name: string; readonly value?: string }[]
  readonly envFrom?: readonly { readonly configMapRef: { readonly name: string } }[]
  readonly resources?: { readonly requests?: Fields; readonly limits?: Fields }
  readonly securityContext?: Fields & { readonly capabilities?: { readonly drop?: readonly string[] } }
  readonly volumeMounts?: readonly { readonly name: string }[]
}

interface Pod extends Fields {
  readonly automountServiceAccountToken?: boolean
  readonly securityContext?: Fields & { readonly seccompProfile?: { readonly type?: string } }
  readonly containers: readonly Container[]
  readonly volumes?: readonly { readonly name: string }[]
}

export interface Manifest {
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly labels?: Fields }
  readonly data?: Fields
  readonly spec?: {
    readonly template?: { readonly metadata?: { readonly labels?: Fields }; readonly spec: Pod }
    readonly volumeClaimTemplates?: readonly { readonly metadata: { readonly name: string } }[]
    readonly selector?: Fields & { readonly matchLabels?: Fields }
    readonly scaleTargetRef?: { readonly kind: string; readonly name: string }
    readonly replicas?: number
    readonly metrics?: readonly { readonly external?: { readonly metric: { readonly name: string } } }[]
  }
}

/** Kubernetes ignores a field that it does not know, so a misspelt probe would only be missed in production. */
const podFields =
  'automountServiceAccountToken containers enableServiceLinks restartPolicy securityContext serviceAccountName terminationGracePeriodSeconds topologySpreadConstraints volumes'
const containerFields =
  'args env envFrom image livenessProbe name ports readinessProbe resources securityContext startupProbe volumeMounts'

/** Every manifest of a folder, and the problems of its kustomization: files that it names and that do not exist, or the reverse. */
export function readManifests(folder: string): { manifests: Manifest[]; problems: string[] } {
  const { resources, patches = [] } = parse(readFileSync(join(folder, 'kustomization.yaml'), 'utf8')) as {
    readonly resources: readonly string[]
    readonly patches?: readonly { readonly path: string }[]
  }
  const named = [...resources, ...patches.map(({ path }) => path)].filter((path) => path.endsWith('.yaml'))
  const there = readdirSync(folder).filter((name) => name.endsWith('.yaml') && name !== 'kustomization.yaml')
  const manifests = there.flatMap((name) =>
    parseAllDocuments(readFileSync(join(folder, name), 'utf8')).map((document) => document.toJS() as Manifest),
  )
  const problems = [
    ...named.filter((name) => !there.includes(name)).map((name) => `${name} does not exist`),
    ...there.filter((name) => !named.includes(name)).map((name) => `${name} is in no kustomization`),
  ]
  return { manifests, problems }
}

/** What is wrong with manifests that are applied together. */
export function manifestProblems(manifests: readonly Manifest[]): string[] {
  return manifests.flatMap((manifest) =>
    [
      ...(manifest.kind === 'Namespace' || manifest.metadata.namespace === 'malipo'
        ? []
        : ['its namespace is not malipo']),
      ...(manifest.kind === 'ConfigMap' ? settingProblems(manifest.data ?? {}) : []),
      ...podProblems(manifest, manifests),
      ...targetProblems(manifest, manifests),
      ...scalingProblems(manifest, manifests),
    ].map((problem) => `${manifest.kind} ${manifest.metadata.name}: ${problem}`),
  )
}

function podProblems({ kind, spec }: Manifest, all: readonly Manifest[]): string[] {
  const pod = spec?.template?.spec
  if (!pod) return []
  const volumes = [...(pod.volumes ?? []), ...(spec.volumeClaimTemplates ?? []).map(({ metadata }) => metadata)]
  const { runAsNonRoot, runAsUser, seccompProfile } = pod.securityContext ?? {}
  const rules: readonly [boolean, string][] = [
    [runAsNonRoot === true && runAsUser === 65_532, 'it may run as root'],
    [seccompProfile?.type === 'RuntimeDefault', 'it has no seccomp profile'],
    [pod.automountServiceAccountToken === false, 'it gets a token of the Kubernetes API'],
    [isAmong(spec.selector?.matchLabels ?? {}, spec.template?.metadata?.labels), 'its selector finds none of its pods'],
  ]
  return [
    ...rules.filter(([isKept]) => !isKept).map(([, problem]) => problem),
    ...unknownFields(pod, podFields),
    ...pod.containers.flatMap((container) => [
      ...containerProblems(container, kind !== 'Job'),
      ...(container.volumeMounts ?? [])
        .filter(({ name }) => !volumes.some((volume) => volume.name === name))
        .map(({ name }) => `volume ${name} does not exist`),
      ...(container.envFrom ?? [])
        .filter(({ configMapRef }) => !has(all, 'ConfigMap', configMapRef.name))
        .map(({ configMapRef }) => `ConfigMap ${configMapRef.name} does not exist`),
    ]),
  ]
}

function containerProblems(container: Container, isServing: boolean): string[] {
  const { allowPrivilegeEscalation, readOnlyRootFilesystem, capabilities } = container.securityContext ?? {}
  const rules: readonly [boolean, string][] = [
    [container.image === 'malipo', 'its image is not the one that the kustomization pins'],
    [allowPrivilegeEscalation === false, 'it may gain privileges'],
    [readOnlyRootFilesystem === true, 'its root can be written'],
    [capabilities?.drop?.includes('ALL') === true, 'it keeps capabilities'],
    [container.resources?.limits?.['memory'] !== undefined, 'it has no limit of memory'],
    [container.resources?.requests?.['cpu'] !== undefined, 'it requests no processor'],
    [!isServing || (container['readinessProbe'] && container['livenessProbe']) !== undefined, 'it has no probes'],
  ]
  return [
    ...rules.filter(([isKept]) => !isKept).map(([, problem]) => problem),
    ...unknownFields(container, containerFields),
    ...settingProblems(Object.fromEntries((container.env ?? []).map(({ name, value }) => [name, value]))),
  ]
}

/** What scales or protects pods names some that exist. */
function targetProblems({ kind, spec }: Manifest, all: readonly Manifest[]): string[] {
  const target = spec?.scaleTargetRef
  if (target) return has(all, target.kind, target.name) ? [] : [`${target.kind} ${target.name} does not exist`]
  const selector = { PodDisruptionBudget: spec?.selector?.matchLabels, Service: spec?.selector }[kind]
  if (!selector) return []
  const isThere = all.some((other) => other.spec?.template && isAmong(selector, other.spec.template.metadata?.labels))
  return isThere ? [] : ['its selector finds no pod']
}

const metricNames = new Set<string>(Object.values(metricTable).map(({ name }) => name))

/** What scales pods reads a metric that exists, and alone decides how many there are: an apply would undo it. */
function scalingProblems({ spec }: Manifest, all: readonly Manifest[]): string[] {
  const target = spec?.scaleTargetRef
  const scaled = all.find(({ kind, metadata }) => kind === target?.kind && metadata.name === target.name)
  return [
    ...(scaled?.spec?.replicas === undefined ? [] : [`${target?.kind} ${target?.name} has replicas too`]),
    ...(spec?.metrics ?? []).flatMap(({ external }) =>
      external === undefined || metricNames.has(external.metric.name)
        ? []
        : [`${external.metric.name} is not a metric of Malipo`],
    ),
  ]
}

const has = (all: readonly Manifest[], kind: string, name: string) =>
  all.some((other) => other.kind === kind && other.metadata.name === name)

const isAmong = (wanted: Fields, labels: Fields = {}) =>
  Object.entries(wanted).every(([name, value]) => labels[name] === value)

const unknownFields = (fields: Fields, known: string) =>
  Object.keys(fields)
    .filter((name) => !known.split(' ').includes(name))
    .map((name) => `${name} is not a field that is used here`)
