/**
 * npm run clean-machine: follows "With systemd" of docs/operating/install.md on a new Debian that boots its own systemd, and prints
 * what each command printed. Fails when a unit does not start or a charge is not paid. Needs root, mmdebstrap and systemd-container.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fencesOf } from '../tools/docs/markdown.ts'

const root = join(import.meta.dirname, '..')
const page = fencesOf(readFileSync(join(root, 'docs/operating/install.md'), 'utf8'))
const bootMinutesMax = 10

/** The machine before the page: PostgreSQL and NATS of Debian, on this machine alone. */
const packages = 'systemd,systemd-sysv,dbus,ca-certificates,curl,npm,postgresql,nats-server'
const postgresSettings = 'log_parameter_max_length = 0\nlog_parameter_max_length_on_error = 0\n'
const natsSettings = 'listen: 127.0.0.1:4222\njetstream { store_dir: /var/lib/nats }\n'

const folder = mkdtempSync(join(tmpdir(), 'malipo-machine-'))
const machine = join(folder, 'machine')
try {
  process.exitCode = follow()
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function follow(): number {
  timed('a new Debian', makeMachine)
  timed('npm and deploy/systemd/install', install)
  const unit = `[Unit]\nAfter=multi-user.target\n[Service]\nType=oneshot\nExecStart=/root/follow\nExecStopPost=systemctl --no-block poweroff\n`
  writeFileSync(join(machine, 'etc/systemd/system/follow.service'), unit)
  within('systemctl add-wants graphical.target follow.service')
  writeFileSync(join(machine, 'root/follow'), script(), { mode: 0o700 })
  timed('boot, migrate, start, pay', boot)
  const transcript = join(machine, 'root/transcript')
  console.log(existsSync(transcript) ? readFileSync(transcript, 'utf8') : 'the machine did not run the script')
  const isDone = existsSync(join(machine, 'root/done'))
  console.log(isDone ? 'The installation takes payments.' : 'FAILED')
  return isDone ? 0 : 1
}

/** A block of the page as commands of the new machine. */
function block(name: string): string {
  const found = page.find(({ words }) => words.includes(name))
  if (!found) throw new Error(`install.md has no block ${name}`)
  return found.text.replaceAll('npm run malipo --', 'malipo')
}

function makeMachine(): void {
  const lists = 'mkdir -p "$1/var/lib/apt/lists" && cp -a /var/lib/apt/lists/*_* "$1/var/lib/apt/lists/"'
  const options = ['--variant=minbase', `--include=${packages}`, `--setup-hook=${lists}`, '--skip=update']
  run('mmdebstrap', ['--quiet', ...options, 'bookworm', machine, '/etc/apt/sources.list.d/debian.sources'])
  cpSync(process.execPath, join(machine, 'usr/local/bin/node'))
  // How this machine reaches the registry: only npm needs it.
  for (const path of ['/etc/resolv.conf', '/etc/ssl/certs/ca-certificates.crt', '/usr/etc/npmrc', '/etc/npmrc'])
    if (existsSync(path)) cpSync(path, join(machine, path), { dereference: true })
  for (const name of ['.npmrc', '.npm'])
    if (existsSync(join(homedir(), name)))
      cpSync(join(homedir(), name), join(machine, 'root', name), { recursive: true })
  writeFileSync(join(machine, 'etc/nats-server.conf'), natsSettings)
  within(
    'install -d -o nats -g nats /var/lib/nats && pg_dropcluster 15 main && pg_createcluster 15 main -- --data-checksums',
  )
  writeFileSync(join(machine, 'etc/postgresql/15/main/conf.d/malipo.conf'), postgresSettings)
  run('git', ['clone', '--quiet', root, join(machine, 'opt/checkout')])
}

function install(): void {
  within(`cd /opt/checkout && ${block('release')}`)
}

/** The commands of the page, with passwords in place of those to choose, and the answers of its reader between them. */
function script(): string {
  const sql = (name: string, password: string) => block(name).replace("'…'", `'${password}'`)
  return `#!/bin/bash
exec >/root/transcript 2>&1
export HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin PS4='$ '
trap 'journalctl --no-pager --quiet --priority=warning --lines=40' ERR
set -eEo pipefail
cd /opt/checkout
set -x
: 'step 1: the database, and the settings of this machine'
runuser -u postgres -- psql --quiet <<'SQL'
${sql('database', 'of-the-owner')}SQL
sed -i 's/CHANGE@127.0.0.1:5000/of-the-processes@127.0.0.1:5432/' /etc/malipo/secrets/database-url
sed -i 's/CHANGE@127.0.0.1:5000/of-the-owner@127.0.0.1:5432/' /etc/malipo/secrets/database-owner-url
sed -i 's|^NATS_URL=.*|NATS_URL=nats://127.0.0.1:4222|; s|^MALIPO_NATS_REPLICAS=.*|MALIPO_NATS_REPLICAS=1|' /etc/malipo/malipo.env
: 'the migration'
${block('migrate-unit')}
: 'step 3: the login'
psql --quiet postgres://malipo_admin:of-the-owner@127.0.0.1/malipo <<'SQL'
${sql('login', 'of-the-processes')}SQL
: 'the processes'
${block('units').replace('malipo doctor', '')}
until curl --silent --fail http://127.0.0.1:8080/health/ready; do sleep 0.2; done
until curl --silent --fail http://127.0.0.1:8081/health/ready; do sleep 0.2; done
malipo doctor
${block('check-timer')}
systemctl start malipo-ledger-check
: 'the first staff'
${block('admins')}
: 'a merchant; a machine in place of a person who logs in with a browser'
set +x
made=$(malipo machines create --break-glass --json --name installation --permission merchants:read merchants:write keys:create --reason 'the installation is tested')
export MALIPO_URL=http://127.0.0.1:8080
export MALIPO_OPERATOR_PUBLIC_KEY=$(grep -o 'opk_[A-Za-z0-9_]*' <<<"$made") MALIPO_OPERATOR_API_KEY=$(grep -o 'osk_[A-Za-z0-9_]*' <<<"$made")
id=$(malipo merchants create --name "Duka Moja" --email amina@example.com --first-name Amina --last-name Otieno --country KE | grep -o 'mer_[0-9a-f]*' | head -1)
keys=$(malipo keys create "$id" --env sandbox)
export MALIPO_PUBLIC_KEY=$(grep -o 'pk_test_[A-Za-z0-9_-]*' <<<"$keys") MALIPO_API_KEY=$(grep -o 'sk_test_[A-Za-z0-9_-]*' <<<"$keys")
set -x
malipo charge momo --amount 100 --currency KES --phone +254703456789 --reference order-1 --wait
systemctl start malipo-ledger-check
journalctl --no-pager --output=cat --unit malipo-ledger-check | grep 'books agree'
touch /root/done
`
}

/** Its own network: nothing outside can be reached, and no port of this machine is taken. */
function boot(): void {
  spawnSync('systemd-nspawn', ['--directory', machine, '--boot', '--register=no', '--keep-unit', '--private-network'], {
    stdio: 'ignore',
    timeout: bootMinutesMax * 60_000,
  })
}

function within(command: string): void {
  const variables = ['HOME=/root', 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin']
  const certificates = `NODE_EXTRA_CA_CERTS=${process.env['NODE_EXTRA_CA_CERTS'] ?? ''}`
  run('chroot', [machine, '/usr/bin/env', '-i', ...variables, certificates, 'sh', '-ec', command])
}

function run(program: string, args: readonly string[]): void {
  execFileSync(program, args, { stdio: ['ignore', 'ignore', 'inherit'] })
}

function timed(what: string, work: () => void): void {
  const startedAt = performance.now()
  work()
  console.log(`${what}: ${((performance.now() - startedAt) / 1000).toFixed(0)} s`)
}
