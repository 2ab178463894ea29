/**
 * A process that requests payouts and receives their webhooks, so that one clock times both. It keeps a number of payouts in
 * progress from request to last webhook, or starts a number of them a second.
 */
import { createServer } from 'node:http'
import { Pool } from 'undici'

export interface JourneyOrder {
  readonly url: string
  readonly tokens: readonly string[]
  readonly seconds: number
  /** Payouts between request and final webhook; without it, `perSecond` applies. */
  readonly underWay?: number
  readonly perSecond?: number
}

export interface JourneyReport {
  /** Payouts with a final webhook within the measured time. */
  readonly ended: number
  readonly tookMs: number
  /** From the response to the final webhook, sorted. */
  readonly waitsMs: readonly number[]
  /** Accepted payouts without a final webhook within the grace time after the load. */
  readonly unreported: number
  readonly cpuShare: number
}

/** Time for the final webhooks of payouts in progress when the load ends. */
const graceMs = 20_000
const warmShare = 0.3
const respondedAt = new Map<string, number>()
const endedAt = new Map<string, number>()
let onEnd: () => void = () => undefined

const server = createServer((request, response) => {
  let text = ''
  request.setEncoding('latin1')
  request.on('data', (part: string) => {
    text += part
  })
  request.on('end', () => {
    response.end()
    if (!text.includes('"status":"successful"')) return
    const [, id = ''] = /"transactionId":"([^"]+)"/.exec(text) ?? []
    if (endedAt.has(id)) return
    endedAt.set(id, performance.now())
    onEnd()
  })
})
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as { port: number }).port }))
process.on('message', async (order: JourneyOrder) => process.send?.(await run(order)))
process.on('disconnect', () => process.exit())

async function run(order: JourneyOrder): Promise<JourneyReport> {
  respondedAt.clear()
  endedAt.clear()
  const pool = new Pool(order.url, { connections: 64, pipelining: 1 })
  const begin = createBegin(pool, order)
  const cpu = process.cpuUsage()
  const startedAt = performance.now()
  const begun = order.underWay === undefined ? await paced(order, begin) : await kept(order, order.underWay, begin)
  const used = process.cpuUsage(cpu)
  const tookMs = performance.now() - startedAt
  await Promise.all(begun)
  const deadline = performance.now() + graceMs
  while (endedAt.size < respondedAt.size && performance.now() < deadline)
    await new Promise((resolve) => setTimeout(resolve, 20))
  await pool.close()
  const warmUntil = startedAt + tookMs * warmShare
  const isMeasured = (at: number) => at >= warmUntil && at < startedAt + tookMs
  const measured = [...respondedAt].filter(([, at]) => isMeasured(at))
  const waits = measured.map(([id, at]) => (endedAt.get(id) ?? Number.POSITIVE_INFINITY) - at)
  return {
    ended: [...endedAt.values()].filter(isMeasured).length,
    tookMs: tookMs * (1 - warmShare),
    waitsMs: waits.toSorted((left, right) => left - right),
    unreported: respondedAt.size - endedAt.size,
    cpuShare: (used.user + used.system) / 1000 / tookMs,
  }
}

function createBegin(pool: Pool, { tokens }: JourneyOrder): () => Promise<void> {
  let number = 0
  const run = process.hrtime.bigint().toString(36)
  return async () => {
    number += 1
    const body = JSON.stringify({
      amount: 10,
      currency: 'KES',
      country: 'KE',
      destination: 'MoMo',
      payoutMethod: { accountName: 'Juma', accountNumber: '+254712345678', code: 'MPESA_KE' },
      externalReference: `${run}-${number}`,
    })
    const headers = { 'content-type': 'application/json', authorization: tokens[number % tokens.length] }
    const response = await pool.request({ method: 'POST', path: '/api/sandbox/b2b/fiat/payout', headers, body })
    const text = await response.body.text()
    const [, id] = /"transactionId":"([^"]+)"/.exec(text) ?? []
    if (response.statusCode !== 200 || id === undefined)
      throw new Error(`payout refused: ${response.statusCode} ${text}`)
    respondedAt.set(id, performance.now())
  }
}

/** When one ends, the next starts. */
async function kept({ seconds }: JourneyOrder, underWay: number, begin: () => Promise<void>): Promise<Promise<void>[]> {
  const begun: Promise<void>[] = Array.from({ length: underWay }, begin)
  onEnd = () => void begun.push(begin())
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
  onEnd = () => undefined
  return begun
}

const tickMs = 4

async function paced({ seconds, perSecond = 0 }: JourneyOrder, begin: () => Promise<void>): Promise<Promise<void>[]> {
  const begun: Promise<void>[] = []
  const startedAt = performance.now()
  const tick = setInterval(() => {
    const due = ((performance.now() - startedAt) / 1000) * perSecond
    while (begun.length < due) begun.push(begin())
  }, tickMs)
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
  clearInterval(tick)
  return begun
}
