/** A separate process that requests payouts over plain sockets: its cost would otherwise count for the server it measures. */
import { connect, type Socket } from 'node:net'
import { monitorEventLoopDelay } from 'node:perf_hooks'

export interface LoadOrder {
  readonly port: number
  readonly tokens: readonly string[]
  readonly seconds: number
  /** Connections at most. Each has one request in progress. */
  readonly connections: number
  /** Requests a second, open loop; without it, the next request follows each response. */
  readonly perSecond?: number
  /** Payouts in each bulk call; without it, single payouts. */
  readonly bulk?: number
}

export interface LoadReport {
  /** Milliseconds from the first byte sent to the last received, sorted, by status; 0 is a connection that broke. */
  readonly latencies: Readonly<Record<string, readonly number[]>>
  /** Accepted payouts. */
  readonly ids: readonly string[]
  /** Requests not sent because every connection waited for a response. */
  readonly unsent: number
  readonly lateMs: number
  readonly cpuShare: number
  readonly tookMs: number
  /** One response of each status. */
  readonly samples: Readonly<Partial<Record<string, string>>>
}

interface Line {
  readonly socket: Socket
  sentAt: number
  received: string
}

const tickMs = 4

process.once('message', (order: LoadOrder) => {
  run(order).then(
    (report) => process.send?.(report, () => process.exit()),
    () => process.exit(1),
  )
})

async function run(order: LoadOrder): Promise<LoadReport> {
  const { port, seconds, connections, perSecond } = order
  const tally = createTally()
  const makeRequest = requestsFor(order)
  const idle: Line[] = []
  const lines = new Set<Line>()
  const over = new AbortController()

  const send = (line: Line) => {
    line.received = ''
    line.sentAt = performance.now()
    line.socket.write(makeRequest(), 'latin1')
  }
  const rest = (line: Line) => (perSecond === undefined && !over.signal.aborted ? send(line) : void idle.push(line))
  const open = () => {
    const line: Line = { socket: connect({ port, host: '127.0.0.1', noDelay: true }), sentAt: 0, received: '' }
    lines.add(line)
    line.socket.on('connect', () => rest(line))
    line.socket.on('data', (bytes: Buffer) => {
      line.received += bytes.toString('latin1')
      if (!isWhole(line.received)) return
      tally.note(line)
      line.sentAt = 0
      rest(line)
    })
    line.socket.on('error', () => undefined)
    line.socket.on('close', () => {
      if (line.sentAt > 0) tally.broken(line)
      lines.delete(line)
      const place = idle.indexOf(line)
      if (place >= 0) idle.splice(place, 1)
      if (!over.signal.aborted) open()
    })
  }
  for (let count = 0; count < connections; count += 1) open()
  const [late, cpu, startedAt] = [monitorEventLoopDelay({ resolution: 1 }), process.cpuUsage(), performance.now()]
  late.enable()
  let asked = 0
  const tick = setInterval(() => {
    const due = ((performance.now() - startedAt) / 1000) * (perSecond ?? 0)
    for (; asked < due; asked += 1) {
      const line = idle.pop()
      if (line) send(line)
      else tally.unsent += 1
    }
  }, tickMs)
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
  clearInterval(tick)
  over.abort()
  const used = process.cpuUsage(cpu)
  const tookMs = performance.now() - startedAt
  await allResponded(lines)
  for (const { socket } of lines) socket.destroy()
  const cpuShare = (used.user + used.system) / 1000 / tookMs
  return { ...tally.report(), lateMs: late.percentile(99) / 1e6, cpuShare, tookMs }
}

/** Waits for requests still in progress when the load ends, as a client would. */
async function allResponded(lines: ReadonlySet<Line>): Promise<void> {
  const deadline = performance.now() + 30_000
  while (performance.now() < deadline && [...lines].some(({ sentAt }) => sentAt > 0))
    await new Promise((resolve) => setTimeout(resolve, 10))
}

function requestsFor({ tokens, port, bulk }: LoadOrder): () => string {
  let number = 0
  let sent = 0
  const run = process.hrtime.bigint().toString(36)
  const nextPayout = () => {
    number += 1
    return {
      amount: 10,
      currency: 'KES',
      country: 'KE',
      destination: 'MoMo',
      payoutMethod: { accountName: 'Juma', accountNumber: '+254712345678', code: 'MPESA_KE' },
      externalReference: `${run}-${String(number).padStart(9, '0')}`,
    }
  }
  const nextBody = () =>
    JSON.stringify(bulk === undefined ? nextPayout() : { payouts: Array.from({ length: bulk }, nextPayout) })
  const path = bulk === undefined ? 'payout' : 'payouts/bulk'
  const size = nextBody().length
  const heads = tokens.map(
    (token) =>
      `POST /api/sandbox/b2b/fiat/${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: ${token}\r\ncontent-type: application/json\r\ncontent-length: ${size}\r\n\r\n`,
  )
  return () => {
    sent += 1
    return heads[sent % heads.length] + nextBody()
  }
}

function isWhole(text: string): boolean {
  const end = text.indexOf('\r\n\r\n')
  if (end < 0) return false
  const [, length = '0'] = /\r\ncontent-length: (\d+)/i.exec(text) ?? []
  return text.length >= end + 4 + Number(length)
}

function createTally() {
  const latencies: Record<string, number[]> = {}
  const samples: Record<string, string> = {}
  const ids: string[] = []
  const add = (status: string, { sentAt }: Line) => {
    latencies[status] ??= []
    latencies[status].push(performance.now() - sentAt)
  }
  return {
    unsent: 0,
    note(line: Line) {
      const status = line.received.slice(9, 12)
      add(status, line)
      samples[status] ??= line.received
      if (status === '200') for (const [, id = ''] of line.received.matchAll(/"transactionId":"([^"]+)"/g)) ids.push(id)
    },
    broken: (line: Line) => add('0', line),
    report() {
      for (const all of Object.values(latencies)) all.sort((left, right) => left - right)
      return { latencies, ids, samples, unsent: this.unsent }
    },
  }
}
