/** The other side of `deliver`: a loop over undici that posts one body to the same receivers and drops the responses. */
import { Agent, request } from 'undici'

interface Order {
  readonly urls: readonly string[]
  readonly each: number
  readonly inFlight: number
  readonly body: string
}

/** As many connections as posts in progress, as in the service. */
const dispatcher = new Agent({ pipelining: 1 })

async function post({ urls, each, inFlight, body }: Order): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  const lanes = urls.flatMap((url) => {
    let left = each
    return Array.from({ length: inFlight }, async () => {
      while (left > 0) {
        left -= 1
        const response = await request(url, { method: 'POST', headers, body, dispatcher })
        await response.body.dump()
      }
    })
  })
  await Promise.all(lanes)
}

process.on('message', async (order: Order) => {
  await post(order)
  process.send?.('done')
})
process.on('disconnect', () => process.exit())
