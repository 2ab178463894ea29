import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type TestContext, test } from 'node:test'
import { freePort } from '../dev-stack/processes.ts'
import { Secret } from '../platform/secret.ts'
import { createFlutterwave } from './flutterwave/connector.ts'
import { createPawapay } from './pawapay/connector.ts'
import { findUrlFlaws } from './url-check.ts'

function connectorsAt(t: TestContext, url: string) {
  const connectors = [
    createPawapay({ baseUrl: url, token: new Secret('t'.repeat(24)), operators: new Map() }),
    createFlutterwave({
      baseUrl: `${url}/v3`,
      secretKey: new Secret('s'.repeat(24)),
      encryptionKey: new Secret('e'.repeat(24)),
      webhookHash: new Secret('h'.repeat(24)),
      bankCodes: new Map(),
    }),
  ]
  t.after(() => Promise.all(connectors.map((connector) => connector.close())))
  return connectors
}

test('a URL is wrong when it returns 404, and not when the provider refuses, fails or is down', async (t) => {
  const seen = new Set<string>()
  let status = 404
  const server = createServer(({ url = '' }, response) => {
    seen.add(url)
    response.writeHead(status).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const url = `http://127.0.0.1:${(server.address() as { port: number }).port}`
  const connectors = connectorsAt(t, url)

  const [pawapay, flutterwave] = await findUrlFlaws(connectors)

  assert.match(pawapay ?? '', /^MALIPO_PAWAPAY_URL: pawaPay not found at http:\S+ \(HTTP 404\)/)
  assert.match(flutterwave ?? '', /^MALIPO_FLUTTERWAVE_URL: Flutterwave not found at http:\S+\/v3 \(HTTP 404\)/)
  assert.deepEqual([...seen].sort(), ['/v2/active-conf', '/v3/banks/NG'])
  for (status of [200, 401, 403, 500, 503]) assert.deepEqual(await findUrlFlaws(connectors), [], String(status))
  assert.deepEqual(await findUrlFlaws(connectorsAt(t, `http://127.0.0.1:${await freePort()}`)), [])
})
