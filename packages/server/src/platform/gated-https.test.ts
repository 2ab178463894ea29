import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, type TestContext, test } from 'node:test'
import { getCACertificates, setDefaultCACertificates, type TLSSocket, type TlsOptions } from 'node:tls'
import { openGate } from './gated-http.ts'

const folder = mkdtempSync(join(tmpdir(), 'malipo-tls-'))
after(() => rmSync(folder, { recursive: true }))

/** An authority that this file trusts, and its certificates. */
const authority = makeAuthority()
setDefaultCACertificates([...getCACertificates('default'), authority])

function openssl(...args: string[]): void {
  execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' })
}

function makeAuthority(): string {
  const usage = ['-addext', 'basicConstraints=critical,CA:TRUE']
  openssl(
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-keyout',
    'ca.key',
    '-out',
    'ca.pem',
    '-subj',
    '/CN=test',
    ...usage,
  )
  return readFileSync(join(folder, 'ca.pem'), 'utf8')
}

function certificate(names: string, { isTrusted = true, days = 2 } = {}): { key: string; cert: string } {
  writeFileSync(join(folder, 'names'), `subjectAltName=${names}`)
  openssl('req', '-newkey', 'rsa:2048', '-nodes', '-keyout', 'own.key', '-out', 'own.csr', '-subj', '/CN=shop')
  const by = isTrusted ? ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial'] : ['-signkey', 'own.key']
  openssl('x509', '-req', '-in', 'own.csr', ...by, '-days', String(days), '-extfile', 'names', '-out', 'own.pem')
  const read = (name: string) => readFileSync(join(folder, name), 'utf8')
  return { key: read('own.key'), cert: read('own.pem') }
}

async function bench(t: TestContext, options: TlsOptions) {
  const seen: { servername: string | false | undefined; host: string | undefined }[] = []
  const server = createServer(options, (request, response) => {
    const { servername } = request.socket as TLSSocket & { servername?: string | false }
    seen.push({ servername, host: request.headers.host })
    response.end('ok')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const gate = openGate({ allowedRanges: ['127.0.0.0/8'], timeoutMs: 5000, lookup: async () => ['127.0.0.1'] })
  t.after(async () => {
    await gate.close()
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const post = async (host: string) => {
    const url = `https://${host}:${port}/`
    const posted = await gate.post({ url, headers: {}, body: '{}' })
    return posted.kind === 'responded' ? `responded ${posted.status}` : `${posted.kind}: ${posted.detail}`
  }
  return { post, seen, port }
}

test('a server is addressed by the name of the URL and must prove it', async (t) => {
  const { post, seen, port } = await bench(t, certificate('DNS:shop.example'))

  assert.equal(await post('SHOP.example.'), 'responded 200')
  assert.deepEqual(seen, [{ servername: 'shop.example', host: `shop.example:${port}` }])
  assert.equal(await post('other.example'), 'unreachable: the certificate is for another name')
  assert.equal(await post('127.0.0.1'), 'unreachable: the certificate is for another name')
  assert.equal(seen.length, 1)
})

test('a server called by its address must have the address in its certificate', async (t) => {
  const { post, seen } = await bench(t, certificate('IP:127.0.0.1'))

  assert.equal(await post('127.0.0.1'), 'responded 200')
  assert.equal(seen[0]?.servername, false)
  assert.equal(await post('127.0.0.2'), 'unreachable: the connection was refused')
  assert.equal(await post('shop.example'), 'unreachable: the certificate is for another name')
})

test('an invalid certificate is not accepted', async (t) => {
  const own = await bench(t, certificate('DNS:shop.example', { isTrusted: false }))
  const old = await bench(t, certificate('DNS:shop.example', { days: -1 }))

  assert.equal(await own.post('shop.example'), 'unreachable: the certificate is self-signed')
  assert.equal(await old.post('shop.example'), 'unreachable: the certificate has expired')
  assert.deepEqual([...own.seen, ...old.seen], [])
})

test('TLS versions before 1.2 are not used', async (t) => {
  const options = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const
  const { post, seen } = await bench(t, { ...certificate('DNS:shop.example'), ...options })

  assert.equal(await post('shop.example'), 'unreachable: the TLS handshake failed')
  assert.deepEqual(seen, [])
})
