import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { until } from '../../packages/server/src/dev-stack/until.ts'
import { startFaultProxy } from './fault-proxy.ts'

test('a connection keeps the order of its bytes when the network changes', async (t) => {
  let got = ''
  const server = createServer((socket) => {
    socket.on('data', (chunk) => {
      got += chunk
    })
  })
  t.after(() => server.close())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const proxy = await startFaultProxy(() => port, 20)
  t.after(() => proxy.close())
  const client = connect(proxy.port, '127.0.0.1')
  t.after(() => client.destroy())
  await once(client, 'connect')

  const words = Array.from({ length: 200 }, (_, index) => `${index} `)
  for (const [index, word] of words.entries()) {
    proxy.change(index % 10 < 5 ? 'slow' : 'clear')
    client.write(word)
    await turn()
  }
  await until('all bytes to arrive', () => got.length === words.join('').length)

  assert.equal(got, words.join(''))
})
