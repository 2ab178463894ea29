import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { loadConfig } from '../packages/server/src/config.ts'
import { startPostgres } from '../packages/server/src/dev-stack/postgres.ts'
import { freePort, guardFolder, makeFolder } from '../packages/server/src/dev-stack/processes.ts'
import { migrate } from '../packages/server/src/platform/migrate.ts'
import { Secret } from '../packages/server/src/platform/secret.ts'

const deploy = join(import.meta.dirname, '../deploy')
const read = (path: string) => readFileSync(join(deploy, path), 'utf8')
const exposureMax = 3

function openFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'malipo-deploy-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

interface Linted {
  readonly isRight: boolean
  readonly output: string
}

function lint(program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Linted {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    encoding: 'utf8',
    env: { ...process.env, ...env, PATH: `${process.env['PATH']}:/usr/sbin` },
  })
  assert.equal(error, undefined, `${program} is not installed`)
  return { isRight: status === 0, output: `${stdout}${stderr}` }
}

/** The linter accepts the file, and refuses it with the planted mistake. */
function assertLinted(
  t: TestContext,
  name: string,
  text: string,
  mistake: [string, string],
  linter: (path: string) => Linted,
) {
  const path = join(openFolder(t), name)
  writeFileSync(path, text)
  const right = linter(path)
  assert.ok(right.isRight, right.output)

  assert.ok(text.includes(mistake[0]), `the file no longer contains ${mistake[0]}`)
  writeFileSync(path, text.replace(mistake[0], mistake[1]))
  assert.equal(linter(path).isRight, false, `${mistake[1]} was not refused`)
}

test('HAProxy accepts its configuration and refuses a planted mistake', (t) => {
  assertLinted(t, 'haproxy.cfg', read('haproxy/haproxy.cfg'), ['option httpchk', 'option httpcheck'], (path) =>
    lint('haproxy', ['-c', '-f', path]),
  )
})

test('HAProxy accepts the configuration of compose.yaml and refuses a planted mistake', (t) => {
  const text = read('compose/haproxy.cfg').replaceAll(/api-[12]:/g, '127.0.0.1:')

  assertLinted(t, 'haproxy.cfg', text, ['init-addr', 'init-address'], (path) => lint('haproxy', ['-c', '-f', path]))
})

for (const path of ['nats/nats.conf', 'compose/nats.conf'])
  test(`NATS accepts deploy/${path} and refuses a planted mistake`, (t) => {
    assertLinted(t, 'nats.conf', read(path), ['routes: [', 'routes: '], (file) =>
      lint('nats-server', ['-t', '-c', file], { HOSTNAME: 'nats-1' }),
    )
  })

/** It also tries the addresses, which are of this machine, and etcd, which does not run. */
function validate(path: string): Linted {
  const { output } = lint('patroni', ['--validate-config', path])
  const problems = output.split('\n').filter((line) => line !== '' && !/connect_address|etcd3\.hosts/.test(line))
  return { isRight: problems.length === 0, output }
}

test('Patroni accepts its configuration and refuses a planted mistake', async (t) => {
  const [rest, postgres] = [await freePort(), await freePort()]
  const text = read('patroni/patroni.yml')
    .replaceAll('10.0.0.1:8008', `127.0.0.1:${rest}`)
    .replaceAll('10.0.0.1:5432', `127.0.0.1:${postgres}`)
    .replaceAll(/hosts: .*/g, 'hosts: 127.0.0.1:2379')
    .replace('data_dir: /var/lib/postgresql/malipo', `data_dir: ${join(openFolder(t), 'data')}`)
  const folder = '/usr/lib/postgresql'
  const [installed = '15'] = execFileSync('ls', [folder], { encoding: 'utf8' }).split('\n')

  assertLinted(
    t,
    'patroni.yml',
    text.replace('/postgresql/15/', `/postgresql/${installed}/`),
    ['bin_dir: /usr/lib', 'bin_dir: /nowhere'],
    validate,
  )
})

test('pgBackRest accepts its configuration and warns about a planted mistake', (t) => {
  const info = (path: string): Linted => {
    const found = lint('pgbackrest', [`--config=${path}`, '--stanza=malipo', 'info'], {
      PGBACKREST_REPO1_CIPHER_PASS: 'of-a-test',
    })
    return { ...found, isRight: found.isRight && !found.output.includes('WARN') }
  }

  assertLinted(t, 'pgbackrest.conf', read('pgbackrest/pgbackrest.conf'), ['start-fast', 'start-quick'], info)
})

test('systemd accepts every unit, and refuses a planted mistake', (t) => {
  const folder = openFolder(t)
  const verify = () => lint('systemd-analyze', ['verify', ...globSync(join(folder, '*'))])
  for (const path of globSync(join(deploy, 'systemd/*.{service,timer}'))) {
    const text = readFileSync(path, 'utf8').replace('/opt/malipo/node/bin/node', '/bin/true')
    writeFileSync(join(folder, basename(path)), text.replace('/usr/bin/pgbackrest', '/bin/true'))
  }
  assert.deepEqual(verify(), { isRight: true, output: '' })

  const unit = join(folder, 'malipo-api.service')
  writeFileSync(unit, readFileSync(unit, 'utf8').replace('ProtectSystem=strict', 'ProtectSystm=strict'))
  assert.match(verify().output, /Unknown key (name )?'ProtectSystm'/)
})

test('the exposure of every systemd unit is low, and a unit without protection is found', (t) => {
  const exposureOf = (path: string) => {
    const { output } = lint('systemd-analyze', ['security', '--offline=true', '--no-pager', path])
    return Number(/exposure level for \S+: ([\d.]+)/.exec(output)?.[1])
  }
  const units = globSync(join(deploy, 'systemd/*.service'))
  assert.ok(units.length > 0)
  for (const path of units) assert.ok(exposureOf(path) <= exposureMax, `${path}: ${exposureOf(path)}`)

  const open = join(openFolder(t), 'open.service')
  writeFileSync(
    open,
    read('systemd/malipo-api.service').replaceAll(/^(Protect|Private|Restrict|SystemCall|NoNew|Cap).*\n/gm, ''),
  )
  assert.ok(exposureOf(open) > exposureMax)
})

test('the install script keeps settings and secrets when it runs again', (t) => {
  const [root, source] = [join(openFolder(t), 'root'), join(openFolder(t), 'malipo')]
  for (const folder of ['packages/dashboard/dist', 'node_modules/fastify'])
    mkdirSync(join(source, folder), { recursive: true })
  for (const path of ['deploy', 'package.json', 'LICENSE', 'packages/cli', 'packages/sdk', 'packages/server'])
    execFileSync('cp', ['-R', join(deploy, '..', path), join(source, path)])
  execFileSync('sh', ['-c', `ln -sf "${join(deploy, '../node_modules')}"/* node_modules/ 2>/dev/null || true`], {
    cwd: source,
  })
  writeFileSync(join(source, 'packages/dashboard/dist/index.html'), '')
  const install = () => lint('bash', [join(source, 'deploy/systemd/install'), '--root', root])
  const secret = (name: string) => join(root, 'etc/malipo/secrets', name)

  const first = install()
  assert.ok(first.isRight, first.output)
  const keys = readFileSync(secret('secret-keys'), 'utf8')
  writeFileSync(secret('database-url'), 'postgres://malipo:chosen@127.0.0.1/malipo')
  const second = install()

  assert.ok(second.isRight, second.output)
  assert.equal(readFileSync(secret('secret-keys'), 'utf8'), keys)
  assert.equal(statSync(secret('secret-keys')).mode & 0o777, 0o600)
  assert.equal(statSync(join(root, 'etc/malipo/secrets')).mode & 0o777, 0o700)
  assert.ok(existsSync(join(root, 'opt/malipo/current/packages/server/src/main.ts')))
  assert.ok(existsSync(join(root, 'etc/systemd/system/malipo-api.service')))
  const config = loadConfig({
    DATABASE_URL_FILE: secret('database-url'),
    MALIPO_TOKEN_KEYS_FILE: secret('token-keys'),
    MALIPO_SECRET_KEYS_FILE: secret('secret-keys'),
    MALIPO_METRICS_TOKEN_FILE: secret('metrics-token'),
    MALIPO_SIMULATOR_TOKEN_FILE: secret('simulator-token'),
  })
  assert.match(config.databaseUrl.reveal(), /chosen/)
})

test('the example of malipo.toml is valid with its commented lines too, and a misspelt key is found', (t) => {
  const folder = openFolder(t)
  const path = join(folder, 'malipo.toml')
  for (const name of ['database-url', 'token-keys', 'secret-keys', 'metrics-token', 'simulator-token', 'pawapay-token'])
    writeFileSync(join(folder, name), secretsOfTheExample[name] ?? 'a-token-that-is-not-used')
  const text = read('malipo.toml')
    .replaceAll(/^# (?=\S+ = |\[)/gm, '')
    .replaceAll('/etc/malipo/secrets/', '')
  const load = (changed: string) => {
    writeFileSync(path, changed, { mode: 0o644 }) // As docs/operating/install.md installs it.
    return loadConfig({ MALIPO_CONFIG: path })
  }

  const config = load(text)

  assert.deepEqual([config.publicUrl, config.natsReplicas], ['https://pay.example.com', 3])
  assert.equal(config.pawapayRates.operationsPerSecond.payout, 30)
  assert.throws(() => load(text.replace('nats_replicas', 'nats_replica')), /nats_replica in .* is not a setting/)
})

const secretsOfTheExample: Readonly<Record<string, string>> = {
  'database-url': 'postgres://malipo:x@127.0.0.1/malipo',
  'token-keys': `a:${randomBytes(32).toString('base64url')}`,
  'secret-keys': `a:v2:${randomBytes(32).toString('base64url')}`,
}

test('the secrets and the first start of compose.yaml give a database that migrates', {
  timeout: 120_000,
}, async (t) => {
  const folder = makeFolder(openFolder(t))
  const guard = guardFolder(folder, { isKept: false })
  t.after(() => guard.dismiss())
  execFileSync('cp', ['-R', join(deploy, 'compose'), folder])
  rmSync(join(folder, 'compose/secrets'), { recursive: true, force: true })
  execFileSync('bash', [join(folder, 'compose/prepare')])
  const secret = (name: string) => readFileSync(join(folder, 'compose/secrets', name), 'utf8')
  const keys = secret('secret-keys')
  execFileSync('bash', [join(folder, 'compose/prepare')])
  assert.equal(secret('secret-keys'), keys, 'a second run changed a key')
  loadConfig({
    DATABASE_URL: secret('database-url'),
    MALIPO_TOKEN_KEYS: secret('token-keys'),
    MALIPO_SECRET_KEYS: keys,
    MALIPO_SIMULATOR_TOKEN: secret('simulator-token'),
    MALIPO_METRICS_TOKEN: secret('metrics-token'),
  })
  const postgres = await startPostgres(folder)
  t.after(() => postgres.stop())
  const script = read('compose/postgres-init.sh').replaceAll('/run/secrets', join(folder, 'compose/secrets'))
  const { hostname, port, password } = new URL(postgres.urlOf('postgres'))

  execFileSync('bash', ['--norc', '-c', script], {
    env: { PATH: process.env['PATH'], PGHOST: hostname, PGPORT: port, PGPASSWORD: password, PGDATA: folder },
  })

  const urlOf = (name: string) => secret(name).replace('@postgres/', `@${hostname}:${port}/`)
  await migrate(new Secret(urlOf('database-owner-url')), 0)
  await assert.rejects(migrate(new Secret(urlOf('database-url')), 0), /permission denied|must be/)
  assert.match(readFileSync(join(folder, 'pg_hba.conf'), 'utf8'), /^host replication replicator/)
})

test('malipo runs under an account without a name, as a service may have', () => {
  const main = join(deploy, '../packages/cli/src/main.ts')
  // It may read the clone, wherever that is.
  const account = ['--reuid=54321', '--clear-groups', '--inh-caps=+dac_override', '--ambient-caps=+dac_override']

  const { isRight, output } = lint('setpriv', [...account, process.execPath, main, '--version'])

  assert.ok(isRight, output)
})
