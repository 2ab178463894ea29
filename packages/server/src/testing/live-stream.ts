import { get, type IncomingMessage } from 'node:http'
import { until } from '../dev-stack/until.ts'

interface StreamedEvent {
  readonly id: string
  readonly event: string
  readonly data: Readonly<Record<string, unknown>>
}

/** A client of server-sent events. */
export interface LiveStream {
  readonly status: number
  readonly events: readonly StreamedEvent[]
  /** Waits until this many payments have come. */
  payments(count: number): Promise<readonly StreamedEvent[]>
  isEnded(): boolean
  close(): void
}

/** Opens a stream. A client that is `deaf` never reads. */
export function openStream(
  url: string,
  headers: Readonly<Record<string, string>>,
  { isDeaf = false }: { readonly isDeaf?: boolean } = {},
): Promise<LiveStream> {
  return new Promise((resolve, reject) => {
    const request = get(url, { headers: { accept: 'text/event-stream', ...headers }, agent: false }, (response) =>
      resolve(streamOf(response, () => request.destroy(), isDeaf)),
    )
    request.once('error', reject)
  })
}

function streamOf(response: IncomingMessage, close: () => void, isDeaf: boolean): LiveStream {
  const events: StreamedEvent[] = []
  let text = ''
  let isEnded = false
  response.setEncoding('utf8')
  response.on('error', () => undefined) // A stream that is cut off.
  response.once('close', () => {
    isEnded = true
  })
  if (!isDeaf)
    response.on('data', (chunk: string) => {
      const blocks = (text + chunk).split('\n\n')
      text = blocks.pop() ?? ''
      events.push(...blocks.flatMap(readBlock))
    })
  const payments = () => events.filter(({ event }) => event === 'payment')
  return {
    status: response.statusCode ?? 0,
    events,
    payments: (count) => until(`${count} payments`, () => payments().length >= count && payments()),
    isEnded: () => isEnded,
    close,
  }
}

/** An event; nothing for a comment or the time until a client connects again. */
function readBlock(block: string): StreamedEvent[] {
  const fields = new Map(
    block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
  )
  const [id, event, data] = [fields.get('id'), fields.get('event'), fields.get('data')]
  return id === undefined || event === undefined || data === undefined ? [] : [{ id, event, data: JSON.parse(data) }]
}
