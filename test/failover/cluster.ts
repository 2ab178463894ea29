import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chownSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createDatabase, login } from '../../packages/server/src/dev-stack/database.ts'
import { serverUser } from '../../packages/server/src/dev-stack/postgres.ts'
import {
  findProgram,
  freePort,
  guardFolder,
  isListening,
  makeFolder,
  type Service,
  startService,
} from '../../packages/server/src/dev-stack/processes.ts'
import { until } from '../../packages/server/src/dev-stack/until.ts'
import { connectNats } from '../../packages/server/src/platform/nats.ts'
import { ask } from '../../packages/server/src/testing/malipo.ts'
import { addressOf, here, type Network, openNetwork } from './network.ts'

/** Three PostgreSQL under Patroni and three NATS, each on its own machine, with HAProxy before the databases and the api. */
export interface Cluster {
  readonly loginUrl: string
  readonly superuserUrl: string
  readonly natsUrl: string
  /** Where merchants call, and where HAProxy expects the two api processes. */
  readonly apiUrl: string
  readonly apiPorts: readonly [number, number]
  readonly network: Network
  /** The primary's machine, as Patroni reports. */
  primary(): Promise<number>
  synchronous(): Promise<number>
  switchover(from: number, to: number): Promise<void>
  /** Ends Patroni and PostgreSQL of a machine as a power cut does. */
  killNode(place: number): void
  startNode(place: number): Promise<void>
  killPostmaster(place: number): void
  killNats(place: number): Promise<void>
  startNats(place: number): Promise<void>
  close(): Promise<void>
}

const deployed = fileURLToPath(new URL('../../deploy/', import.meta.url))
const names = ['node-a', 'node-b', 'node-c']
const places = [0, 1, 2] as const
const restPort = 8008

export async function startCluster(): Promise<Cluster> {
  const folder = makeFolder(mkdtempSync(join(tmpdir(), 'malipo-ha-')))
  execFileSync('chmod', ['755', folder])
  const guard = guardFolder(folder, { isKept: false })
  const network = openNetwork(places.length)
  const passwords = { superuser: randomBytes(12).toString('hex'), login: randomBytes(12).toString('hex') }
  const ports = {
    postgres: await freePort(),
    api: await freePort(),
    apis: [await freePort(), await freePort()] as const,
  }
  const { running, startNode, startNats } = await startServers(
    { folder, network, password: passwords.superuser },
    ports,
  )
  const urlOf = (database: string, user = { name: 'postgres', password: passwords.superuser }) =>
    `postgres://${user.name}:${user.password}@127.0.0.1:${ports.postgres}/${database}`
  const run = async (database: string, ...statements: string[]) => {
    for (const statement of statements) await ask(urlOf(database), statement)
  }
  const members = () => membersOf(running)
  await until('two standbys to stream', async () => (await members()).filter(isStandby).length === 2, {
    timeoutMs: 180_000,
  })
  const isWritten = () => run('postgres', 'create table if not exists tried (x int)').then(() => true, isNot)
  await until('a write', isWritten)
  await createDatabase({ run, urlOf } as never, 'malipo', passwords.login)
  const roleOf = (role: RegExp) => async () => {
    const found = (await members()).find((member) => role.test(member.role) && member.state === 'running')
    return found ? names.indexOf(found.name) : -1
  }
  return {
    superuserUrl: urlOf('malipo'),
    loginUrl: urlOf('malipo', { name: login, password: passwords.login }),
    natsUrl: places.map((place) => `nats://${addressOf(place)}:4222`).join(','),
    apiUrl: `http://127.0.0.1:${ports.api}`,
    apiPorts: ports.apis,
    network,
    primary: roleOf(/leader|master/),
    synchronous: roleOf(/sync_standby/),
    switchover: (from, to) => patroni(from, 'switchover', { leader: names[from], candidate: names[to] }),
    killNode: (place) => killNode(folder, place),
    startNode,
    killPostmaster: (place) => process.kill(postmasterOf(folder, place), 'SIGKILL'),
    killNats: async (place) => running.get(`nats-${place}`)?.stop('SIGKILL'),
    startNats,
    close: async () => {
      for (const place of places) killNode(folder, place)
      await Promise.all([...running.values()].map((service) => service.stop('SIGKILL')))
      network.close()
      await guard.dismiss()
    },
  }
}

/** Starts all of them, and restarts lost ones. */
async function startServers(site: Site, ports: Parameters<typeof startHaproxy>[1]) {
  const running = new Map<string, Service>()
  const keep = (service: Service) => void running.set(service.name, service)
  const startNode = async (place: number) => keep(await startPatroni(site, place))
  const startNats = async (place: number) => keep(await startNatsOn(site.folder, site.network, place))
  keep(await startEtcd(site.folder))
  await Promise.all(places.map(startNode))
  keep(await startHaproxy(site.folder, ports))
  await Promise.all(places.map(startNats))
  return { running, startNode, startNats }
}

const isNot = () => false

interface Member {
  readonly name: string
  readonly role: string
  readonly state: string
  readonly lag?: number | string
}

const isStandby = ({ role, state }: Member) => /replica|standby/.test(role) && /running|streaming/.test(state)

/** Any Patroni that responds knows them all. */
async function membersOf(running: ReadonlyMap<string, Service>): Promise<readonly Member[]> {
  for (const place of places) {
    if (!running.has(`patroni-${place}`)) continue
    const url = `http://${addressOf(place)}:${restPort}/cluster`
    const found = await fetch(url, { signal: AbortSignal.timeout(1000) })
      .then((reply) => reply.json() as Promise<{ members?: Member[] }>)
      .catch(() => undefined)
    if (found?.members) return found.members
  }
  return []
}

async function patroni(place: number, path: string, body: object): Promise<void> {
  const reply = await fetch(`http://${addressOf(place)}:${restPort}/${path}`, {
    method: 'POST',
    body: JSON.stringify(body),
  })
  if (!reply.ok) throw new Error(`Patroni refused ${path}: ${reply.status} ${await reply.text()}`)
}

async function startEtcd(folder: string): Promise<Service> {
  const [client, peer] = [`http://${here}:2379`, `http://${here}:2380`]
  const args = [
    ...['--data-dir', join(folder, 'etcd'), '--name', 'one'],
    ...['--listen-client-urls', client, '--advertise-client-urls', client],
    ...['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer, '--initial-cluster', `one=${peer}`],
  ]
  const isReady = () =>
    fetch(`${client}/health`).then(
      ({ ok }) => ok,
      () => false,
    )
  return startService({ name: 'etcd', command: findProgram('etcd', [], 'etcd-server'), args, folder, isReady })
}

interface Site {
  readonly folder: string
  readonly network: Network
  readonly password: string
}

/** The documented file, with this machine's addresses, passwords and folders. */
function patroniFile({ folder, password }: Site, place: number): string {
  const path = join(folder, `patroni-${place}.yml`)
  const text = readFileSync(join(deployed, 'patroni/patroni.yml'), 'utf8')
    .replace(/hosts: .*/, `hosts: ${here}:2379`)
    .replaceAll('10.0.0.1', addressOf(place))
    .replaceAll('10.0.0.0/24', `${addressOf(0).replace(/\d+$/, '0')}/24`)
    .replaceAll('node-a', names[place] ?? '')
    .replaceAll(/CHANGE-\w+/g, password)
    .replace('unix_socket_directories: /var/run/postgresql', 'unix_socket_directories: ""') // Three on one machine.
    .replaceAll('/var/lib/postgresql/', `${folder}/pg-${place}/`)
  writeFileSync(path, text)
  return path
}

async function startPatroni(site: Site, place: number): Promise<Service> {
  const { folder, network } = site
  const user = serverUser()
  const data = join(folder, `pg-${place}`)
  mkdirSync(data, { recursive: true, mode: 0o700 })
  const path = patroniFile(site, place)
  if (user) for (const each of [data, path]) chownSync(each, user.uid, user.gid)
  const command = findProgram('patroni', [], 'patroni')
  const { command: within, args } = network.on(place, 'setpriv', [
    ...['--reuid=postgres', '--regid=postgres', '--clear-groups'],
    ...[command, path],
  ])
  const isReady = () =>
    fetch(`http://${addressOf(place)}:${restPort}/liveness`, { signal: AbortSignal.timeout(1000) }).then(
      () => true,
      () => false,
    )
  return startService({ name: `patroni-${place}`, command: within, args, folder, isReady })
}

const postmasterOf = (folder: string, place: number) =>
  Number(readFileSync(join(folder, `pg-${place}`, 'malipo', 'postmaster.pid'), 'utf8').split('\n')[0])

function killNode(folder: string, place: number): void {
  const patroniPid = Number(readFileSync(join(folder, `patroni-${place}.pid`), 'utf8'))
  for (const pid of [() => patroniPid, () => postmasterOf(folder, place)]) {
    try {
      process.kill(pid(), 'SIGKILL')
    } catch {
      // It has ended.
    }
  }
}

async function startHaproxy(
  folder: string,
  ports: { readonly postgres: number; readonly api: number; readonly apis: readonly number[] },
): Promise<Service> {
  const path = join(folder, 'haproxy.cfg')
  const text = places
    .reduce(
      (all, place) => all.replaceAll(`10.0.0.${place + 1}:`, `${addressOf(place)}:`),
      readFileSync(join(deployed, 'haproxy/haproxy.cfg'), 'utf8'),
    )
    .replace('bind 127.0.0.1:5000', `bind 127.0.0.1:${ports.postgres}`)
    .replace('bind 127.0.0.1:8000', `bind 127.0.0.1:${ports.api}`)
    .replace('127.0.0.1:8080', `127.0.0.1:${ports.apis[0]}`)
    .replace(/# server api-2 \S+/, `server api-2 127.0.0.1:${ports.apis[1]}`)
  writeFileSync(path, text)
  const command = findProgram('haproxy', ['/usr/sbin'], 'haproxy')
  return startService({ name: 'haproxy', command, args: ['-f', path], folder, isReady: () => isListening(ports.api) })
}

async function startNatsOn(folder: string, network: Network, place: number): Promise<Service> {
  const path = join(folder, `nats-${place}.conf`)
  const text = places
    .reduce(
      (all, other) => all.replaceAll(`nats://10.0.0.${other + 1}:`, `nats://${addressOf(other)}:`),
      readFileSync(join(deployed, 'nats/nats.conf'), 'utf8'),
    )
    .replaceAll('10.0.0.1:', `${addressOf(place)}:`)
    .replaceAll('node-a', names[place] ?? '')
    .replace('/var/lib/nats', join(folder, `js-${place}`))
  writeFileSync(path, text)
  const { command, args } = network.on(place, findProgram('nats-server', ['/usr/sbin'], 'nats-server'), ['-c', path])
  const isReady = () =>
    connectNats(`nats://${addressOf(place)}:4222`).then(
      (connection) => connection.close().then(() => true),
      () => false,
    )
  return startService({ name: `nats-${place}`, command, args, folder, isReady })
}
