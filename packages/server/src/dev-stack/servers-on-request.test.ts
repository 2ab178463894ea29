import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { findKeptServers, keepServers } from './kept-servers.ts'
import { askForServers, offerServers, type Servers, socketVariable } from './servers-on-request.ts'

const newFolder = () => mkdtempSync(join(tmpdir(), 'malipo-offer-'))

const serversAt = (port: number): Servers => ({
  adminUrl: `postgres://postgres:secret@127.0.0.1:${port}/postgres`,
  loginPassword: 'secret',
  natsUrl: `nats://127.0.0.1:${port}`,
  template: 'malipo_template',
})

async function listen(t: TestContext): Promise<{ port: number; close(): Promise<unknown> }> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return { port: (server.address() as AddressInfo).port, close: () => once(server.close(), 'close') }
}

test('servers start once, when the first test process asks, and stop with the run', async () => {
  const folder = newFolder()
  let [started, stopped] = [0, 0]
  const offer = await offerServers(folder, async () => {
    started += 1
    const stop = async () => {
      stopped += 1
    }
    return { servers: serversAt(1), stop }
  })
  const path = offer.exports[socketVariable]
  assert.equal(statSync(path).mode & 0o777, 0o600)
  assert.equal(started, 0)

  const replies = await Promise.all([askForServers(path), askForServers(path)])
  replies.push(await askForServers(path))
  await offer.stop()

  assert.deepEqual(replies, [serversAt(1), serversAt(1), serversAt(1)])
  assert.deepEqual([started, stopped], [1, 1])
  assert.equal(existsSync(folder), false)
})

test('a run whose tests ask for no servers starts none', async () => {
  const offer = await offerServers(newFolder(), () => assert.fail('no process asked'))

  await offer.stop()
})

test('servers that cannot start fail the test that asks, with the reason', async () => {
  const offer = await offerServers(newFolder(), () => Promise.reject(new Error('postgres was not found')))

  await assert.rejects(askForServers(offer.exports[socketVariable]), /could not be started: postgres was not found/)
  await offer.stop()
})

test('kept servers are found while they listen, by their owner only, and not after that', async (t) => {
  const folder = newFolder()
  t.after(() => rmSync(folder, { recursive: true }))
  assert.equal(await findKeptServers(folder), undefined)
  const listener = await listen(t)
  const servers = serversAt(listener.port)
  writeFileSync(join(folder, 'servers.json'), '{', { mode: 0o644 })
  assert.equal(await findKeptServers(folder), undefined, 'a damaged file is ignored')

  const kept = keepServers(servers, folder)

  assert.equal(statSync(join(folder, 'servers.json')).mode & 0o777, 0o600)
  assert.deepEqual(await findKeptServers(folder), servers)
  await listener.close()
  assert.equal(await findKeptServers(folder), undefined, 'stopped servers are not used')
  kept.forget()
  assert.equal(existsSync(join(folder, 'servers.json')), false)
})
