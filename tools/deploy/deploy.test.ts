import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { composeProblems } from './compose.ts'
import { dockerfileProblems } from './dockerfile.ts'
import { type Manifest, manifestProblems, readManifests } from './kubernetes.ts'
import { unitProblems } from './systemd.ts'

const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const compose = read('compose.yaml')
const kubernetes = join(root, 'deploy/kubernetes')

/** Each planted mistake: what is replaced, by what, and the problem that must be reported. */
type Mistakes = readonly (readonly [string, string, RegExp])[]

function assertFound(text: string, mistakes: Mistakes, problemsOf: (text: string) => readonly string[]): void {
  for (const [from, to, problem] of mistakes) {
    assert.ok(text.includes(from), `the file no longer contains ${from}`)
    assert.match(problemsOf(text.replace(from, to)).join('\n'), problem)
  }
}

test('compose.yaml is hardened, pinned and complete, and every planted mistake is found', () => {
  const isThere = (path: string) => existsSync(join(root, path))

  assert.deepEqual(composeProblems(compose, isThere), [])
  assertFound(
    compose,
    [
      ['image: malipo:0.2.0', 'image: malipo:latest', /api-1: image malipo:latest is not pinned/],
      ['read_only: true', 'read_only: false', /its root can be written/],
      ["user: '65532:65532'", "user: '0:0'", /api-1: it may run as root/],
      ['cap_drop: [ALL]', 'cap_drop: []', /it keeps capabilities/],
      ['MALIPO_NATS_REPLICAS', 'MALIPO_NATS_REPLICA', /MALIPO_NATS_REPLICA is not a setting/],
      ['MALIPO_METRICS_TOKEN_FILE', 'MALIPO_METRICS_TOKEN', /MALIPO_METRICS_TOKEN is a secret/],
      ["ports: ['127.0.0.1:8080:8080']", "ports: ['8080:8080']", /haproxy: port 8080:8080 is open/],
      ['secrets: [simulator-token]', 'secrets: [simulator]', /simulator: secret simulator is not declared/],
      ['./deploy/compose/haproxy.cfg', './deploy/haproxy.cfg', /haproxy: volume .* does not exist/],
      ['api-2: { condition', 'api-3: { condition', /depends on api-3, which does not exist/],
      ["cpus: '0.25', ", '', /alertmanager: it has no limits/],
    ],
    (text) => composeProblems(text, isThere),
  )
})

test('the Dockerfile pins its base and runs without root, and every planted mistake is found', () => {
  const dockerfile = read('Dockerfile')

  assert.deepEqual(dockerfileProblems(dockerfile), [])
  assertFound(
    dockerfile,
    [
      ['node:24.21.0-bookworm-slim', 'node:latest', /node:latest is not pinned/],
      ['USER 65532:65532', 'USER root', /does not run as 65532/],
      ['ENTRYPOINT ["/usr/local/bin/node", "/app/start.ts"]', 'ENTRYPOINT node start.ts', /signals do not reach/],
      ['npm ci', 'npm install', /ignores the lock file/],
      ['ENV NODE_ENV', 'ENV MALIPO_TOKEN_KEYS=x NODE_ENV', /a secret is part of the image/],
      ['COPY packages packages', 'COPY . .', /copies the whole folder/],
    ],
    dockerfileProblems,
  )
})

test('nothing enters the build of the image unless .dockerignore lists it', () => {
  const [first] = read('.dockerignore')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))

  assert.equal(first, '*')
})

for (const overlay of ['production', 'sandbox'])
  test(`the Kubernetes manifests of ${overlay} are restricted, and name only what exists`, () => {
    const [base, over] = [readManifests(join(kubernetes, 'base')), readManifests(join(kubernetes, 'overlays', overlay))]

    assert.deepEqual([...base.problems, ...over.problems], [])
    assert.deepEqual(manifestProblems([...base.manifests, ...over.manifests]), [])
  })

test('every mistake planted in a Kubernetes manifest is found', () => {
  const { manifests } = readManifests(join(kubernetes, 'base'))
  const problemsOf = (text: string) => manifestProblems(JSON.parse(text) as Manifest[])

  assertFound(
    JSON.stringify(manifests),
    [
      ['"runAsNonRoot":true', '"runAsNonRoot":false', /Deployment api: it may run as root/],
      ['"readOnlyRootFilesystem":true', '"readOnlyRootFilesystem":false', /its root can be written/],
      ['"readinessProbe"', '"readinessProb"', /readinessProb is not a field that is used here/],
      ['"drop":["ALL"]', '"drop":[]', /it keeps capabilities/],
      ['"limits":{"memory":"768Mi"}', '"limits":{}', /it has no limit of memory/],
      [
        '"secret":{"secretName":"malipo"',
        '"name":"other","secret":{"secretName":"malipo"',
        /volume secrets does not exist/,
      ],
      ['"kind":"Deployment","name":"api"', '"kind":"Deployment","name":"apis"', /Deployment apis does not exist/],
      ['malipo_lane_oldest_due_seconds', 'malipo_lane_backlog', /worker: malipo_lane_backlog is not a metric/],
      ['"revisionHistoryLimit"', '"replicas":2,"revisionHistoryLimit"', /Deployment api has replicas too/],
      ['MALIPO_DRAIN_SECONDS', 'MALIPO_DRAIN', /ConfigMap malipo: MALIPO_DRAIN is not a setting/],
      ['"NATS_URL":"nats://', '"NATS_URL":"nats://user:word@', /NATS_URL is a secret and must be a file/],
      ['"configMapRef":{"name":"malipo"}', '"configMapRef":{"name":"settings"}', /ConfigMap settings does not exist/],
    ],
    problemsOf,
  )
})

test('every systemd unit gives settings that exist and secrets that it loads', () => {
  for (const path of globSync('deploy/systemd/*.service', { cwd: root })) assert.deepEqual(unitProblems(read(path)), [])

  assertFound(
    read('deploy/systemd/malipo-api.service'),
    [
      ['MALIPO_PORT', 'MALIPO_PORTS', /MALIPO_PORTS is not a setting/],
      ['LoadCredential=token-keys', '#LoadCredential=token-keys', /MALIPO_TOKEN_KEYS_FILE is %d\/token-keys/],
      ['DATABASE_URL_FILE=%d/database-url', 'DATABASE_URL=postgres://malipo@db', /DATABASE_URL is a secret/],
    ],
    unitProblems,
  )
})
