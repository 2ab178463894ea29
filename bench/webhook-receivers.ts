/** A process of receivers: /healthy responds at once, /failing with 500, /hanging never. Reports when each id came first. */
import { createServer } from 'node:http'

const firsts = new Map<string, number>()
let requests = 0
let [firstAt, lastAt] = [0, 0]

const server = createServer((request, response) => {
  const id = String(request.headers['webhook-id'])
  requests += 1
  lastAt = performance.now()
  if (requests === 1) firstAt = lastAt
  if (!firsts.has(id)) firsts.set(id, Date.now())
  request.resume()
  if (request.url?.startsWith('/hanging')) return
  response.statusCode = request.url?.startsWith('/failing') ? 500 : 200
  response.end()
})
server.keepAliveTimeout = 10_000
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as { port: number }).port }))

process.on('message', (word) => {
  if (word === 'count') process.send?.({ requests, firstAt, lastAt })
  if (word !== 'report') return
  process.send?.({ requests, firsts: [...firsts] })
  firsts.clear()
  requests = 0
})
process.on('disconnect', () => process.exit())
