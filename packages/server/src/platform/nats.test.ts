import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { jetstreamManager } from '@nats-io/jetstream'
import { nkeys } from '@nats-io/transport-node'
import { startNatsNamed, startNatsWith } from '../dev-stack/nats.ts'
import { freePort, guardFolder, makeFolder } from '../dev-stack/processes.ts'
import { until } from '../dev-stack/until.ts'
import { createLog } from './log.ts'
import { connectNats, type NatsAccess, parseNatsServers } from './nats.ts'
import { Secret } from './secret.ts'
import { openStream } from './stream.ts'
import { openWakeups } from './wakeups.ts'

const folder = makeFolder(mkdtempSync(join(tmpdir(), 'malipo-nats-')))
const guard = guardFolder(folder, { isKept: false })
after(() => guard.dismiss())

const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' })
const pem = (name: string) => readFileSync(join(folder, name), 'utf8')

/** An authority and its certificate for this machine, which servers and clients share. */
function certify(): void {
  const days = ['-days', '2', '-nodes']
  openssl(
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    ...days,
    '-keyout',
    'ca.key',
    '-out',
    'ca.pem',
    '-subj',
    '/CN=authority',
  )
  openssl('req', '-newkey', 'rsa:2048', '-nodes', '-keyout', 'own.key', '-out', 'own.csr', '-subj', '/CN=malipo')
  writeFileSync(join(folder, 'names'), 'subjectAltName=IP:127.0.0.1,DNS:localhost')
  const by = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-extfile', 'names']
  openssl('x509', '-req', '-in', 'own.csr', ...by, '-days', '2', '-out', 'own.pem')
}
certify()

const files = `cert_file: "${folder}/own.pem", key_file: "${folder}/own.key", ca_file: "${folder}/ca.pem"`
const authority: NatsAccess = { natsCa: new Secret(pem('ca.pem')) }

/** Verifies access: the connection carries a message there and back. */
async function works(url: string, access?: NatsAccess): Promise<void> {
  const connection = await connectNats(url, access)
  try {
    await connection.flush()
  } finally {
    await connection.close()
  }
}

const isRefused = (url: string, access?: NatsAccess) => assert.rejects(works(url, access))

const withUser = (url: string, user: string) => url.replace('://', `://${user}@`)

test('one tls:// in the list requires TLS for all, and a URL that is not NATS is refused', () => {
  assert.equal(parseNatsServers('nats://a:4222, nats://b:4222').isTls, false)
  assert.equal(parseNatsServers('nats://a:4222,tls://b:4222').isTls, true)
  for (const text of ['', 'nats://a,', 'http://a', 'nats://', 'nats://a/x']) assert.throws(() => parseNatsServers(text))
})

test('a dead server of the list is skipped', async (t) => {
  const { url, stop } = await startNatsWith(folder, '')
  t.after(() => stop())
  const dead = `nats://127.0.0.1:${await freePort()}`

  for (let turn = 0; turn < 6; turn += 1) await works(`${dead},${url}`)
  await isRefused(dead)
})

test('a server without TLS is refused where TLS is required, before it sees credentials', async (t) => {
  const { url, stop } = await startNatsWith(folder, '')
  t.after(() => stop())
  const heard: string[] = []
  const info = JSON.stringify({ server_id: 'x', version: '2.10.0', proto: 1, max_payload: 1048576, headers: true })
  const listener = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.on('data', (bytes) => heard.push(String(bytes)))
    socket.write(`INFO ${info}\r\n`)
  })
  const port = await freePort()
  await new Promise<void>((listening) => listener.listen(port, '127.0.0.1', listening))
  t.after(() => listener.close())

  await isRefused(url.replace('nats:', 'tls:'))
  await isRefused(url, authority)
  await isRefused(`tls://malipo:hunter2hunter2@127.0.0.1:${port}`)

  assert.ok(!heard.join('').includes('hunter2'), heard.join(''))
})

test('TLS is used only with a server whose authority is known', async (t) => {
  const { url, stop } = await startNatsWith(folder, `tls { ${files} }`)
  t.after(() => stop())
  const tls = url.replace('nats:', 'tls:')

  await works(tls, authority)
  await isRefused(tls)
})

test('a client certificate is sent where the server requires it', async (t) => {
  const { url, stop } = await startNatsWith(folder, `tls { ${files}, verify: true }`)
  t.after(() => stop())
  const own = { natsCertificate: new Secret(pem('own.pem')), natsKey: new Secret(pem('own.key')) }

  await works(url.replace('nats:', 'tls:'), { ...authority, ...own })
  await isRefused(url.replace('nats:', 'tls:'), authority)
})

test('a token, a user with a password and an nkey are accepted, and others are not', async (t) => {
  const pair = nkeys.createUser()
  const seed = new TextDecoder().decode(pair.getSeed())
  const other = new TextDecoder().decode(nkeys.createUser().getSeed())
  const start = async (config: string) => {
    const { url, stop } = await startNatsWith(folder, config)
    t.after(() => stop())
    return url
  }
  const byToken = await start('authorization { token: "s3cret-token" }')
  const byUser = await start('authorization { user: malipo, password: "p@ss:word" }')
  const byKey = await start(`authorization { users: [ { nkey: ${pair.getPublicKey()} } ] }`)

  await works(withUser(byToken, 's3cret-token'))
  await works(withUser(byUser, 'malipo:p%40ss%3Aword'))
  await works(byKey, { natsCredentials: new Secret(seed) })
  for (const url of [byToken, byUser, byKey]) await isRefused(url)
  await isRefused(withUser(byToken, 'another-token'))
  await isRefused(withUser(byUser, 'malipo:wrong'))
  await isRefused(byKey, { natsCredentials: new Secret(other) })
})

test('a cluster that loses a server still wakes, and its stream has three replicas', async (t) => {
  const ports = await Promise.all([1, 2, 3].map(freePort))
  const routes = await Promise.all([1, 2, 3].map(freePort))
  const listed = routes.map((port) => `"nats://127.0.0.1:${port}"`).join(', ')
  const start = (place: number) =>
    startNatsNamed({
      folder,
      name: `n${place}`,
      port: ports[place] ?? 0,
      config: `server_name: n${place}
        jetstream { store_dir: "${folder}/js${place}" }
        cluster { name: malipo, listen: "127.0.0.1:${routes[place]}", routes: [${listed}] }`,
    })
  const nodes = await Promise.all([0, 1, 2].map(start))
  t.after(() => Promise.all(nodes.map(({ stop }) => stop('SIGKILL'))))
  const url = nodes.map((node) => node.url).join(',')
  const stream = openStream({ url, cell: 7, replicas: 3 })
  t.after(() => stream.close())
  const isStored = (id: string) =>
    stream.publish([{ id, subject: 'sandbox.test', body: {} }]).then(
      () => true,
      () => false,
    )
  await until('the cluster to store an event', () => isStored('one'))
  const log = createLog({ level: 'fatal' })
  const [waker, listener] = [openWakeups({ url, log, cell: 7 }), openWakeups({ url, log, cell: 7 })]
  t.after(() => Promise.all([waker.close(), listener.close()]))
  let polls = 0
  const watch = listener.onWake('work', 1_000_000, async () => {
    polls += 1
  })
  t.after(() => watch.stop())
  const wakes = async () => {
    const before = polls
    await until('a wakeup to arrive', () => {
      waker.wake('work')
      return polls > before
    })
  }
  await until('both to be connected', () => waker.isConnected() && listener.isConnected())
  await wakes()
  const admin = await connectNats(url)
  const { config } = await (await jetstreamManager(admin)).streams.info('EVENTS')
  await admin.close()

  for (const node of nodes.slice(0, 1)) await node.stop('SIGKILL')

  await wakes()
  await until('an event to be stored without it', () => isStored('two'))
  assert.equal(config.num_replicas, 3)
})
